/*
 * The loops that tsprof has found where there are no markers, and what it says of them: see
 * "loop.N.*" in doc/format.md.
 */
#ifndef TSPROF_FOUND_LOOPS_H
#define TSPROF_FOUND_LOOPS_H

#include "file/file.h"
#include "print/print.h"

enum { FOUND_LOOPS_MOST = 12 };

struct found_loop {
    uint64_t border; /* call-tree node of the call that begins a pass */
    uint64_t phase;  /* that its passes are shown as, plus one; 0: none */
    uint64_t passes, time_ns, around, certain;
};

/* What one location knows of loops. */
struct found_loops {
    const struct location *location; /* NULL: none does */
    unsigned count;
    struct found_loop loops[FOUND_LOOPS_MOST];
};

/* Reads what the first location of SUMMARY knows that has found any. */
struct found_loops found_loops_read(const struct summary *summary);

/* The same of the first that shows one as PHASE. */
struct found_loops found_loops_of(const struct summary *summary, uint32_t phase);

/* Adds "border before MPI_Allreduce in sum at file.c:65". */
void found_loop_add_border(const struct summary *summary, const struct found_loop *loop,
                           struct text *text);

/* Adds ", 93 % of the time", and whether that is certain. */
void found_loop_add_share(const struct location *location, const struct found_loop *loop,
                          struct text *text);

/*
 * Adds "TSPROF_ITERATION=call:MPI_Allreduce@sum:65", for a shell; where that means other call
 * paths as well, as much of the border's as tells it from them.
 */
void found_loop_add_setting(const struct summary *summary, const struct found_loop *loop,
                            struct text *text);

#endif
