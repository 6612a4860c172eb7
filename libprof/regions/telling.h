/*
 * What it costs that functions tell when they are entered and left: how often they are entered,
 * and how long some of these calls of tsprof took.  For this room alone; program context.
 */
#ifndef TSPROF_REGIONS_TELLING_H
#define TSPROF_REGIONS_TELLING_H

#include "timeline/timeline.h"

enum {
    TELLING_TIMED_EVERY = 256, /* two clock readings cost as much as the event */
    TELLING_LONGEST_NS = 20000 /* what takes longer was interrupted */
};

/*
 * Whether the next event is to be timed: telling_begin and telling_end go around it.  A signal
 * handler of the program's may tell of events between the two, so that none is left, or less.
 */
static inline bool telling_is_due(const struct telling *telling)
{
    return telling->left <= 0;
}

/* The time now; 0 for the first event, which makes what others find. */
static inline int64_t telling_begin(struct telling *telling)
{
    const bool first = telling->until == 0;
    /* A sample may save the difference of the two meanwhile, which is never too small. */
    telling->until += TELLING_TIMED_EVERY - telling->left;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    telling->left = TELLING_TIMED_EVERY;
    return first ? 0 : clock_now_async();
}

/* Counts an event. */
static inline void telling_count_one(struct telling *telling)
{
    telling->left--;
}

/* The event that began at BEGIN_NS, unless that is 0, ends. */
static inline void telling_end(struct telling *telling, int64_t begin_ns)
{
    const int64_t ns = begin_ns == 0 ? -1 : clock_now_async() - begin_ns;
    if (ns < 0 || ns > TELLING_LONGEST_NS)
        return;
    telling->timed++;
    telling->timed_ns += ns;
}

#endif
