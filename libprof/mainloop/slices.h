/*
 * Slices of time of the thread whose main loop is looked for (search.h): what is shown as
 * iterations should there be none, because nothing can be gathered afterwards.
 *
 * Passes of loops lie across the borders of slices, so slices are no levels: at each border the
 * thread's whole profile, with what open passes have so far, is compared with what it was at
 * the border before.  What is in slices is also outside of all iterations, until they are shown
 * (shown_loops.h).
 *
 * Borders have instants of their own, SLICES_NS apart, and are crossed when the time line comes
 * to them, by calls and samples alike.
 *
 * What it costs is bounded: where comparing has taken more than SLICES_FREE_NS and one part in
 * SLICES_SHARE of the time, only every second, fourth, ... slice has a profile from then on.
 *
 * By the thread that holds the context.
 */
#ifndef TSPROF_SLICES_H
#define TSPROF_SLICES_H

#include "tree/tree.h"
#include "timeline/timeline.h"

#include <stdbool.h>
#include <stdint.h>

#define SLICES_NS INT64_C(100000000)

enum {
    SLICES_FREE_NS = 2000000,     /* that slices may cost in any case */
    SLICES_SHARE = 1024,          /* and one part in so many of the time since the start */
    SLICES_CUT_MOST_NS = 1000000, /* what takes longer was interrupted */
    SLICES_LEAST = 4,             /* that are shown */
    SLICES_AT_ONCE = 256          /* with profiles, that one event ends */
};

struct slices {
    struct arena arena;
    struct profile ending; /* of the slice that ends; between borders free for others */
    struct profile before; /* the whole at the last border */
    int64_t next_ns;       /* the next border; INT64_MAX: there are no slices */
    int64_t begin_ns;      /* of the slice that is open */
    int64_t cost_ns;       /* in all, */
    int64_t recent_ns;     /* since the last slice with a profile ended, */
    int64_t mean_ns;       /* and for such a slice lately; 0: there was none */
    uint64_t count;        /* that have ended */
    uint64_t skipped;      /* of those the last ones, not yet in the clustering */
    uint64_t stride;       /* one in so many has a profile */
    bool begun;            /* the first border has been crossed */
    bool kept;             /* the open one has */
};

/* The first slice of THREAD begins at NS, which is now, or as soon after it as can be told. */
void slices_start(struct thread *thread, int64_t ns);

/* The borders of slices. */
extern const struct border_source slices_source;

/* Ends the last slice where the time line is: there are no more.  Nothing is lost. */
void slices_stop(struct thread *thread);

/* Makes all slices nothing. */
void slices_drop(struct thread *thread);

/* How many slices THREAD has had; 0: none, or they were dropped. */
uint64_t slices_count(const struct thread *thread);

#endif
