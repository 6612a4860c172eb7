/*
 * What it costs that functions tell when they are entered and left: how often they are entered,
 * and how long some of these calls of tsprof took.  For this room alone; program context.
 */
#ifndef TSPROF_REGIONS_TELLING_H
#define TSPROF_REGIONS_TELLING_H

#include "timeline/timeline.h"

enum {
    TELLING_TIMED_EVERY = 256, /* a clock reading costs about a third of an event */
    TELLING_LONGEST_NS = 20000 /* what takes longer was interrupted */
};

/* Counts an event; the time now if it is one of those that are timed, or else 0. */
static inline int64_t telling_begin(struct telling *telling)
{
    telling->count++;
    return __builtin_expect(telling->count % TELLING_TIMED_EVERY == 0, 0) ? clock_now_async()
                                                                          : 0;
}

/* The event that began at BEGIN_NS, unless that is 0, ends. */
static inline void telling_end(struct telling *telling, int64_t begin_ns)
{
    if (__builtin_expect(begin_ns == 0, 1))
        return;
    const int64_t ns = clock_now_async() - begin_ns;
    if (ns < 0 || ns > TELLING_LONGEST_NS)
        return;
    telling->timed++;
    telling->timed_ns += ns;
}

#endif
