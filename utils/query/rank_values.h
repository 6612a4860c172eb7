/*
 * The values of a few metrics over the iterations of a phase, rank by rank: what all pictures
 * over iterations are made of.  Nothing is kept for every iteration: a rank's iterations come
 * one stretch after the other.
 *
 * Values are inclusive over metrics and call paths, in the metric's unit; that of a rank is the
 * sum over its selected threads, each of which has its cluster's mean in an iteration.
 */
#ifndef TSPROF_RANK_VALUES_H
#define TSPROF_RANK_VALUES_H

#include "query/select.h"
#include "query/sweep.h"

#include <stdbool.h>
#include <stdint.h>

#define RANK_VALUES_METRICS 16

/* What the values are of. */
struct rank_values_of {
    uint32_t phase; /* SUMMARY_NONE: the whole run */
    const uint32_t *metrics;
    size_t metric_count; /* at most RANK_VALUES_METRICS */
    const bool *nodes;   /* by node of the call tree: counts; NULL: all do */
};

struct rank_values {
    const struct selection *selection;
    size_t metric_count;
    /* Of the selected threads, rank by rank. */
    const struct series **series; /* NULL: the thread has none of the phase */
    double **values;              /* [thread][cluster * metric_count + metric] */
    size_t *first;                /* of each rank's threads; one more for the end */
};

struct rank_values *rank_values_create(const struct selection *selection,
                                       const struct rank_values_of *of);
void rank_values_free(struct rank_values *values);

/* The iterations of the I-th selected rank. */
struct rank_walk {
    const struct rank_values *of;
    size_t thread;
    struct sweep sweep;
    /* The stretch: LENGTH iterations from FIRST on, and the values in each; those of iterations
     * that the rank does not have are NaN.
     */
    uint64_t first, length;
    double values[RANK_VALUES_METRICS];
};

/* Begins before the first of the selected iterations; end with rank_walk_end. */
void rank_walk_begin(struct rank_walk *walk, const struct rank_values *values, size_t i);
/* Goes to the next stretch; false after the last. */
bool rank_walk_step(struct rank_walk *walk);
void rank_walk_end(struct rank_walk *walk);

/* The iterations of all selected ranks together, for the first of the metrics. */
struct ranks_walk {
    const struct rank_values *of;
    struct sweep sweep;
    uint64_t first, length; /* of the stretch: no rank's value changes in it */
    double *values; /* of each selected rank; NaN where it does not have the iterations */
};

void ranks_walk_begin(struct ranks_walk *walk, const struct rank_values *values);
bool ranks_walk_step(struct ranks_walk *walk);
void ranks_walk_end(struct ranks_walk *walk);

/* The values OF the whole run on the I-th selected rank, one for each metric. */
void rank_whole_run(const struct selection *selection, const struct rank_values_of *of,
                    size_t i, double *values);

#endif
