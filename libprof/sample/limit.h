/*
 * Limits the rate of samples so that taking them costs no more than a twentieth of the thread's
 * processor time: arming a timer takes a microsecond on most machines, ten in a virtual one,
 * and a thousand where that is short of processors itself.
 *
 * What a sample takes is a running mean, in which one that was interrupted for long counts as
 * little as it should.  It does not depend on where samples fall, so that instants remain
 * random.  Any context.
 */
#ifndef TSPROF_LIMIT_H
#define TSPROF_LIMIT_H

#include <stdint.h>

enum {
    LIMIT_PARTS = 20,       /* of the processor time, one is for sampling */
    LIMIT_WEIGHT = 64,      /* samples that the mean is taken over, more or less */
    LIMIT_MOST_NS = 4000000 /* a sample that took longer counts as this */
};

struct limit {
    int64_t scaled_ns; /* the running mean of what a sample takes, times LIMIT_WEIGHT */
};

/*
 * The last sample took TOOK_NS.  Returns the mean processor time from this sample to the next:
 * PERIOD_NS, or more.
 */
static inline int64_t limit_period_async(struct limit *limit, int64_t took_ns,
                                         int64_t period_ns)
{
    const int64_t counts_ns = took_ns < LIMIT_MOST_NS ? took_ns : LIMIT_MOST_NS;
    limit->scaled_ns += counts_ns - limit->scaled_ns / LIMIT_WEIGHT;
    const int64_t least_ns = limit->scaled_ns / LIMIT_WEIGHT * LIMIT_PARTS;
    return least_ns > period_ns ? least_ns : period_ns;
}

#endif
