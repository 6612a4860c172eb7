/*
 * Iterations reconstructed: the mean of an iteration's cluster stands for it.
 *
 * Values of a rank are summed over its threads; a rank has an iteration if one of its threads
 * has a cluster for it.
 */
#ifndef TSPROF_ITERATIONS_H
#define TSPROF_ITERATIONS_H

#include "paths.h"
#include "select.h"
#include "stretch.h"

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
