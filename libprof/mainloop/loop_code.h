/*
 * What the machine code says of calls: the loops of the calling function that are around them
 * (code.h).  It is the same for a place on all call paths, so it is read once and remembered.
 *
 * What was read of a library is remembered after that is unloaded.
 *
 * By the thread that looks for loops (search.h); program context.
 */
#ifndef TSPROF_LOOP_CODE_H
#define TSPROF_LOOP_CODE_H

#include "detect/code.h"
#include "detect/loops.h"

#include <stdint.h>

enum { LOOP_CODE_PLACES = 1024 };

struct loop_code_place {
    uintptr_t address; /* 0: none */
    uint64_t around[LOOPS_AROUND_MOST];
    int count;
};

struct loop_code {
    struct code_memory *memory;                      /* code_memory_bytes long */
    uint64_t bytes;                                  /* that have been read */
    struct loop_code_place places[LOOP_CODE_PLACES]; /* by address, mixed */
};

/*
 * The loops around the call that ADDRESS is a byte of, innermost first, at most
 * LOOPS_AROUND_MOST, by where they are entered.  Returns how many; -1 where that cannot be
 * said.
 */
int loop_code_around(struct loop_code *code, uintptr_t address, uint64_t *around);

#endif
