/* See effect.h. */
#include "arch/x86_64/effect.h"

#include <string.h>

/* What an opcode does with its operands. */
enum {
    RM = 1,     /* writes what the ModRM byte names, */
    R = 2,      /* its register, */
    A = 4,      /* rax, */
    D = 8,      /* rdx, */
    C = 16,     /* rcx, */
    B = 32,     /* rbx, */
    STRING = 64 /* rsi and rdi */
};

/* Lower than anything in a frame, as an offset that can still be added to. */
enum { FRAME_LOWEST = -(1 << 30) };

/* An instruction being read. */
struct decoding {
    const unsigned char *at;
    struct effect *effect;
    unsigned rex;
    uint32_t bytes; /* of operands; of those of one byte: more */
    bool is_short;  /* operands of 16 bits */
    bool is_far;    /* memory of a segment */
    uint8_t reg;    /* the register of its ModRM byte */
    struct effect_place rm;
    struct effect_place address; /* of memory: register + offset, if it is no more than that */
    struct effect_place array;   /* memory of the frame that an index leads to, if it does */
};

static uint32_t take_number(struct decoding *in, unsigned bytes)
{
    int32_t number = 0;
    if (bytes == 1)
        number = (int8_t)*in->at;
    else
        memcpy(&number, in->at, 4);
    in->at += bytes;
    return (uint32_t)number;
}

static struct effect_place register_place(unsigned number)
{
    return (struct effect_place){.kind = PLACE_REGISTER, .number = (uint8_t)number};
}

/* What memory at NUMBER, a register, + OFFSET is. */
static struct effect_place memory_place(const struct decoding *in, unsigned number,
                                        int32_t offset)
{
    const bool near = !in->is_far && (number == EFFECT_SP || number == EFFECT_FP);
    return (struct effect_place){.kind = !near                 ? PLACE_ELSEWHERE
                                         : number == EFFECT_SP ? PLACE_BY_SP
                                                               : PLACE_BY_FP,
                                 .offset = offset};
}

/*
 * The value of register NUMBER goes somewhere else.  If it leads into the frame, so does what
 * it is added to: from there on any of the frame may be changed.
 */
static void note_copied(struct decoding *in, unsigned number)
{
    if (number == EFFECT_SP)
        in->effect->taken = (struct effect_place){.kind = PLACE_BY_SP};
    else if (number == EFFECT_FP && in->effect->taken.kind != PLACE_BY_SP)
        in->effect->taken = (struct effect_place){.kind = PLACE_BY_FP, .offset = FRAME_LOWEST};
}

static void note_place_copied(struct decoding *in, struct effect_place place)
{
    if (place.kind == PLACE_REGISTER)
        note_copied(in, place.number);
}

/* What BASE and INDEX, which may be no base or no index, lead to together. */
static struct effect_place array_place(const struct decoding *in, bool based, unsigned base,
                                       unsigned index)
{
    if (!in->is_far && based && base == EFFECT_SP)
        return (struct effect_place){.kind = PLACE_BY_SP};
    if (!in->is_far && ((based && base == EFFECT_FP) || index == EFFECT_FP))
        return (struct effect_place){.kind = PLACE_BY_FP, .offset = FRAME_LOWEST};
    return (struct effect_place){.kind = PLACE_ELSEWHERE};
}

/* Takes a ModRM byte, its SIB byte and displacement. */
static void take_operands(struct decoding *in)
{
    enum { NO_INDEX = 4, NO_BASE = 5 };
    const unsigned modrm = *in->at++, mode = modrm >> 6;
    unsigned base = (modrm & 7) | (in->rex & 1) << 3;
    unsigned index = NO_INDEX;
    bool based = true;
    in->reg = (uint8_t)((modrm >> 3 & 7) | (in->rex & 4) << 1);
    in->address = in->array = (struct effect_place){.kind = PLACE_ELSEWHERE};
    if (mode == 3) {
        in->rm = register_place(base);
        return;
    }
    if ((modrm & 7) == 4) {
        const unsigned sib = *in->at++;
        base = (sib & 7) | (in->rex & 1) << 3;
        index = (sib >> 3 & 7) | (in->rex & 2) << 2;
        based = mode != 0 || (sib & 7) != NO_BASE;
    } else {
        based = mode != 0 || (modrm & 7) != NO_BASE;
    }
    uint32_t offset = 0;
    if (mode != 0 || !based)
        offset = take_number(in, mode == 1 ? 1 : 4);
    in->rm = (struct effect_place){.kind = PLACE_ELSEWHERE};
    if (index != NO_INDEX)
        in->array = array_place(in, based, base, index);
    if (!based || index != NO_INDEX)
        return;
    in->rm = memory_place(in, base, (int32_t)offset);
    in->address = (struct effect_place){
        .kind = PLACE_REGISTER, .number = (uint8_t)base, .offset = (int32_t)offset};
}

static void write_register(struct decoding *in, unsigned number)
{
    if (number == EFFECT_SP)
        in->effect->kind = EFFECT_ANY;
    in->effect->written |= UINT32_C(1) << number;
}

/* A register of eight bits; the old ones are the second bytes of the first four. */
static uint8_t byte_register(const struct decoding *in, unsigned number)
{
    return (uint8_t)(in->rex == 0 && number >= 4 && number < 8 ? number - 4 : number);
}

/* The operands are bytes. */
static void narrow(struct decoding *in)
{
    in->reg = byte_register(in, in->reg);
    if (in->rm.kind == PLACE_REGISTER)
        in->rm.number = byte_register(in, in->rm.number);
}

/* BYTES are written into PLACE, in a way that is not followed. */
static void write_place(struct decoding *in, struct effect_place place, uint32_t bytes)
{
    if (place.kind == PLACE_REGISTER) {
        write_register(in, place.number);
    } else if (place.kind == PLACE_ELSEWHERE) {
        /* Of an array in the frame: any of it may be meant. */
        if (in->array.kind != PLACE_ELSEWHERE)
            in->effect->taken = in->array;
    } else {
        in->effect->stored = place;
        in->effect->stored_bytes = bytes;
    }
}

static void write_what(struct decoding *in, unsigned what)
{
    enum { RAX, RCX, RDX, RBX, RSI = 6, RDI = 7 };
    if (what & RM)
        write_place(in, in->rm, in->bytes);
    if (what & R)
        write_register(in, in->reg);
    in->effect->written |= (what & A ? 1u << RAX : 0) | (what & C ? 1u << RCX : 0) |
                           (what & D ? 1u << RDX : 0) | (what & B ? 1u << RBX : 0) |
                           (what & STRING ? 1u << RSI | 1u << RDI : 0);
}

static bool is_same(struct effect_place a, struct effect_place b)
{
    return a.kind == b.kind && a.number == b.number && a.offset == b.offset;
}

/* TO becomes FROM + NUMBER, if that is followed; of the frame's memory only whole words are. */
static void add(struct decoding *in, struct effect_place to, struct effect_place from,
                uint32_t number)
{
    if (to.kind == PLACE_REGISTER && to.number == EFFECT_SP) {
        if (from.kind == PLACE_REGISTER && from.number == EFFECT_SP)
            in->effect->moved = (int32_t)number;
        else
            in->effect->kind = EFFECT_ANY;
        return;
    }
    write_place(in, to, in->bytes);
    /* The stack pointer is an address, unless it becomes the frame pointer. */
    if (!(to.kind == PLACE_REGISTER && to.number == EFFECT_FP) && !is_same(to, from))
        note_place_copied(in, from);
    if (in->is_short || from.kind == PLACE_ELSEWHERE || to.kind == PLACE_ELSEWHERE)
        return;
    in->effect->kind = EFFECT_ADD;
    in->effect->to = to;
    in->effect->from = from;
    in->effect->number = number;
}

static void set(struct decoding *in, struct effect_place to, uint32_t number)
{
    write_place(in, to, in->bytes);
    if (in->is_short || to.kind == PLACE_ELSEWHERE || in->effect->kind == EFFECT_ANY)
        return;
    in->effect->kind = EFFECT_SET;
    in->effect->to = to;
    in->effect->number = number;
}

static void push(struct decoding *in)
{
    if (in->is_short) {
        in->effect->kind = EFFECT_ANY;
        return;
    }
    in->effect->stored = (struct effect_place){.kind = PLACE_BY_SP, .offset = -8};
    in->effect->stored_bytes = 8;
    in->effect->moved = -8;
}

/* What the ModRM byte names is changed by its register, or the other way round. */
static void combine(struct decoding *in, bool into_rm)
{
    if (into_rm)
        note_copied(in, in->reg);
    else
        note_place_copied(in, in->rm);
    write_what(in, into_rm ? RM : R);
}

/* add, or, adc, sbb, and, sub, xor, cmp: the first 64 opcodes, eight each. */
static void read_arithmetic(struct decoding *in, unsigned opcode)
{
    enum { ADD = 0, SUB = 5, XOR = 6, CMP = 7 };
    const unsigned what = opcode >> 3, form = opcode & 7;
    const struct effect_place rax = register_place(0);
    if (form < 4)
        take_operands(in);
    if (form < 4 && !(form & 1))
        narrow(in);
    if (what == CMP)
        return;
    if (form >= 4) {
        if (form == 5 && !in->is_short && (what == ADD || what == SUB)) {
            const uint32_t number = take_number(in, 4);
            add(in, rax, rax, what == ADD ? number : -number);
        } else {
            write_what(in, A);
        }
        return;
    }
    if ((what == XOR || what == SUB) && form & 1 && in->rm.kind == PLACE_REGISTER &&
        in->rm.number == in->reg)
        set(in, in->rm, 0);
    else
        combine(in, form < 2);
}

/* The same with a number: 80, 81, 83. */
static void read_arithmetic_with(struct decoding *in, unsigned opcode)
{
    enum { ADD = 0, SUB = 5, CMP = 7 };
    take_operands(in);
    const unsigned what = in->reg & 7;
    if (opcode == 0x80)
        narrow(in);
    if (what == CMP)
        return;
    if (opcode != 0x80 && !in->is_short && (what == ADD || what == SUB)) {
        const uint32_t number = take_number(in, opcode == 0x83 ? 1 : 4);
        add(in, in->rm, in->rm, what == ADD ? number : -number);
    } else {
        write_what(in, RM);
    }
}

static void read_address(struct decoding *in)
{
    const struct effect_place to = register_place(in->reg);
    const struct effect_place from = in->address;
    if (from.kind != PLACE_REGISTER || in->is_far) {
        note_place_copied(in, from);
        if (in->array.kind != PLACE_ELSEWHERE)
            in->effect->taken = in->array;
        write_register(in, to.number);
        return;
    }
    if (from.number == EFFECT_SP && to.number != EFFECT_SP)
        write_register(in, to.number);
    else
        add(in, to, register_place(from.number), (uint32_t)from.offset);
    if (to.number != EFFECT_SP)
        in->effect->taken = in->rm;
}

/* inc, dec, call, jmp, push. */
static void read_ff(struct decoding *in)
{
    enum { INC, DEC, CALL, FAR_CALL, PUSH = 6, NOTHING };
    take_operands(in);
    const unsigned what = in->reg & 7;
    if (what == INC || what == DEC)
        add(in, in->rm, in->rm, what == INC ? 1 : UINT32_MAX);
    else if (what == CALL)
        in->effect->kind = EFFECT_CALL;
    else if (what == FAR_CALL || what == NOTHING)
        in->effect->kind = EFFECT_ANY;
    if (what != PUSH)
        return;
    note_place_copied(in, in->rm);
    push(in);
}

/* Moves, and what else may be followed; false: it is none of these. */
static bool read_followed(struct decoding *in, unsigned opcode)
{
    const unsigned low = (opcode & 7) | (in->rex & 1) << 3;
    switch (opcode) {
    case 0x50 ... 0x57:
        /* The frame pointer that is pushed is the caller's. */
        if (low == EFFECT_SP)
            note_copied(in, low);
        push(in);
        break;
    case 0x68:
    case 0x6a:
        push(in);
        break;
    case 0x58 ... 0x5f:
        write_register(in, low);
        in->effect->moved = 8;
        if (in->is_short)
            in->effect->kind = EFFECT_ANY;
        break;
    case 0x63:
    case 0x8b:
        take_operands(in);
        add(in, register_place(in->reg), in->rm, 0);
        break;
    case 0x80:
    case 0x81:
    case 0x83:
        read_arithmetic_with(in, opcode);
        break;
    case 0x89:
        take_operands(in);
        add(in, in->rm, register_place(in->reg), 0);
        break;
    case 0x8d:
        take_operands(in);
        read_address(in);
        break;
    case 0xb8 ... 0xbf:
        set(in, register_place(low), in->is_short ? 0 : take_number(in, 4));
        break;
    case 0xc7:
        take_operands(in);
        set(in, in->rm, in->is_short ? 0 : take_number(in, 4));
        break;
    case 0xe8:
        in->effect->kind = EFFECT_CALL;
        break;
    case 0xff:
        read_ff(in);
        break;
    default:
        return false;
    }
    return true;
}

static void read_one_byte(struct decoding *in, unsigned opcode)
{
    unsigned form;
    if (opcode < 0x40) {
        read_arithmetic(in, opcode);
        return;
    }
    if (read_followed(in, opcode))
        return;
    switch (opcode) {
    case 0x69:
    case 0x6b:
        take_operands(in);
        write_what(in, R);
        break;
    case 0x8a:
        take_operands(in);
        narrow(in);
        write_what(in, R);
        break;
    case 0x86:
    case 0x87:
        take_operands(in);
        if (opcode == 0x86)
            narrow(in);
        else
            note_copied(in, in->reg);
        write_what(in, RM | R);
        break;
    case 0xc1:
    case 0xd1:
    case 0xd3:
        take_operands(in);
        write_what(in, RM);
        break;
    case 0x88:
    case 0xc0:
    case 0xc6:
    case 0xd0:
    case 0xd2:
    case 0xfe:
        take_operands(in);
        narrow(in);
        write_what(in, RM);
        break;
    case 0xf6:
    case 0xf7:
        take_operands(in);
        form = in->reg & 7;
        if (opcode == 0xf6)
            narrow(in);
        write_what(in, form < 2 ? 0 : form < 4 ? RM : A | D);
        break;
    case 0x91 ... 0x97:
        note_copied(in, (opcode & 7) | (in->rex & 1) << 3);
        write_register(in, (opcode & 7) | (in->rex & 1) << 3);
        write_what(in, A);
        break;
    case 0x90:
        if (in->rex & 1)
            in->effect->kind = EFFECT_ANY;
        break;
    case 0x98:
    case 0x9f:
        write_what(in, A);
        break;
    case 0x99:
        write_what(in, D);
        break;
    case 0xa4 ... 0xa7:
    case 0xaa ... 0xaf:
        write_what(in, A | C | STRING);
        break;
    case 0xb0 ... 0xb7:
        write_register(in, byte_register(in, (opcode & 7) | (in->rex & 1) << 3));
        break;
    case 0xd8 ... 0xde:
    case 0xdf:
        if (*in->at >= 0xc0) {
            write_what(in, opcode == 0xdf ? A : 0);
            break;
        }
        take_operands(in);
        write_place(in, in->rm, 128);
        break;
    case 0xe0 ... 0xe2:
        write_what(in, C);
        break;
    case 0x70 ... 0x7f:
    case 0x84:
    case 0x85:
    case 0x9b:
    case 0x9e:
    case 0xa8:
    case 0xa9:
    case 0xc2:
    case 0xc3:
    case 0xcc:
    case 0xe3:
    case 0xe9:
    case 0xeb:
    case 0xf4:
    case 0xf5:
    case 0xf8 ... 0xf9:
    case 0xfc ... 0xfd:
        break;
    default:
        in->effect->kind = EFFECT_ANY;
    }
}

/* What an opcode after 0f writes, other than vector registers. */
static unsigned written_by(unsigned opcode)
{
    switch (opcode) {
    case 0x05:
        return A | C;
    case 0x31:
        return A | D;
    case 0x2c:
    case 0x2d:
    case 0x40 ... 0x50:
    case 0x78: /* in EVEX: a conversion to a number */
    case 0x79:
    case 0x93: /* in VEX: from a mask */
    case 0xaf:
    case 0xb2:
    case 0xb4 ... 0xb8:
    case 0xbc ... 0xbf:
    case 0xc5:
    case 0xd7:
        return R;
    case 0x7e:
    case 0xa4:
    case 0xa5:
    case 0xab ... 0xad:
    case 0xb3:
    case 0xba:
    case 0xbb:
    case 0xc3:
        return RM;
    case 0xb0:
    case 0xb1:
        return RM | A;
    case 0xc0:
    case 0xc1:
        return RM | R;
    case 0xc7:
        return RM | A | D;
    default:
        return 0;
    }
}

static bool stores_vector(unsigned opcode)
{
    return opcode == 0x1b || opcode == 0x11 || opcode == 0x13 || opcode == 0x17 ||
           opcode == 0x29 || opcode == 0x2b || opcode == 0x7e || opcode == 0x7f ||
           opcode == 0xd6 || opcode == 0xe7 || opcode == 0x91;
}

static void write_vector(struct decoding *in, uint32_t bytes)
{
    if (in->rm.kind != PLACE_REGISTER)
        write_place(in, in->rm, bytes);
}

static bool is_near(const struct decoding *in)
{
    return in->rm.kind == PLACE_BY_SP || in->rm.kind == PLACE_BY_FP;
}

/* System instructions that programs use: rdtscp, xgetbv. */
static void read_system(struct decoding *in)
{
    if (*in->at == 0xf9)
        write_what(in, A | C | D);
    else if (*in->at == 0xd0)
        write_what(in, A | D);
    else
        in->effect->kind = EFFECT_ANY;
}

/* Those that write what the ModRM byte names in some forms only. */
static void read_group(struct decoding *in, unsigned opcode)
{
    const unsigned form = in->reg & 7;
    const bool in_register = in->rm.kind == PLACE_REGISTER;
    switch (opcode) {
    case 0x1e: /* rdsspd, rdsspq; else nothing */
        if (in_register && form == 1)
            write_what(in, RM);
        break;
    case 0xab: /* bts, btr, btc with the bit in a register, which may be any behind memory */
    case 0xb3:
    case 0xbb:
        if (is_near(in))
            in->effect->kind = EFFECT_ANY;
        break;
    case 0xae: /* rdfsbase, rdgsbase; fences; or the processor's state is saved */
        if (in_register && form < 2)
            write_what(in, RM);
        write_vector(in, 1 << 14);
        break;
    case 0xc7: /* cmpxchg8b, cmpxchg16b; rdrand and the like; or the processor's state */
        write_vector(in, form == 1 ? 16 : 1 << 14);
        break;
    default:
        break;
    }
}

/* Whether an opcode after 0f has operands of one byte. */
static bool is_of_bytes(unsigned opcode)
{
    return opcode >> 4 == 9 || opcode == 0xb0 || opcode == 0xc0;
}

/* Whether it takes a number over from what the ModRM byte names, or from its register. */
static bool copies_rm(unsigned opcode)
{
    return (opcode >= 0x40 && opcode < 0x50) || opcode == 0x6e;
}

static bool copies_register(unsigned opcode)
{
    return opcode == 0xb1 || opcode == 0xc1 || opcode == 0xc3;
}

static void read_two_bytes(struct decoding *in)
{
    const unsigned opcode = *in->at++;
    if (opcode == 0x38 || opcode == 0x3a) {
        const unsigned third = *in->at++;
        take_operands(in);
        if (opcode == 0x3a && third == 0x22)
            note_place_copied(in, in->rm);
        if (opcode == 0x38 && third >= 0xf0) {
            note_copied(in, in->reg);
            write_what(in, RM | R);
            write_vector(in, 64);
        } else if (opcode == 0x3a && (third < 0x20 || third >= 0x60)) {
            write_what(in, RM | R | C);
        }
        return;
    }
    if (opcode == 0x05 || opcode == 0x31 || opcode == 0x0b || opcode >> 4 == 8) {
        write_what(in, written_by(opcode));
        if (opcode == 0x05)
            in->effect->written |= 1u << 11;
        return;
    }
    if (opcode == 0x01) {
        read_system(in);
        return;
    }
    if (opcode == 0xa2) {
        write_what(in, A | B | C | D);
        return;
    }
    if (opcode >= 0xc8 && opcode <= 0xcf) {
        write_register(in, (opcode & 7) | (in->rex & 1) << 3);
        return;
    }
    if (opcode < 0x10
            ? opcode != 0x0d
            : (opcode >= 0x20 && opcode < 0x28) || (opcode >= 0x30 && opcode < 0x40) ||
                  opcode == 0x78 || (opcode >= 0xa0 && opcode <= 0xa2) ||
                  (opcode >= 0xa8 && opcode <= 0xaa)) {
        in->effect->kind = EFFECT_ANY;
        return;
    }
    if (opcode == 0x77)
        return;
    take_operands(in);
    if (is_of_bytes(opcode))
        narrow(in);
    if (copies_rm(opcode))
        note_place_copied(in, in->rm);
    if (copies_register(opcode))
        note_copied(in, in->reg);
    write_what(in, opcode >> 4 == 9 ? RM : written_by(opcode));
    if (stores_vector(opcode))
        write_vector(in, 16);
    read_group(in, opcode);
}

/* An instruction with a VEX or EVEX prefix, whose first byte is FIRST. */
static void read_vector(struct decoding *in, unsigned first)
{
    const unsigned char *prefix = in->at;
    const unsigned bits = ~prefix[0], map = first == 0xc5 ? 1 : prefix[0] & 7;
    const unsigned vvvv = ~prefix[first != 0xc5] >> 3 & 15;
    in->rex = (bits >> 5 & 4) | (first != 0xc5 ? (bits >> 5 & 2) | (bits >> 5 & 1) : 0);
    in->at += first == 0x62 ? 3 : first == 0xc4 ? 2 : 1;
    const unsigned opcode = *in->at++;
    if (map == 1 && opcode == 0x77)
        return;
    take_operands(in);
    if (map == 1)
        write_what(in, written_by(opcode));
    else if (map == 2 ? opcode >= 0xe0 : map != 3 || opcode >= 0xf0 || opcode < 0x20)
        write_what(in, RM | R);
    else if (map == 3 && opcode >= 0x60 && opcode <= 0x63)
        write_what(in, C);
    if (map == 2 && opcode >= 0xe0)
        write_register(in, vvvv);
    if ((map == 1 && opcode == 0x6e) || (map == 2 && opcode == 0x7c) ||
        (map == 3 && opcode == 0x22))
        note_place_copied(in, in->rm);
    if (map == 1 && !stores_vector(opcode) && opcode != 0xae)
        return;
    /* In EVEX offsets count vectors; and how much a tile's store writes is in a register. */
    if (is_near(in) && (first == 0x62 || (map == 2 && (opcode == 0x49 || opcode == 0x4b))))
        in->effect->kind = EFFECT_ANY;
    write_vector(in, 32);
}

static bool take_prefix(struct decoding *in, unsigned byte)
{
    switch (byte) {
    case 0x66:
        in->is_short = true;
        return true;
    case 0x64:
    case 0x65:
    case 0x67:
        in->is_far = true;
        return true;
    case 0x26:
    case 0x2e:
    case 0x36:
    case 0x3e:
    case 0xf0:
    case 0xf2:
    case 0xf3:
        return true;
    default:
        return false;
    }
}

void effect_read(const unsigned char *code, struct effect *effect)
{
    struct decoding in = {.at = code, .effect = effect};
    *effect = (struct effect){.kind = EFFECT_OTHER};
    unsigned opcode = *in.at++;
    for (; take_prefix(&in, opcode); opcode = *in.at++)
        continue;
    if (opcode >> 4 == 4) {
        in.rex = opcode;
        in.is_short = in.is_short && !(opcode & 8);
        opcode = *in.at++;
    }
    in.bytes = in.rex & 8 ? 8 : in.is_short ? 2 : 4;
    if (opcode == 0x0f)
        read_two_bytes(&in);
    else if (opcode == 0xc4 || opcode == 0xc5 || opcode == 0x62)
        read_vector(&in, opcode);
    else
        read_one_byte(&in, opcode);
}
