/*
 * The values of one rank on one side in an iteration, by call path: the sum, over its threads,
 * of the means of their clusters.
 *
 * A table of all call paths and metrics, with lists of the entries in use, so that the time to
 * load, walk and clear grows with the number of values and not with the size of the table.
 */
#ifndef TSPROF_LOADED_H
#define TSPROF_LOADED_H

#include "compare/joint.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A call path and a metric. */
struct spot {
    uint32_t path, metric;
};

/* Memory grows with the most values ever loaded at once. */
struct loaded {
    const struct joint *joint;
    enum side side;
    uint64_t *clusters; /* of each thread: the cluster that is loaded */
    size_t cluster_count;
    long double *values; /* [path * metric_count + metric], in stored units */
    bool *held;          /* [path * metric_count + metric]: it is in `spots` */
    struct spot *spots;
    size_t spot_count;
    bool *present;   /* by path: it has a value of some metric */
    bool *calls_mpi; /* by path: it is a present MPI call, or has one below it */
    uint32_t *paths; /* those that are present */
    size_t path_count;
};

void loaded_open(struct loaded *loaded, const struct joint *joint, enum side side);
void loaded_close(struct loaded *loaded);

/*
 * Loads CLUSTERS, one for each of COUNT threads (SUMMARY_NONE: none), unless they are loaded
 * already.  Before another rank is loaded, whose clusters have the same numbers, set
 * cluster_count to 0.  SERIES has two entries for each thread, A's and B's.
 */
void loaded_load(struct loaded *loaded, const struct series *const *series,
                 const uint64_t *clusters, size_t count);

/* Where the value of SPOT is in `values` and `held`. */
size_t loaded_place(const struct loaded *loaded, struct spot spot);

#endif
