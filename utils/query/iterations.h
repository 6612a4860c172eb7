/*
 * Iterations reconstructed: the mean of an iteration's cluster stands for it.
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
 * Fills VALUES (one for each metric, in its unit; inclusive over metrics and call paths) for
 * one iteration of PHASE on RANK; false if the rank does not have it.
 */
bool iteration_totals(const struct summary *summary, const struct rank_group *rank,
                      uint32_t phase, uint64_t iteration, long double *values);

/* Replaces what VALUES holds by the same iteration's values by call path; false likewise. */
bool iteration_paths(const struct rank_group *rank, uint32_t phase, uint64_t iteration,
                     enum metric_sums sums, struct path_values *values);

/* The mean of METRIC in an iteration of each cluster of SERIES; for the caller to free(). */
double *series_means(const struct summary *summary, const struct series *series,
                     uint32_t metric);

/*
 * Walks over the iterations of SERIES in RANGES (ascending, apart) that have a cluster: start
 * from zeros but for the first three.
 */
struct piece {
    const struct series *series;
    const struct range *ranges;
    size_t range_count;
    /* So many in a row are in the same cluster. */
    uint32_t cluster;
    uint64_t length;
    /* The walk's own. */
    size_t range, run;
    uint64_t end;
    bool begun;
};

/* Goes to the next piece; false after the last. */
bool piece_next(struct piece *piece);

/*
 * How many of the iterations in RANGES (ascending, apart) are in each cluster of SERIES; for
 * the caller to free().
 */
uint64_t *series_members(const struct series *series, const struct range *ranges, size_t count);

/*
 * Calls VISIT for the selected iterations of PHASE in order, once for as many in a row as have
 * the same value of METRIC on every rank.  VALUES has one for each selected rank, NaN where it
 * does not have the iterations.
 */
typedef void stretch_visitor(void *context, uint64_t first, uint64_t length,
                             const double *values);
void iterations_visit(const struct selection *selection, uint32_t phase, uint32_t metric,
                      stretch_visitor *visit, void *context);

/* LENGTH iterations from FIRST on with such values of COUNT ranks. */
struct stretch stretch_with(uint64_t first, uint64_t length, const double *values,
                            size_t count);

/* One metric of one phase over iterations, and how the selected ranks share it. */
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
