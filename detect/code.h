/*
 * Finds the loops around a call by reading the machine code of the function.
 *
 * Instructions (instruction.h) are decoded from the function's first byte on.  In most
 * functions none after the call leads back before it, so there is no loop around it.  Otherwise
 * the jumps are followed.  The blocks that can be reached from the call, and from which the
 * call can be reached again, are the outermost loop around it.  Without the edges back to that
 * loop's entry, the same finds the next loop further in (B. Steensgaard, "Sequentializing
 * program dependence graphs for irreducible programs", 1993).  A jump to a computed address may
 * lead to any block that no other jump leads to.
 *
 * Edges taken by exceptions are not seen: code that only they lead to is of unknown loops, or
 * taken to be in none.
 *
 * No globals, no memory but what the caller gives, no input or output; reads nothing but CODE.
 */
#ifndef TSPROF_CODE_H
#define TSPROF_CODE_H

#include <stddef.h>

enum { CODE_BYTES_MOST = 1 << 16 };

/* Working memory of code_loops_around; most of it is never touched. */
struct code_memory;
size_t code_memory_bytes(void);

/*
 * Finds the loops around the instruction at byte AT of a function, which has CODE of so many
 * BYTES.  AROUND receives at most MOST offsets from the function's start at which these loops
 * are entered, innermost first.  Returns the number of loops; -1 if the code cannot be decoded,
 * or takes too long to analyse.  MEMORY has code_memory_bytes, aligned for any type, with any
 * content.
 */
int code_loops_around(const unsigned char *code, size_t bytes, size_t at, size_t *around,
                      unsigned most, struct code_memory *memory);

#endif
