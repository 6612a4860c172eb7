/*
 * What measuring cost: the overhead of the selected locations, split by what was measured.
 *
 * The parts add up to the overhead, the metric.  How long interrupts, markers and saving took
 * is told by cost facts; the rest is that of MPI calls.  Older summaries know of fewer parts:
 * then what is not known apart is in `calls`.
 */
#ifndef TSPROF_COSTS_H
#define TSPROF_COSTS_H

#include "query/query.h"

#include <stdbool.h>
#include <stdint.h>

struct cost_part {
    bool known; /* false: the summary does not tell it apart */
    uint64_t count;
    long double seconds;
};

struct costs {
    long double wall_s, overhead_s; /* summed over locations; overhead 0 if not known */
    struct cost_part calls, samples, markers, saves;
    long double arming_s;    /* of `samples`: the system's time for the next interrupt */
    uint64_t unused_samples; /* of those in `samples`: fell into MPI or tsprof */
    uint64_t period_ns;      /* mean CPU time between interrupts; 0: not known */
    uint64_t memory_bytes;   /* of the process with the most: over its threads */
};

struct costs costs_of(const struct selection *selection);

#endif
