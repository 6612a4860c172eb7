/*
 * The loops that tsprof found in a program without markers, from the facts "loop.N.*"
 * (doc/format.md).
 */
#ifndef TSPROF_FOUND_LOOPS_H
#define TSPROF_FOUND_LOOPS_H

#include "file/file.h"
#include "print/print.h"

enum { FOUND_LOOPS_MOST = 12 };

struct found_loop {
    uint64_t border;   /* call-tree node of the MPI call that begins most passes */
    uint64_t function; /* that of the function that has the loop; 0: not known */
    uint64_t offset;   /* where the loop begins in its code, in bytes; 0: not known */
    uint64_t phase;    /* the phase whose iterations its passes are, plus one; 0: none */
    uint64_t passes, time_ns, around, certain;
    uint64_t partly;                    /* 1: it had more passes */
    uint64_t absent;                    /* so many ranks that looked for loops do not show it */
    uint64_t least_passes, most_passes; /* on the ranks that found it */
};

/* The loops that one location found. */
struct found_loops {
    const struct location *location; /* NULL: no location found any */
    unsigned count;
    struct found_loop loops[FOUND_LOOPS_MOST];
};

/* The loops of the first location that shows any as iterations, or else that found any. */
struct found_loops found_loops_read(const struct summary *summary);

/* The loops of the first location that shows one of them as PHASE. */
struct found_loops found_loops_of(const struct summary *summary, uint32_t phase);

/* Adds "border before MPI_Allreduce in sum at file.c:65", names of C++ in brief. */
void found_loop_add_border(const struct summary *summary, const struct found_loop *loop,
                           struct text *text);

/* Adds "199 passes", "at least 47 passes", or, where ranks differ, "16 to 26 passes". */
void found_loop_add_passes(const struct found_loop *loop, struct text *text);

/* Adds ", 93 % of the time", and a remark if that is not certain. */
void found_loop_add_share(const struct location *location, const struct found_loop *loop,
                          struct text *text);

/*
 * Adds a setting that shows the passes of loop NUMBER of FOUND, and no other, quoted
 * for a shell: "TSPROF_ITERATION='loop:solve+0x4f2'", the loop that the code of a function has
 * there, with as much of a call path as tells the function from others.  Where the code was not
 * read, "TSPROF_ITERATION='call:sum > MPI_Allreduce'", the call that begins each pass, if it
 * comes nowhere else.  Adds nothing and returns false if no such thing means this loop alone.
 */
bool found_loop_add_setting(const struct summary *summary, const struct found_loops *found,
                            unsigned number, struct text *text);

/*
 * Adds " 200 iterations with", which is to stand before that setting, if it gives other numbers
 * than found_loop_add_passes says: a call that is named begins the first pass, too.
 */
void found_loop_add_iterations(const struct summary *summary, const struct found_loop *loop,
                               struct text *text);

#endif
