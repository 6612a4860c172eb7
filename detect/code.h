/*
 * The loops of a function, read from its machine code: which of them are around a
 * call.
 *
 * Instructions (instruction.h) are told apart from the function's first byte on.  Where none
 * after the call leads back before it, which is so in most functions, there is no loop around
 * it.  Else the jumps between them are followed.  What can be reached from a call, and from
 * where it can be reached again, is the outermost loop around it.  Without the ways back to
 * where that loop is entered the same holds for the next one further in (B. Steensgaard,
 * "Sequentializing program dependence graphs for irreducible programs", 1993).  A jump to an
 * address that is calculated may lead wherever no other way leads.
 *
 * Ways that exceptions take are not seen: what only they lead to cannot be told, or is taken to
 * be in no loop.
 *
 * No globals, no input or output.
 */
#ifndef TSPROF_CODE_H
#define TSPROF_CODE_H

#include <stddef.h>

enum { CODE_BYTES_MOST = 1 << 16 };

/* What code_loops_around writes to; most of it is never touched. */
struct code_memory;
size_t code_memory_bytes(void);

/*
 * The loops around the instruction that byte AT is part of, in a function whose CODE has so
 * many BYTES: where each of them is entered, as a distance from the function's start, innermost
 * first, at most MOST of them.  Returns how many; -1 if the code cannot be read, or not soon
 * enough.  MEMORY is code_memory_bytes long, aligned for any type, whatever it holds.
 */
int code_loops_around(const unsigned char *code, size_t bytes, size_t at, size_t *around,
                      unsigned most, struct code_memory *memory);

#endif
