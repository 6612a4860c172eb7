/*
 * How many events a trace of an iteration would have: MPI calls, visits of functions that tell,
 * markers and samples, as the profile of the iteration counted them.  Calls are exact where the
 * equivalence of clusters looks at visits, and means of the cluster elsewhere.
 */
#ifndef TSPROF_TRACE_SIZE_H
#define TSPROF_TRACE_SIZE_H

#include "query/query.h"

#include <stdbool.h>
#include <stdint.h>

/* What an event takes in a process's memory at most, and how much of it there is by default. */
#define TRACE_EVENT_BYTES  24
#define TRACE_MEMORY_BYTES ((uint64_t)64 << 20)

/* The events of some iterations. */
struct trace_size {
    bool known;         /* some rank has a profile of each of the iterations */
    double most;        /* on the rank that has most */
    uint32_t most_rank; /* its number */
    double all;         /* of all selected ranks together */
};

/* The selected ranks' events by iteration. */
struct event_counts;

/* For the iterations of PHASE; free with event_counts_free. */
struct event_counts *event_counts_create(const struct selection *selection, uint32_t phase);
void event_counts_free(struct event_counts *counts);

/* The events of the iterations in COUNT RANGES, which do not touch. */
struct trace_size event_counts_of(const struct event_counts *counts, const struct range *ranges,
                                  size_t count);

#endif
