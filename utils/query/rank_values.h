/*
 * The values of a few metrics over the iterations of a phase, rank by rank.  Pictures over
 * iterations are made from them.  Memory does not grow with the number of iterations: a walk
 * gives the iterations of a rank one stretch after the other.
 *
 * Values are inclusive over metrics and call paths, and in the metric's unit.  A rank's value
 * is the sum over its selected threads; a thread has the mean of its cluster in each iteration.
 */
#ifndef TSPROF_RANK_VALUES_H
#define TSPROF_RANK_VALUES_H

#include "query/select.h"
#include "query/sweep.h"

#include <stdbool.h>
#include <stdint.h>

#define RANK_VALUES_METRICS 24

/* Which values are wanted. */
struct rank_values_of {
    uint32_t phase; /* SUMMARY_NONE: the whole run */
    const uint32_t *metrics;
    size_t metric_count; /* at most RANK_VALUES_METRICS */
    const bool *nodes;   /* by node of the file: whether its values count; NULL: all do */
};

struct rank_values {
    const struct selection *selection;
    size_t metric_count;
    /* By selected thread, rank by rank. */
    const struct series **series; /* NULL: the thread does not have the phase */
    double **values;              /* [thread][cluster * metric_count + metric] */
    size_t *first; /* index of each rank's first thread, and the end of the last */
};

struct rank_values *rank_values_create(const struct selection *selection,
                                       const struct rank_values_of *of);
void rank_values_free(struct rank_values *values);

/* A walk over the iterations of one selected rank. */
struct rank_walk {
    const struct rank_values *of;
    size_t thread;
    struct sweep sweep;
    /* The current stretch: LENGTH iterations from FIRST on, and the values that each of them
     * has; NaN if the rank does not have the iterations. */
    uint64_t first, length;
    double values[RANK_VALUES_METRICS];
};

/* Starts a walk of the I-th selected rank, before the first selected iteration.  End it with
 * rank_walk_end. */
void rank_walk_begin(struct rank_walk *walk, const struct rank_values *values, size_t i);
/* Goes to the next stretch; false after the last. */
bool rank_walk_step(struct rank_walk *walk);
void rank_walk_end(struct rank_walk *walk);

/* A walk over the iterations of all selected ranks at once, for the first of the metrics. */
struct ranks_walk {
    const struct rank_values *of;
    struct sweep sweep;
    uint64_t first, length; /* the current stretch, in which no rank's value changes */
    double *values;         /* of each selected rank; NaN if it does not have the iterations */
};

void ranks_walk_begin(struct ranks_walk *walk, const struct rank_values *values);
bool ranks_walk_step(struct ranks_walk *walk);
void ranks_walk_end(struct ranks_walk *walk);

/* Computes the values of the whole run on the I-th selected rank, one for each metric. */
void rank_whole_run(const struct selection *selection, const struct rank_values_of *of,
                    size_t i, double *values);

#endif
