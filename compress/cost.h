/*
 * The cost of merging two clusters, by the clustering method: the pair with the lowest cost is
 * merged.
 *
 * For files in compress only.  Takes no memory.
 */
#ifndef TSPROF_COST_H
#define TSPROF_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compress/scaling.h"

/* What the cost of a merger depends on, for one of the two clusters. */
struct cost_side {
    const double *mean; /* a row, for the published method */
    const float *point; /* for the adaptive method, see weights_place */
    double size;        /* iterations in it */
};

/* The cost of merging A and B: finite and at least 0. */
float cost_of_merging(const struct scaling *scaling, const struct cost_side *a,
                      const struct cost_side *b);

/*
 * Whether a merger of A and B moves its members by more than TOLERATED,
 * a share of the metrics' largest values: in the root mean square over totals, or over
 * features.
 */
bool cost_exceeds(const struct scaling *scaling, const struct cost_side *a,
                  const struct cost_side *b, double tolerated);

/*
 * The size factor of equation 4.1 for a cluster of SIZE iterations: it lets small clusters,
 * which are noise, merge before large ones.
 */
double cost_size_factor(uint64_t size);

#endif
