/*
 * How well clusters represent their iterations: the error of reconstructed iterations, from the
 * spreads and maxima in the summary.  doc/compression.md says what the figures mean.
 */
#ifndef TSPROF_QUALITY_H
#define TSPROF_QUALITY_H

#include "query/query.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Errors above this share of the largest value in an iteration are too large to be trusted. */
#define QUALITY_LIMIT 0.05

/* One phase on the selected locations.  An iteration counts once on each location. */
struct quality {
    const struct selection *selection;
    uint32_t phase;
    uint32_t visits;     /* the metric of that name, or SUMMARY_NONE */
    uint64_t iterations; /* iterations that have a profile */
    uint64_t clustered;  /* those of them in clusters of more than one iteration */
    uint64_t asked;      /* the largest number of clusters asked for; 0: all are kept */
    double *spreads;     /* by metric: the sum of the spreads of all clusters */
    double *maxima; /* by metric: the largest value in any iteration; of visits, at least that
                       of frames that are shown, less a little */
    bool *judged;   /* by metric: whether an error above the limit matters */
};

/* Computes the quality of PHASE; free with quality_free. */
struct quality *quality_create(const struct selection *selection, uint32_t phase);
void quality_free(struct quality *quality);

/*
 * The root mean square, over iterations and locations, of the difference between an iteration's
 * value of METRIC and the mean of its cluster, as a share of the largest value; 0 if there are
 * no values.
 */
double quality_error(const struct quality *quality, uint32_t metric);

/* The judged metric with the largest error if that is above the limit, or SUMMARY_NONE. */
uint32_t quality_verdict(const struct quality *quality);

/* A set of iterations: ascending ranges that do not touch.  Free `ranges`. */
struct iteration_set {
    struct range *ranges;
    size_t count;
    uint64_t iterations;
};

/*
 * The iterations that are, on some location, in a cluster whose own error in a judged metric is
 * above the limit.  A cluster's own error is quality_error of its iterations alone.
 */
struct iteration_set quality_doubtful(const struct quality *quality);

#endif
