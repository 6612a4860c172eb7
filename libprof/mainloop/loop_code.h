/*
 * Finds the loops around a call in the machine code of the calling function (detect/code.h).
 * The answer for a call site is the same on all call paths, so it is found once and remembered,
 * also after the library with that code has been unloaded.
 *
 * For the thread whose main loop is searched for (search.h), in program context.
 */
#ifndef TSPROF_LOOP_CODE_H
#define TSPROF_LOOP_CODE_H

#include "detect/code.h"
#include "detect/loops.h"

#include <stdint.h>

enum { LOOP_CODE_PLACES = 1024 };

struct loop_code_place {
    uintptr_t address; /* 0: this place is free */
    uint64_t around[LOOPS_AROUND_MOST];
    int count;
};

struct loop_code {
    struct code_memory *memory;                      /* code_memory_bytes long */
    uint64_t bytes;                                  /* of code that have been read so far */
    struct loop_code_place places[LOOP_CODE_PLACES]; /* a hash table by address */
};

/*
 * Finds the loops around the call instruction that contains ADDRESS.  AROUND gets the addresses
 * at which they are entered, innermost first, LOOPS_AROUND_MOST at most.  Returns how many
 * there are, or -1 if the code cannot be understood.  Preserves errno.
 */
int loop_code_around(struct loop_code *code, uintptr_t address, uint64_t *around);

#endif
