/*
 * The first pass over the parts of a job: unites their definitions, and puts their numbers
 * aside in a temporary file, so that only one part needs to be in memory and the processes may
 * go on writing.
 */
#ifndef TSPROF_UNITE_PART_H
#define TSPROF_UNITE_PART_H

#include "assemble/definitions.h"
#include "assemble/topologies.h"
#include "events/events.h"
#include "parts/live_threads.h"
#include "parts/part_reading.h"

#include <stdio.h>

/* A location whose numbers were put aside. */
struct united_location {
    uint32_t rank, thread, host;
    uint64_t process;
    const char *ending;                             /* a constant */
    uint64_t offset, bytes;                         /* where union_take finds it */
    uint32_t node_count, phase_count, metric_count; /* in its own numbers */
};

/* Start from all zeros, except for `aside`: an empty file open for reading and writing. */
struct union_of_parts {
    FILE *aside;
    uint64_t aside_bytes;
    struct definitions definitions;
    struct topologies topologies;
    struct live_list live;
    struct job_trace trace;
    struct united_location *locations; /* by rank and thread */
    size_t location_count;
    const char **hosts;    /* their names, which several may share */
    uint64_t *host_clocks; /* what tells them apart, see part_reading.h */
    size_t host_count;
    struct fact *facts; /* of the first part, and so are metrics other than counters */
    size_t fact_count;
    struct metric_entry *metrics;
    size_t metric_count;
    struct metric_entry *counters; /* as the definitions number them */
    size_t counter_count;
    int64_t end_ns; /* the latest that any location is complete up to, since 1970 */
    size_t skipped; /* threads with damaged data; a message was printed for each */
    bool failed;    /* writing to `aside` failed */
    struct memory_pool pool;
};

/*
 * Adds all threads of PART, as threads of RANK.  A damaged thread is left out with a message on
 * stderr.  False, and nothing is added, if the part does not fit those added before.
 */
bool union_add_part(struct union_of_parts *all, struct part_reading *part, uint32_t rank,
                    struct error *error);

/* A location in its own numbers, with what these mean: numbers of definitions and, for metrics,
 * of the summary. */
struct taken_location {
    struct summary shell; /* has the memory */
    struct location location;
    uint32_t *nodes; /* DEFINITION_NONE for unused ones */
    uint32_t *phases, *metrics;
};

/* Reads a location that was put aside.  Call taken_free in any case. */
bool union_take(struct union_of_parts *all, const struct united_location *united,
                struct taken_location *taken, struct error *error);
void taken_free(struct taken_location *taken);

/* What FACT of the run says; "" if there is none. */
const char *union_fact(const struct union_of_parts *all, const char *key);

void union_free(struct union_of_parts *all);

#endif
