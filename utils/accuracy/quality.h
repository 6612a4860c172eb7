/*
 * How well clusters stand for their iterations: the error of the reconstruction, from the
 * spreads and maxima that a summary keeps.  doc/compression.md says what the figures mean.
 */
#ifndef TSPROF_QUALITY_H
#define TSPROF_QUALITY_H

#include "query/query.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Errors above this are too large to trust, as a share of the largest value in an iteration. */
#define QUALITY_LIMIT 0.05

/* One phase on the selected locations.  Iterations are counted once on each of them. */
struct quality {
    const struct selection *selection;
    uint32_t phase;
    uint64_t iterations; /* that have a profile */
    uint64_t clustered;  /* of those: in clusters of more than one */
    uint64_t asked;      /* the most clusters that a location was asked for; 0: all */
    double *spreads;     /* by metric: sum over clusters */
    double *maxima;      /* by metric: the largest value that an iteration had */
    bool *judged;        /* by metric: an error above the limit matters */
};

/* For quality_free. */
struct quality *quality_create(const struct selection *selection, uint32_t phase);
void quality_free(struct quality *quality);

/*
 * The root mean square over iterations and locations of the difference between an iteration's
 * value of METRIC and the mean of its cluster, as a share of the largest value; 0 without any.
 */
double quality_error(const struct quality *quality, uint32_t metric);

/* The judged metric with the largest error if that is above the limit, or SUMMARY_NONE. */
uint32_t quality_verdict(const struct quality *quality);

/* Iterations, as ascending ranges that do not touch; free the list. */
struct iteration_set {
    struct range *ranges;
    size_t count;
    uint64_t iterations;
};

/*
 * The iterations that are, on some location, in a cluster whose own error of a judged metric is
 * above the limit: the same figure with the cluster's iterations alone.
 */
struct iteration_set quality_doubtful(const struct quality *quality);

#endif
