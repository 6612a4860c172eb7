/*
 * The first pass over the parts of a job: each is described in terms that hold for all, and
 * what it holds is put aside, so that no more than one has to be in memory and the processes
 * may go on writing.
 */
#ifndef TSPROF_UNITE_PART_H
#define TSPROF_UNITE_PART_H

#include "assemble/definitions.h"
#include "assemble/topologies.h"
#include "parts/live_threads.h"
#include "parts/part_reading.h"

#include <stdio.h>

/* A location of the summary that is made, put aside. */
struct united_location {
    uint32_t rank, thread, host;
    uint64_t process;
    const char *ending;                             /* for ever */
    uint64_t offset, bytes;                         /* in the file: as union_take reads it */
    uint32_t node_count, phase_count, metric_count; /* in its own numbers */
};

/* Start from all zeros but `aside`, an empty file open for reading and writing. */
struct union_of_parts {
    FILE *aside;
    uint64_t aside_bytes;
    struct definitions definitions;
    struct topologies topologies;
    struct live_list live;
    struct united_location *locations; /* by rank and thread */
    size_t location_count;
    const char **hosts;
    size_t host_count;
    struct fact *facts; /* of the first part; metrics too, but for counters */
    size_t fact_count;
    struct metric_entry *metrics;
    size_t metric_count;
    struct metric_entry *counters; /* as the definitions number them */
    size_t counter_count;
    int64_t end_ns; /* the latest that any location is complete up to, since 1970 */
    size_t skipped; /* threads whose data are damaged; said */
    bool failed;    /* what is put aside could not be written */
    struct memory_pool pool;
};

/*
 * Adds all threads of PART as those of RANK.  False, and nothing is added, if the part cannot
 * be united with those before; a thread that is damaged is complained about and left out.
 */
bool union_add_part(struct union_of_parts *all, struct part_reading *part, uint32_t rank,
                    struct error *error);

/* A location in its own numbers, and what they are: of definitions, but metrics of the summary.
 */
struct taken_location {
    struct summary shell; /* for its memory */
    struct location location;
    uint32_t *nodes; /* DEFINITION_NONE where nothing is */
    uint32_t *phases, *metrics;
};

/* Takes a location that was put aside; taken_free gives it back in any case. */
bool union_take(struct union_of_parts *all, const struct united_location *united,
                struct taken_location *taken, struct error *error);
void taken_free(struct taken_location *taken);

void union_free(struct union_of_parts *all);

#endif
