/*
 * Reconstructs iterations: each has the mean values of its cluster.
 *
 * Values of a rank are summed over its threads; a rank has an iteration if one of its threads
 * has a cluster for it.
 */
#ifndef TSPROF_ITERATIONS_H
#define TSPROF_ITERATIONS_H

#include "query/paths.h"
#include "query/select.h"
#include "query/stretch.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Computes the values of one iteration of PHASE on RANK, one for each metric, in the metric's
 * unit, inclusive over metrics and call paths.  False if the rank does not have the iteration.
 */
bool iteration_totals(const struct summary *summary, const struct rank_group *rank,
                      uint32_t phase, uint64_t iteration, long double *values);

/* The same by call path: replaces VALUES.  False if the rank does not have the iteration. */
bool iteration_paths(const struct rank_group *rank, uint32_t phase, uint64_t iteration,
                     enum metric_sums sums, struct path_values *values);

/* The mean value of METRIC in an iteration of each cluster of SERIES, in the metric's unit; for
 * the caller to free(). */
double *series_means(const struct summary *summary, const struct series *series,
                     uint32_t metric);

/*
 * A walk over those iterations of SERIES in RANGES (ascending, not touching) that have a
 * cluster.  Set the first three members, the others to zero.
 */
struct piece {
    const struct series *series;
    const struct range *ranges;
    size_t range_count;
    /* The current piece: LENGTH successive iterations in CLUSTER. */
    uint32_t cluster;
    uint64_t length;
    /* Where the walk is. */
    size_t range, run;
    uint64_t end;
    bool begun;
};

/* Goes to the next piece; false after the last. */
bool piece_next(struct piece *piece);

/*
 * How many iterations of each cluster of SERIES lie in RANGES (ascending, not touching); for
 * the caller to free().
 */
uint64_t *series_members(const struct series *series, const struct range *ranges, size_t count);

/*
 * Calls VISIT for the selected iterations of PHASE in order: once for each stretch of
 * successive iterations in which METRIC does not change on any rank.  VALUES has one value for
 * each selected rank, NaN if the rank does not have the iterations.
 */
typedef void stretch_visitor(void *context, uint64_t first, uint64_t length,
                             const double *values);
void iterations_visit(const struct selection *selection, uint32_t phase, uint32_t metric,
                      stretch_visitor *visit, void *context);

/* The stretch of LENGTH iterations from FIRST on in which COUNT ranks have VALUES. */
struct stretch stretch_with(uint64_t first, uint64_t length, const double *values,
                            size_t count);

/* A metric of a phase over iterations, as maximum, mean and minimum over the selected ranks. */
struct iteration_view {
    const struct selection *selection;
    uint32_t phase, metric;
    uint64_t first, count;     /* of the iterations */
    struct stretch *stretches; /* gapless from `first` on */
    size_t stretch_count;
};

/* The selected iterations of PHASE; for iteration_view_free. */
struct iteration_view *iteration_view_create(const struct selection *selection, uint32_t phase,
                                             uint32_t metric);
void iteration_view_free(struct iteration_view *view);

#endif
