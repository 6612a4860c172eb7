/*
 * The cost of merging two clusters, by the clustering method: the pair with the lowest cost is
 * merged.
 *
 * For files in compress only.  Takes no memory.
 */
#ifndef TSPROF_COST_H
#define TSPROF_COST_H

#include <float.h>
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

/* ---- the adaptive method's cost, in line: most of the time of an iteration goes into it ----
 */

/* Four floats at any address. */
typedef float lanes __attribute__((vector_size(SCALING_LANES * sizeof(float)), aligned(4)));

/* Adds the squares of the differences of the floats FROM to TO-1. */
static inline lanes lanes_add_squares(lanes sum, const float *a, const float *b, size_t from,
                                      size_t to)
{
    for (size_t i = from; i < to; i += SCALING_LANES) {
        lanes difference = *(const lanes *)(a + i) - *(const lanes *)(b + i);
        sum += difference * difference;
    }
    return sum;
}

/* (0 + 1) + (2 + 3), with both inner sums at once. */
static inline float lanes_total(lanes sum)
{
    const lanes pairs = sum + (lanes){sum[1], sum[0], sum[3], sum[2]};
    return pairs[0] + pairs[2];
}

/* Limits a cost that overflows a float, or is not a number, so that it stays comparable. */
static inline float cost_bounded(double cost)
{
    return (float)(cost < (double)FLT_MAX ? cost : (double)FLT_MAX);
}

/*
 * The factor of the squared distance: that of the sum of squares that merging adds (J. Ward,
 * "Hierarchical Grouping to Optimize an Objective Function", 1963), and something for the size.
 * Ward's sum alone is too fond of large clusters: it is always cheap to add one more iteration
 * to the last of them, so that on line a program that drifts would end up in one cluster.
 */
static inline double cost_size_term(double size_share, double a, double b)
{
    double size = a + b;
    return a * b / size + size_share * size;
}

/*
 * The cost of merging two clusters with points A and B of LENGTH floats, TOTALS of them totals
 * (see struct weights), whose factor is TERM, if that is not above LIMIT.  Else it need not be
 * computed to the end: what is returned is below zero then, and without its sign more than
 * LIMIT and no more than the cost.  For sums of squares only grow, rounded as well: those of
 * the totals, which come first, bound the whole.
 */
static inline float cost_up_to(size_t totals, size_t length, const float *a, const float *b,
                               double term, float limit)
{
    const lanes sum = lanes_add_squares((lanes){0}, a, b, 0, totals);
    const float bound = cost_bounded((double)lanes_total(sum) * term);
    if (bound > limit)
        return -bound;
    const lanes all = lanes_add_squares(sum, a, b, totals, length);
    return cost_bounded((double)lanes_total(all) * term);
}

#endif
