/*
 * What merging two clusters costs, by the method: the pair that costs least is merged.
 *
 * For files in compress only.  Takes no memory.
 */
#ifndef TSPROF_COST_H
#define TSPROF_COST_H

#include <stddef.h>
#include <stdint.h>

#include "compress/scaling.h"

/* What the cost looks at of a cluster. */
struct cost_side {
    const double *mean; /* a row: what the published method looks at */
    const float *point; /* see scaling_place: what the adaptive one looks at */
    double size;        /* iterations in it */
};

/* The smaller the better: finite and at least 0. */
float cost_of_merging(const struct scaling *scaling, const struct cost_side *a,
                      const struct cost_side *b);

/* Equation 4.1: makes clusters of few iterations, that is noise, merge before large ones. */
double cost_size_factor(uint64_t size);

#endif
