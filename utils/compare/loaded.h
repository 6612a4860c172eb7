/*
 * The values that one rank has on one side in an iteration, call path by call path: the sum
 * over its threads of their clusters' means.
 *
 * A table of all call paths and metrics with lists of what is in it, so that to load, to walk
 * and to clear takes as long as there are values.
 */
#ifndef TSPROF_LOADED_H
#define TSPROF_LOADED_H

#include "compare/joint.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The cell of a call path and a metric. */
struct spot {
    uint32_t path, metric;
};

/* Its memory follows what was ever loaded at once, not all call paths times all metrics. */
struct loaded {
    const struct joint *joint;
    enum side side;
    uint64_t *clusters; /* of each thread: what is loaded; no thread has more */
    size_t cluster_count;
    long double *values; /* [path * metric_count + metric], in stored units */
    bool *held;          /* likewise: in `spots` */
    struct spot *spots;
    size_t spot_count;
    bool *present;   /* by path: it has any value, of whatever metric */
    bool *calls_mpi; /* by path: present, or around one that is, and MPI is called below it */
    uint32_t *paths; /* present ones */
    size_t path_count;
};

void loaded_open(struct loaded *loaded, const struct joint *joint, enum side side);
void loaded_close(struct loaded *loaded);

/*
 * Loads CLUSTERS, one for each of COUNT threads or SUMMARY_NONE, unless these numbers are
 * loaded already; to load another rank's, whose numbers mean something else, set cluster_count
 * to 0 before.  SERIES are those of the threads, A's and B's in turn.
 */
void loaded_load(struct loaded *loaded, const struct series *const *series,
                 const uint64_t *clusters, size_t count);

/* Where the value of SPOT is in `values` and `held`. */
size_t loaded_place(const struct loaded *loaded, struct spot spot);

#endif
