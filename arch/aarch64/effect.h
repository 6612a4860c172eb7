/*
 * Machine code (A64), instruction by instruction: what each changes in registers and in the
 * function's own frame, as far as following a counter takes.  What is not understood counts as
 * changing anything, and of A64 nothing is: no pass of a loop is told by the program's counter.
 *
 * Memory that is not addressed by the stack pointer or the frame pointer plus a constant counts
 * as lying elsewhere.
 *
 * No globals, no input or output.
 */
#ifndef TSPROF_ARCH_EFFECT_H
#define TSPROF_ARCH_EFFECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* General registers: none is followed. */
enum effect_register { EFFECT_REGISTERS = 16, EFFECT_FP = 13, EFFECT_SP = 15 };

/* The registers that a call leaves as they are, a set. */
enum { EFFECT_KEPT = 1 << EFFECT_FP };

enum effect_place_kind { PLACE_ELSEWHERE, PLACE_REGISTER, PLACE_BY_SP, PLACE_BY_FP };

/* A register, or memory at an offset from one in bytes. */
struct effect_place {
    int32_t offset;
    uint8_t kind; /* enum effect_place_kind */
    uint8_t number;
};

enum effect_kind {
    EFFECT_OTHER, /* what the other members say */
    EFFECT_ADD,   /* `to` becomes `from` + `number` */
    EFFECT_SET,   /* `to` becomes `number` */
    EFFECT_CALL,  /* a function is called, and returns */
    EFFECT_ANY    /* nothing is known any more */
};

struct effect {
    enum effect_kind kind;
    struct effect_place to, from;
    uint32_t number;
    uint32_t written; /* registers that get another value, a set */
    struct effect_place stored;
    uint32_t stored_bytes;     /* so many are written at `stored` */
    int32_t moved;             /* then the stack pointer moves by so many */
    struct effect_place taken; /* memory whose address is taken */
};

/* Reads what the instruction at CODE does, which instruction_read has found valid. */
void effect_read(const unsigned char *code, struct effect *effect);

#endif
