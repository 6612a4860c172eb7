/*
 * The overhead of measuring on the selected locations, split by its causes.
 *
 * The parts add up to the metric `overhead`.  Cost facts say how long interrupts, markers and
 * saving took; the rest is the overhead of MPI calls.  What instrumented functions cost is not
 * overhead but part of the program's time.  Older summaries have fewer of these
 * facts; what they do not tell apart is then part of `calls`.
 */
#ifndef TSPROF_COSTS_H
#define TSPROF_COSTS_H

#include "query/query.h"

#include <stdbool.h>
#include <stdint.h>

struct cost_part {
    bool known; /* false: the summary has no such fact */
    uint64_t count;
    long double seconds;
};

struct costs {
    long double wall_s, overhead_s; /* sums over locations; the overhead is 0 if not known */
    struct cost_part calls, samples, markers, saves;
    /* Functions that told that they are entered and left: the program's time, no overhead.  Of
     * some locations it may be known how often, and not how long that took. */
    struct cost_part functions;
    long double arming_s;    /* part of `samples`: system calls that set the next interrupt */
    uint64_t unused_samples; /* part of `samples`: those that fell into MPI or tsprof */
    uint64_t period_ns;      /* mean CPU time between interrupts; 0: not known */
    uint64_t memory_bytes;   /* of all threads of the process that took most */
    /* The most that a process had resident at once, program and tsprof, as a maximum and as a
     * mean over processes; 0: not known of all of them. */
    uint64_t resident_most_bytes, resident_mean_bytes;
    uint32_t resident_rank; /* that had most */
};

struct costs costs_of(const struct selection *selection);

#endif
