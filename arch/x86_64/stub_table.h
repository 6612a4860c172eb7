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

enum { STUB_INSTRUCTIONS_MOST = 18, STUB_FIXED_MOST = 8 };

struct stub_instruction {
    uint8_t depth;               /* CFA minus the stack pointer before it runs, in bytes */
    uint8_t length;              /* in bytes; 0 ends the row */
    uint8_t fixed;               /* how many of its first bytes are always the same */
    bool fp_saved;               /* the caller's frame pointer is at CFA - 16 */
    char bytes[STUB_FIXED_MOST]; /* those bytes */
};

extern const struct stub_instruction stub_table[][STUB_INSTRUCTIONS_MOST];
extern const size_t stub_count;

/* Whether CODE, with the instruction's length, may be the instruction STUB. */
static inline bool stub_fits(const struct stub_instruction *stub, const char *code)
{
    return memcmp(code, stub->bytes, stub->fixed) == 0;
}

/* Where the return address lies, from the CFA. */
static inline int stub_return_offset(const struct stub_instruction *stub)
{
    (void)stub;
    return -8;
}

/* Where the caller's frame pointer lies, from the CFA; 0: in its register. */
static inline int stub_fp_offset(const struct stub_instruction *stub)
{
    return stub->fp_saved ? -16 : 0;
}

#endif
