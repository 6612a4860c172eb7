/*
 * Time slices of the thread whose main loop is searched for (search.h).  They are shown as
 * iterations if there is no such loop; they are gathered from the start, because they cannot be
 * made afterwards.
 *
 * Passes of loops may lie across the borders of slices, so slices are not levels.  Instead, at
 * each border the thread's whole profile, including what open passes have so far, is compared
 * with what it was at the border before, in pieces (slice_list.h).  What is in slices also
 * counts as outside all iterations, until they are shown (write/shown_loops.h).
 *
 * Borders are SLICES_NS apart, and are crossed when the time line comes to them, in calls and
 * samples alike; where there are many call paths, SLICES_PATIENCE_NS later at most while
 * profiles are read for a save, or not all that was done before has been added to them.
 *
 * The cost is bounded: once comparing has taken more than SLICES_FREE_NS plus one part in
 * SLICES_SHARE of the time, only every second, fourth, ... slice has a profile.
 *
 * For the thread that holds the context.
 */
#ifndef TSPROF_SLICES_H
#define TSPROF_SLICES_H

#include "mainloop/slice_list.h"
#include "timeline/timeline.h"

#include <stdbool.h>
#include <stdint.h>

#define SLICES_NS          INT64_C(100000000)
#define SLICES_PATIENCE_NS INT64_C(50000000)

enum {
    SLICES_FREE_NS = 2000000,   /* what slices may cost in any case */
    SLICES_SHARE = 1024,        /* they may cost one part in so many of the time in addition */
    SLICES_CUT_MOST_NS = 50000, /* a piece of the work that takes longer was interrupted */
    SLICES_LEAST = 4,           /* fewer are not shown */
    SLICES_AT_ONCE = 256        /* most slices with profiles that one call or sample ends */
};

struct slices {
    struct slice_list list;
    int64_t next_ns;   /* the next border; INT64_MAX: there are no slices */
    int64_t first_ns;  /* the first one */
    int64_t begin_ns;  /* where the open slice began */
    int64_t cost_ns;   /* the cost of all slices, */
    int64_t recent_ns; /* that since the last slice with a profile ended, */
    int64_t mean_ns;   /* and a moving mean for slices with profiles; 0: there was none */
    uint64_t stride;   /* one in so many slices has a profile */
    bool kept;         /* the open slice has a profile */
    bool ends;         /* one with a profile has ended, which is being made */
};

/*
 * Starts slices on THREAD.  The first begins at NS, which is now; it is opened when the time
 * line gets there.
 */
void slices_start(struct thread *thread, int64_t ns);

/* The borders of slices, as a border source. */
extern const struct border_source slices_source;

/* Ends the last slice at the end of the time line, and keeps all slices. */
void slices_stop(struct thread *thread);

/* Ends the slices and drops all of them. */
void slices_drop(struct thread *thread);

/* How many slices THREAD has; 0 if they were dropped. */
uint64_t slices_count_async(const struct thread *thread);

#endif
