/*
 * What measuring cost the whole job, estimated: ranks that meet again and again wait for the
 * one that tsprof has held up longest since.
 *
 * A rank's overhead without its stalls, stays in tsprof of 2 microseconds and more, is taken to
 * be the same on all ranks.  What ends iterations, markers and clustering, stalls all ranks at
 * the same time, each as long as it may; other stalls come whenever they may
 * (accuracy/slowest_rank.h).  Steps, from one collective operation to the next, are taken to be
 * equally long, and ranks not to wait for anything else: if they do, it costs less.
 */
#ifndef TSPROF_JOB_COST_H
#define TSPROF_JOB_COST_H

#include "print/print.h"
#include "query/query.h"

#include <stdbool.h>
#include <stdint.h>

struct job_cost {
    bool known;          /* the rest means something */
    uint32_t phase;      /* whose iterations have collective operations on all ranks */
    uint64_t ranks;      /* selected ones, 2 at least */
    uint64_t iterations; /* of the rank that has fewest */
    uint64_t steps;      /* collective operations in them, not fewer than iterations */
    long double share;   /* of the wall time of a rank */
};

/*
 * Of the selected ranks, in the phase whose iterations take most time.  Not known if there is
 * one rank only, no such phase, or an older summary, which does not tell of stalls.
 */
struct job_cost job_cost_of(const struct selection *selection);

/* Adds what the estimate is based on: "16 ranks wait for each other 8 times in each of 100
 * iterations of main loop". */
void job_cost_add_reason(struct text *text, const struct summary *summary,
                         const struct job_cost *cost);

#endif
