/* See instruction.h. */
#include "arch/x86_64/instruction.h"

#include <string.h>

enum { LENGTH_MOST = 15 /* bytes */ };

/* What follows an opcode. */
enum {
    M = 1,     /* a ModRM byte, with its SIB byte and displacement */
    B = 2,     /* an immediate byte */
    W = 4,     /* two immediate bytes */
    Z = 8,     /* four immediate bytes, or two after the prefix 66 */
    D = 16,    /* four immediate bytes, always */
    BAD = 128, /* invalid, or never emitted by compilers */
};

/* What the letters in the tables below stand for. */
static const uint8_t follows[] = {
    ['-'] = 0, ['m'] = M,     ['b'] = B,     ['w'] = W,     ['z'] = Z,
    ['d'] = D, ['B'] = M | B, ['Z'] = M | Z, ['W'] = W | B, ['x'] = BAD};

/* What follows an opcode of one byte, sixteen opcodes to a line. */
static const char one_byte[256 + 1] = "mmmmbzxxmmmmbzxx"
                                      "mmmmbzxxmmmmbzxx"
                                      "mmmmbzxxmmmmbzxx"
                                      "mmmmbzxxmmmmbzxx"
                                      "xxxxxxxxxxxxxxxx"
                                      "----------------"
                                      "xxxmxxxxzZbB----"
                                      "bbbbbbbbbbbbbbbb"
                                      "BZxBmmmmmmmmmmmm"
                                      "----------x-----"
                                      "xxxx----bz------"
                                      "bbbbbbbbzzzzzzzz"
                                      "BBw-xxBZW-w--bx-"
                                      "mmmmxxx-mmmmmmmm"
                                      "bbbbbbbbddxb----"
                                      "x-xx--mm------mm";

/* What follows an opcode of two bytes, by the byte after 0f. */
static const char two_bytes[256 + 1] = "mmmmx-----x-xm-x"
                                       "mmmmmmmmmmmmmmmm"
                                       "mmmmxxxxmmmmmmmm"
                                       "------x-xxxxxxxx"
                                       "mmmmmmmmmmmmmmmm"
                                       "mmmmmmmmmmmmmmmm"
                                       "mmmmmmmmmmmmmmmm"
                                       "BBBBmmm-xmmmmmmm"
                                       "dddddddddddddddd"
                                       "mmmmmmmmmmmmmmmm"
                                       "---mBmxx---mBmmm"
                                       "mmmmmmmmmmBmmmmm"
                                       "mmBmBBBm--------"
                                       "mmmmmmmmmmmmmmmm"
                                       "mmmmmmmmmmmmmmmm"
                                       "mmmmmmmmmmmmmmmm";

/* One instruction being read. */
struct reader {
    const unsigned char *code;
    size_t size, at;
    bool is_short; /* after the prefix 66 */
    bool is_long;  /* REX.W */
    bool bad;
};

static unsigned take(struct reader *in)
{
    if (in->at < in->size)
        return in->code[in->at++];
    in->bad = true;
    return 0;
}

static bool is_prefix(unsigned byte)
{
    switch (byte) {
    case 0x26:
    case 0x2e:
    case 0x36:
    case 0x3e:
    case 0x64:
    case 0x65:
    case 0x66:
    case 0x67:
    case 0xf0:
    case 0xf2:
    case 0xf3:
        return true;
    default:
        return false;
    }
}

/* Skips a ModRM byte, its SIB byte and displacement; returns the ModRM byte's middle field. */
static unsigned take_operand(struct reader *in)
{
    const unsigned modrm = take(in), mode = modrm >> 6;
    unsigned base = modrm & 7;
    if (mode == 3)
        return modrm >> 3 & 7;
    if (base == 4)
        base = take(in) & 7;
    if (mode == 1)
        in->at += 1;
    else if (mode == 2 || base == 5)
        in->at += 4;
    return modrm >> 3 & 7;
}

/* Skips the rest of an instruction with a VEX or EVEX prefix, whose first byte is FIRST. */
static void skip_vector(struct reader *in, unsigned first)
{
    unsigned map = 1;
    if (first != 0xc5)
        map = take(in) & (first == 0x62 ? 7 : 31);
    in->at += first == 0x62 ? 2 : 1;
    const unsigned opcode = take(in);
    if (map == 1 && opcode == 0x77)
        return;
    take_operand(in);
    if (map == 3 || (map == 1 && follows[(int)two_bytes[opcode]] & B))
        in->at++;
    in->bad = in->bad || map == 0 || map == 4;
}

/* The target of the jump that ends here: its last BYTES bytes are the distance. */
static uint32_t target_of(const struct reader *in, unsigned bytes)
{
    int32_t distance = 0;
    if (bytes == 1)
        distance = (int8_t)in->code[in->at - 1];
    else
        memcpy(&distance, in->code + in->at - 4, 4);
    const int64_t target = (int64_t)in->at + distance;
    return target >= 0 && target < (int64_t)in->size ? (uint32_t)target
                                                     : (uint32_t)INSTRUCTION_NOWHERE;
}

/* The callee of the call that ends here. */
static uint32_t callee_of(const struct reader *in)
{
    uint32_t distance;
    memcpy(&distance, in->code + in->at - 4, 4);
    return (uint32_t)in->at + distance;
}

/*
 * Skips WHAT follows an opcode; returns the middle field of its ModRM byte, 0 if it has none.
 */
static unsigned take_rest(struct reader *in, unsigned what)
{
    const unsigned field = what & M ? take_operand(in) : 0;
    in->at += (what & B ? 1u : 0) + (what & W ? 2u : 0) + (what & D ? 4u : 0);
    if (what & Z)
        in->at += in->is_short && !in->is_long ? 2 : 4;
    in->bad = in->bad || what & BAD || in->at > in->size;
    return field;
}

static void read_two_bytes(struct reader *in, struct instruction *read)
{
    const unsigned opcode = take(in);
    if (opcode == 0x38 || opcode == 0x3a) {
        take(in);
        take_rest(in, opcode == 0x3a ? M | B : M);
        return;
    }
    take_rest(in, follows[(int)two_bytes[opcode]]);
    if (opcode == 0x0b)
        read->way = WAY_END;
    if (opcode >> 4 == 8 && !in->bad) {
        read->way = WAY_BRANCH;
        read->target = target_of(in, 4);
    }
}

static void read_one_byte(struct reader *in, unsigned opcode, struct instruction *read)
{
    const unsigned field = take_rest(in, follows[(int)one_byte[opcode]]);
    /* XOP, which is as long as what it holds; and what begins or ends a transaction. */
    in->bad = in->bad || ((opcode == 0x8f || opcode == 0xc6 || opcode == 0xc7) && field != 0);
    if ((opcode == 0xf6 || opcode == 0xf7) && field < 2)
        take_rest(in, opcode == 0xf6 ? B : Z);
    if (opcode >= 0xb8 && opcode <= 0xbf && in->is_long)
        in->at += 4;
    in->bad = in->bad || in->at > in->size;
    if (in->bad)
        return;
    if (opcode >> 4 == 7 || (opcode >= 0xe0 && opcode <= 0xe3)) {
        read->way = WAY_BRANCH;
        read->target = target_of(in, 1);
    } else if (opcode == 0xe9 || opcode == 0xeb) {
        read->way = WAY_JUMP;
        read->target = target_of(in, opcode == 0xe9 ? 4 : 1);
    } else if (opcode == 0xc2 || opcode == 0xc3 || opcode == 0xca || opcode == 0xcb ||
               opcode == 0xcf || opcode == 0xf4 || opcode == 0xcc) {
        read->way = WAY_END;
    } else if (opcode == 0xe8) {
        read->callee = callee_of(in);
    } else if (opcode == 0xff && (field == 4 || field == 5)) {
        read->way = WAY_ANYWHERE;
    }
}

bool instruction_read(const unsigned char *code, size_t size, size_t at,
                      struct instruction *read)
{
    struct reader in = {.code = code, .size = size, .at = at};
    unsigned opcode = take(&in);
    for (; is_prefix(opcode); opcode = take(&in))
        in.is_short = in.is_short || opcode == 0x66;
    if (opcode >> 4 == 4) {
        in.is_long = opcode & 8;
        opcode = take(&in);
        in.bad = opcode == 0xc4 || opcode == 0xc5 || opcode == 0x62;
    }
    read->way = WAY_ON;
    read->target = read->callee = INSTRUCTION_NOWHERE;
    if (opcode == 0x0f)
        read_two_bytes(&in, read);
    else if (opcode == 0xc4 || opcode == 0xc5 || opcode == 0x62)
        skip_vector(&in, opcode);
    else
        read_one_byte(&in, opcode, read);
    read->length = (uint32_t)(in.at - at);
    return !in.bad && in.at <= in.size && read->length <= LENGTH_MOST;
}
