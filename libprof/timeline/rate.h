/* How samples are taken.  Set by the sampler; may be read in any context. */
#ifndef TSPROF_RATE_H
#define TSPROF_RATE_H

#include <stdint.h>

struct sample_rate {
    int64_t period_ns; /* mean processor time between two samples; 0: none are taken */
    const char *timer; /* kinds of timers: "cpu", "perf", "cpu, perf" or "none" */
};

extern struct sample_rate sample_rate;

#endif
