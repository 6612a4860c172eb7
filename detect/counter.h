/*
 * Counters of loops in machine code (code.h): numbers in registers or in the function's frame
 * that grow or shrink by the same step in every pass.  At a call in the loop such a number
 * tells which pass it is, even if the passes in between have made no calls.
 *
 * A counter is proved, not guessed: it is a place that holds, whenever the loop's entry is
 * reached again, what it held before plus the step, whatever way was taken.  It may move from
 * place to place meanwhile.  Memory of the frame whose address the function takes is left
 * alone, since others may write there.
 *
 * No globals, no memory but what the caller gives, no input or output; reads nothing but CODE.
 */
#ifndef TSPROF_COUNTER_H
#define TSPROF_COUNTER_H

#include "arch/arch.h"
#include "detect/code.h"

/* A function that has been read. */
struct code_function {
    const unsigned char *code;
    size_t bytes;
    const struct code_block *blocks;
    uint32_t count;
};

/* Where a call of the loop finds its counter, and what it means there. */
struct code_counter {
    /*
     * A register that calls keep, or memory at an offset from the stack pointer or the frame
     * pointer at the call; PLACE_ELSEWHERE: there is none.
     */
    struct effect_place place;
    uint32_t ahead; /* how much is to be subtracted to get what it was at the loop's entry */
    uint32_t step;  /* that grows by so much in a pass, modulo 2^32; not 0 */
    bool starts;    /* in the first pass it is `first` there, in each run of the loop */
    uint32_t first;
    struct effect_place
        origin; /* where it is at the loop's entry; the stack pointer is as there */
};

/* Working memory, most of it never touched. */
struct counter_memory;
size_t counter_memory_bytes(void);

/* Touches what small functions take of MEMORY, which is zero; see code_memory_touch. */
void counter_memory_touch(struct counter_memory *memory);

/* What all answers have taken that were found in MEMORY: see code_steps. */
uint64_t counter_steps(const struct counter_memory *memory);

/*
 * Finds a counter of the loop that is entered at byte ENTRY for the call at byte AT in it: the
 * one that KNOWN was found for at another call, unless that is NULL, since different counters
 * of a loop cannot be compared.  Functions of very many blocks have none.  MEMORY has
 * counter_memory_bytes, aligned for any type, with any content.
 */
struct code_counter counter_find(const struct code_function *function, uint32_t entry,
                                 uint32_t at, const struct code_counter *known,
                                 struct counter_memory *memory);

/*
 * The same in pieces: begins to look for it.  FUNCTION's code and blocks, and MEMORY, are in
 * use until the end, and no other counter can be looked for in MEMORY meanwhile.
 */
void counter_begin(const struct code_function *function, uint32_t entry, uint32_t at,
                   const struct code_counter *known, struct counter_memory *memory);

/*
 * Goes on with that for so many STEPS, and a few hundred more at most, of some 10 instructions
 * each: counter_steps counts less.  Returns whether that was the end; then FOUND gets what
 * counter_find returns.
 */
bool counter_go_on(struct counter_memory *memory, uint64_t steps, struct code_counter *found);

#endif
