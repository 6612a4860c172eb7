/*
 * Code that linkers and the start files put into modules, often without call-frame information:
 * PLT stubs, _init, _fini and others.  One row for each, instruction by instruction.
 */
#ifndef TSPROF_ARCH_STUB_TABLE_H
#define TSPROF_ARCH_STUB_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { STUB_INSTRUCTIONS_MOST = 20 };

struct stub_instruction {
    uint8_t depth;  /* CFA minus the stack pointer before it runs, in bytes */
    uint8_t length; /* in bytes; 0 ends the row */
    uint8_t record; /* CFA minus where the caller's frame pointer and, behind it, the return
                       address are saved; 0: both are still in their registers */
    uint32_t mask, bits; /* the bits that are always the same */
};

extern const struct stub_instruction stub_table[][STUB_INSTRUCTIONS_MOST];
extern const size_t stub_count;

/* Whether CODE, with the instruction's length, may be the instruction STUB. */
static inline bool stub_fits(const struct stub_instruction *stub, const char *code)
{
    uint32_t word;
    memcpy(&word, code, sizeof word);
    return (word & stub->mask) == stub->bits;
}

/* Where the return address lies, from the CFA; 0: in the auxiliary register. */
static inline int stub_return_offset(const struct stub_instruction *stub)
{
    return stub->record ? 8 - stub->record : 0;
}

/* Where the caller's frame pointer lies, from the CFA; 0: in its register. */
static inline int stub_fp_offset(const struct stub_instruction *stub)
{
    return -stub->record;
}

#endif
