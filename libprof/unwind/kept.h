/*
 * What the functions of the last walk have in the registers that calls keep, and in their
 * frames: each function in between may have saved registers on the stack, as its call-frame
 * information tells.
 *
 * For the thread that made the walk, in program context, as long as the call lasts from which
 * it was made.
 */
#ifndef TSPROF_KEPT_H
#define TSPROF_KEPT_H

#include "arch/arch.h"
#include "unwind/walker.h"

#include <stdbool.h>
#include <stdint.h>

enum { KEPT_RULES = 256 };

/* Where a function that was called from elsewhere has saved registers, at one address. */
struct kept_rule {
    uintptr_t pc;             /* 0: this place is free */
    int32_t cfa_offset;       /* from the stack pointer or the frame pointer */
    int32_t return_offset;    /* of the return address, from the CFA */
    int16_t saved[ARCH_KEPT]; /* bytes from the CFA; 0: not at all */
    uint8_t lost;             /* registers of which that is not known, a set */
    bool by_fp, known;
};

/* Rules that were needed, zeros at first. */
struct kept_rules {
    uint64_t epoch;
    struct kept_rule rules[KEPT_RULES]; /* by pc */
};

/*
 * Reads the four lower bytes of PLACE, as the function that call path NODE ends in has it at
 * the call that it is in.  False if NODE is not on the last walk, or they cannot be found.
 */
bool kept_read(const struct walker *walker, uint32_t node, struct effect_place place,
               struct kept_rules *rules, uint32_t *value);

#endif
