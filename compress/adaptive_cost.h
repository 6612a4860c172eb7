/*
 * The cost of a merger by the adaptive method, in line: most of the time that an iteration
 * takes goes into it.
 *
 * For cost.c and pairs.c only.
 */
#ifndef TSPROF_ADAPTIVE_COST_H
#define TSPROF_ADAPTIVE_COST_H

#include <float.h>
#include <stddef.h>

#include "compress/cost.h"

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

static inline float lanes_total(lanes sum)
{
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Limits a cost that overflows a float, so that it stays comparable. */
static inline float cost_bounded(double cost)
{
    return cost <= (double)FLT_MAX ? (float)cost : FLT_MAX;
}

/*
 * The factor of the squared distance: that of the sum of squares that merging adds (J. Ward,
 * "Hierarchical Grouping to Optimize an Objective Function", 1963), and something for the size.
 * Ward's sum alone is too fond of large clusters: it is always cheap to add one more iteration
 * to the last of them, so that on line a program that drifts would end up in one cluster.
 */
static inline double cost_size_term(const struct scaling *scaling, double a, double b)
{
    double size = a + b;
    return a * b / size + scaling->size_share * size;
}

/*
 * The cost of merging two clusters with points A and B, whose factor is TERM, if that is not
 * above LIMIT.  Else it need not be computed to the end: what is returned is below zero then,
 * and without its sign more than LIMIT and no more than the cost.  For sums of squares only
 * grow, rounded as well: those of the totals, which come first, bound the whole.
 */
static inline float cost_up_to(const struct weights *weights, const float *a, const float *b,
                               double term, float limit)
{
    const size_t totals = weights->totals_length;
    const lanes sum = lanes_add_squares((lanes){0}, a, b, 0, totals);
    const float bound = cost_bounded((double)lanes_total(sum) * term);
    if (bound > limit)
        return -bound;
    const lanes all = lanes_add_squares(sum, a, b, totals, weights->point_length);
    return cost_bounded((double)lanes_total(all) * term);
}

#endif
