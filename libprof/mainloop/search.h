/*
 * Looks for the main loop of a program without markers, and makes its passes iterations.
 *
 * The thread that has initialised MPI is looked at, call by call (detect/loops.h).  A loop is
 * cut from the second time on that its border comes, long before anybody can know whether it is
 * the main one: up to three inside each other, and others later.  So all is provisional. Passes
 * have profiles and clusters of their own, but what is in them is also outside of all
 * iterations as far as everybody else knows: nothing has to be undone where a loop is dropped.
 * At the end the processes agree which loops are shown (shown_loops.h), and only then are these taken
 * out.
 *
 * Call paths are the same inside passes and outside, because passes have no node of their own.
 *
 * Meanwhile slices of time are gathered, to be shown where no loop is (slices.h).
 *
 * What it costs is bounded: where it takes more than SEARCH_SHARE of the time, of the loop that
 * costs most only every second, fourth, ... pass has a profile; or, if it is not that loop but
 * many, or looking at irregular calls, it is looked less deep.
 *
 * The first marker, of any thread, ends it: as if it had never been.
 */
#ifndef TSPROF_SEEK_H
#define TSPROF_SEEK_H

#include "mainloop/loop_code.h"
#include "detect/loops.h"
#include "tree/tree.h"
#include "iterations/iterations.h"
#include "mainloop/slices.h"
#include "timeline/timeline.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    SEARCH_FREE_NS = 10000000, /* that it may cost in any case */
    SEARCH_AGAIN_NS = 1000000, /* once more after something was done about it */
    SEARCH_SHARE = 1024,       /* and one part in so many of the time */
    SEARCH_TIMED = 16,         /* one in so many looks at the stream is timed */
    SEARCH_SHORT = 4, /* where only one pass in so many of an inner loop has a profile, */
    SEARCH_SURE = 16, /* and that around it had so many, the inner one is let go */
    SEARCH_LOOK_MOST_NS = 20000, /* a look that takes longer was interrupted, */
    SEARCH_CUT_MOST_NS = 200000  /* and so was the end of passes that does */
};

/* Of the slices of time, as search_series is of a loop. */
enum { SEARCH_SLICES = SERIES_MOST - 1 - LOOPS_MOST };

/* What has been cut of a loop. */
struct candidate {
    uint32_t serial;  /* of the loop; 0: none */
    int64_t begin_ns; /* of its first pass */
    int64_t time_ns;  /* in its passes */
    int64_t cost_ns;  /* of cutting it, since the last measure against costs */
    uint64_t passes;  /* that have ended */
    uint64_t skipped; /* of those the last ones, not yet in the clustering */
    uint64_t stride;  /* one in so many has a profile */
    uint32_t within;  /* set of the loops in whose passes one of its own began */
};

struct search {
    struct loops loops;
    struct candidate candidates[LOOPS_MOST];
    struct slices slices;
    uint8_t open[LOOPS_NESTED]; /* by level, from the first on */
    int64_t begin_ns;
    int64_t before_ns;  /* of the thread's time, MPI_Init and what came before */
    uint64_t looks;     /* at calls that did not mean nothing at once */
    int64_t measure_ns; /* the last measure against costs; or the beginning */
    int64_t free_ns;    /* that it may have cost since, beside its share of the time */
    int64_t looking_ns, cutting_ns; /* that it has cost, as far as that was timed */
    uint64_t skips;     /* passes without a profile that may follow the innermost one, */
    uint64_t skipped;   /* those of them that have begun and are not counted yet, */
    int64_t skipped_ns; /* and the beginning of the last one */
    bool failing;    /* most walks do not reach the root, and those that do are not looked at */
    uint64_t others; /* walks that are not like most */
    struct loop_code code;
    struct arena arena; /* that all this lies in */
};

/* Begins to look at THREAD, the calling one, if that is wanted.  Program context, MPI is up. */
void search_start(struct thread *thread);

/*
 * Counts a walk of the other kind than most, that reach the root or do not: whether it is
 * looked at, because that has changed.  What a walk of one kind and one of the other have in
 * common is not known.
 */
bool search_takes_other(struct thread *thread);

/*
 * Whether a call of path LEAF, made at NS, only ends a pass without a profile and begins
 * another one: what most calls in a loop of very short passes do.
 */
static inline bool search_skip(struct search *search, uint32_t leaf, int64_t ns)
{
    if (search->skipped == search->skips || !loops_repeat(&search->loops, leaf))
        return false;
    search->skipped++;
    search->skipped_ns = ns;
    return true;
}

/* What any other call of path LEAF means, made at NS, where the time line has been accounted
 * to. */
void search_arrive(struct thread *thread, uint32_t leaf, unsigned preference, int64_t ns);

/* Ends it on THREAD, if it is looked at, because a marker has been met: nothing is left of it. */
void search_give_up(struct thread *thread);

/* Ends it at NS because the thread or the measurement ends: passes are closed.  Program
 * context. */
void search_stop(struct thread *thread, int64_t ns);

/* How likely all processes are to make a call; 0: it is made by chance. */
extern uint8_t search_preferences[];

/* Of loop NUMBER the series; it is no series of the thread before it is kept. */
static inline uint32_t search_series(unsigned number)
{
    return SERIES_MOST - 1 - number;
}

#endif
