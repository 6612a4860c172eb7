/* See code.h. */
#include "code.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Where an instruction leads. */
enum way {
    WAY_NONE, /* not the first byte of one */
    WAY_ON,   /* to the next one */
    WAY_BRANCH,
    WAY_JUMP,
    WAY_END,
    WAY_ANYWHERE
};

enum {
    NOWHERE = UINT32_MAX,
    LOOPS_DEEPEST = 16,
    STEPS_MOST = 16000000 /* some 30 ms; a function of 64 KiB takes a few millions */
};

/* By byte of the function. */
struct byte {
    uint32_t target; /* of a jump */
    uint8_t way;     /* enum way */
    uint8_t length;
    uint8_t loop;      /* how deep in the loops around the call */
    bool is_entered;   /* some instruction leads here */
    bool is_used;      /* it can be reached from the function's first */
    bool is_reachable; /* from the call, within the loop */
    bool reaches;      /* the call, within the loop */
    bool is_cut;       /* no way back leads here any more */
};

struct function {
    const unsigned char *code;
    size_t size;
    struct byte *bytes;
    uint32_t *stack; /* of bytes to be looked at */
    uint64_t steps;  /* taken; beyond STEPS_MOST none leads anywhere */
};

/* Opcodes */

/* What follows an opcode. */
enum {
    M = 1,     /* ModRM, and what belongs to it */
    B = 2,     /* a byte */
    W = 4,     /* two bytes */
    Z = 8,     /* four bytes, or two after the prefix 66 */
    D = 16,    /* four bytes */
    BAD = 128, /* no instruction, or one that no compiler makes */
};

/* The same as the tables below have it. */
static unsigned follows(char letter)
{
    switch (letter) {
    case '-':
        return 0;
    case 'm':
        return M;
    case 'b':
        return B;
    case 'w':
        return W;
    case 'z':
        return Z;
    case 'd':
        return D;
    case 'B':
        return M | B;
    case 'Z':
        return M | Z;
    case 'W':
        return W | B;
    default:
        return BAD;
    }
}

/* By opcode, sixteen in a line. */
static const char one_byte[256 + 1] = "mmmmbzxxmmmmbzxx"
                                      "mmmmbzxxmmmmbzxx"
                                      "mmmmbzxxmmmmbzxx"
                                      "mmmmbzxxmmmmbzxx"
                                      "----------------"
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

/* After 0f. */
static const char two_bytes[256 + 1] = "mmmmx-----x-xm-x"
                                       "mmmmmmmmmmmmmmmm"
                                       "mmmmxxxxmmmmmmmm"
                                       "------x-xxxxxxxx"
                                       "mmmmmmmmmmmmmmmm"
                                       "mmmmmmmmmmmmmmmm"
                                       "mmmmmmmmmmmmmmmm"
                                       "BBBBmmm-mmmmmmmm"
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

/* Past what a ModRM byte stands for; returns its middle field. */
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

/* Past an instruction with a VEX or EVEX prefix, whose first byte is FIRST. */
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
    if (map == 3 || (map == 1 && follows(two_bytes[opcode]) & B))
        in->at++;
    in->bad = in->bad || map == 0 || map == 4;
}

/* Where the jump that ends here leads: its last bytes say how far. */
static uint32_t target_of(const struct reader *in, unsigned bytes)
{
    int32_t distance = 0;
    if (bytes == 1)
        distance = (int8_t)in->code[in->at - 1];
    else
        memcpy(&distance, in->code + in->at - 4, 4);
    const int64_t target = (int64_t)in->at + distance;
    return target >= 0 && target < (int64_t)in->size ? (uint32_t)target : (uint32_t)NOWHERE;
}

/* Past what follows an opcode of one of the tables. */
static unsigned take_rest(struct reader *in, unsigned what)
{
    const unsigned field = what & M ? take_operand(in) : 0;
    in->at += (what & B ? 1u : 0) + (what & W ? 2u : 0) + (what & D ? 4u : 0);
    if (what & Z)
        in->at += in->is_short && !in->is_long ? 2 : 4;
    in->bad = in->bad || what & BAD || in->at > in->size;
    return field;
}

static void read_two_bytes(struct reader *in, struct byte *byte)
{
    const unsigned opcode = take(in);
    if (opcode == 0x38 || opcode == 0x3a) {
        take(in);
        take_rest(in, opcode == 0x3a ? M | B : M);
        return;
    }
    take_rest(in, follows(two_bytes[opcode]));
    if (opcode == 0x0b)
        byte->way = WAY_END;
    if (opcode >> 4 == 8 && !in->bad) {
        byte->way = WAY_BRANCH;
        byte->target = target_of(in, 4);
    }
}

static void read_one_byte(struct reader *in, unsigned opcode, struct byte *byte)
{
    const unsigned field = take_rest(in, follows(one_byte[opcode]));
    if ((opcode == 0xf6 || opcode == 0xf7) && field < 2)
        take_rest(in, opcode == 0xf6 ? B : Z);
    if (opcode >= 0xb8 && opcode <= 0xbf && in->is_long)
        in->at += 4;
    in->bad = in->bad || in->at > in->size;
    if (in->bad)
        return;
    if (opcode >> 4 == 7 || (opcode >= 0xe0 && opcode <= 0xe3)) {
        byte->way = WAY_BRANCH;
        byte->target = target_of(in, 1);
    } else if (opcode == 0xe9 || opcode == 0xeb) {
        byte->way = WAY_JUMP;
        byte->target = target_of(in, opcode == 0xe9 ? 4 : 1);
    } else if (opcode == 0xc2 || opcode == 0xc3 || opcode == 0xca || opcode == 0xcb ||
               opcode == 0xcf || opcode == 0xf4 || opcode == 0xcc) {
        byte->way = WAY_END;
    } else if (opcode == 0xff && (field == 4 || field == 5)) {
        byte->way = WAY_ANYWHERE;
    }
}

/* Reads the instruction at byte AT; false if there is none. */
static bool read_instruction(struct function *function, size_t at)
{
    struct reader in = {.code = function->code, .size = function->size, .at = at};
    struct byte *byte = &function->bytes[at];
    unsigned opcode = take(&in);
    for (; is_prefix(opcode); opcode = take(&in))
        in.is_short = in.is_short || opcode == 0x66;
    if (opcode >> 4 == 4) {
        in.is_long = opcode & 8;
        opcode = take(&in);
    }
    byte->way = WAY_ON;
    byte->target = NOWHERE;
    if (opcode == 0x0f)
        read_two_bytes(&in, byte);
    else if (opcode == 0xc4 || opcode == 0xc5 || opcode == 0x62)
        skip_vector(&in, opcode);
    else
        read_one_byte(&in, opcode, byte);
    byte->length = (uint8_t)(in.at - at);
    return !in.bad && in.at <= in.size && in.at - at <= 15;
}

/* Ways */

static bool goes_on(const struct byte *byte)
{
    return byte->way == WAY_ON || byte->way == WAY_BRANCH;
}

static bool read_all(struct function *function)
{
    struct byte *bytes = function->bytes;
    for (size_t at = 0; at < function->size; at += bytes[at].length)
        if (!read_instruction(function, at))
            return false;
    for (size_t at = 0; at < function->size; at += bytes[at].length) {
        const struct byte *byte = &bytes[at];
        /* Into the middle of an instruction: what was read is not what runs. */
        if (byte->target != NOWHERE && bytes[byte->target].way == WAY_NONE)
            return false;
        if (byte->target != NOWHERE)
            bytes[byte->target].is_entered = true;
        if (goes_on(byte) && at + byte->length < function->size)
            bytes[at + byte->length].is_entered = true;
    }
    bytes[0].is_entered = true;
    return true;
}

/*
 * Calls VISIT for all instructions that may follow the one at AT, until it says true; then that
 * is the answer.
 */
typedef bool visitor(struct function *function, uint32_t to, void *context);

static bool each_next(struct function *function, uint32_t at, visitor *visit, void *context)
{
    const struct byte *byte = &function->bytes[at];
    if (++function->steps > STEPS_MOST)
        return false;
    if (byte->target != NOWHERE && visit(function, byte->target, context))
        return true;
    if (goes_on(byte) && at + byte->length < function->size)
        return visit(function, at + byte->length, context);
    for (uint32_t to = 0; byte->way == WAY_ANYWHERE && to < function->size;
         to += function->bytes[to].length) {
        function->steps++;
        if (!function->bytes[to].is_entered && visit(function, to, context))
            return true;
    }
    return false;
}

/* The part of the function that is looked at: instructions this deep in loops. */
struct part {
    uint8_t loop;
    uint32_t count; /* on the stack */
};

static bool is_way(const struct function *function, uint32_t to, const struct part *part)
{
    return function->bytes[to].loop == part->loop && !function->bytes[to].is_cut;
}

static bool reach(struct function *function, uint32_t to, void *context)
{
    struct part *part = context;
    struct byte *byte = &function->bytes[to];
    if (is_way(function, to, part) && !byte->is_reachable) {
        byte->is_reachable = true;
        function->stack[part->count++] = to;
    }
    return false;
}

static bool leads_back(struct function *function, uint32_t to, void *context)
{
    return is_way(function, to, context) && function->bytes[to].reaches;
}

static bool leads_into(struct function *function, uint32_t to, void *context)
{
    const struct part *part = context;
    if (function->bytes[to].loop == part->loop)
        function->stack[part->count] =
            function->stack[part->count] < to ? function->stack[part->count] : to;
    return false;
}

/* Finds what can be reached from the instruction at AT. */
static void reach_all(struct function *function, uint32_t at, struct part *part)
{
    for (uint32_t i = 0; i < function->size; i++)
        function->bytes[i].is_reachable = false;
    each_next(function, at, reach, part);
    while (part->count > 0)
        each_next(function, function->stack[--part->count], reach, part);
}

/* Fillers between instructions are never used, but lead to them. */
static void find_used(struct function *function)
{
    struct part part = {.loop = 0};
    reach_all(function, 0, &part);
    for (uint32_t i = 0; i < function->size; i++)
        function->bytes[i].is_used = i == 0 || function->bytes[i].is_reachable;
}

/* Finds what is on a way from the instruction at AT to itself; false if there is none. */
static bool find_loop(struct function *function, uint32_t at, uint8_t depth)
{
    struct byte *bytes = function->bytes;
    struct part part = {.loop = depth};
    bool changed = true;
    for (uint32_t i = 0; i < function->size; i++)
        bytes[i].reaches = false;
    reach_all(function, at, &part);
    if (!bytes[at].is_reachable)
        return false;
    bytes[at].reaches = true;
    while (changed) {
        changed = false;
        function->steps += function->size;
        for (uint32_t i = (uint32_t)function->size; i-- > 0;) {
            if (!bytes[i].is_reachable || bytes[i].reaches)
                continue;
            bytes[i].reaches = each_next(function, i, leads_back, &part);
            changed = changed || bytes[i].reaches;
        }
    }
    for (uint32_t i = 0; i < function->size; i++)
        if (bytes[i].is_reachable && bytes[i].reaches)
            bytes[i].loop = (uint8_t)(depth + 1);
    return true;
}

/* Where the loop that has just been found is entered: first, if in several places. */
static uint32_t find_entry(struct function *function, uint8_t loop)
{
    const struct byte *bytes = function->bytes;
    struct part part = {.loop = loop};
    function->stack[0] = bytes[0].loop == loop ? 0 : (uint32_t)NOWHERE;
    for (uint32_t i = 0; i < function->size; i += bytes[i].length)
        if (bytes[i].loop != loop && bytes[i].is_used)
            each_next(function, i, leads_into, &part);
    return function->stack[0];
}

size_t code_memory(size_t bytes)
{
    return bytes * (sizeof(struct byte) + sizeof(uint32_t));
}

int code_loops_around(const unsigned char *code, size_t bytes, size_t at, size_t *around,
                      unsigned most, void *memory)
{
    struct function function = {.code = code,
                                .size = bytes,
                                .bytes = memory,
                                .stack = (uint32_t *)((struct byte *)memory + bytes)};
    size_t entries[LOOPS_DEEPEST];
    unsigned count = 0;
    if (bytes > CODE_BYTES_MOST || at >= bytes)
        return -1;
    memset(memory, 0, code_memory(bytes));
    if (!read_all(&function))
        return -1;
    while (function.bytes[at].way == WAY_NONE)
        at--;
    find_used(&function);
    if (!function.bytes[at].is_used)
        return -1;
    while (count < LOOPS_DEEPEST && find_loop(&function, (uint32_t)at, (uint8_t)count)) {
        const uint32_t entry = find_entry(&function, (uint8_t)(count + 1));
        if (entry == NOWHERE)
            break;
        function.bytes[entry].is_cut = true;
        entries[count++] = entry;
    }
    if (function.steps > STEPS_MOST)
        return -1;
    most = most < count ? most : count;
    for (unsigned i = 0; i < most; i++)
        around[i] = entries[count - 1 - i];
    return (int)most;
}
