/* See cost.h. */
#include "cost.h"

#include <float.h>
#include <math.h>

/* Distances are most of what an iteration costs: four sums that do not wait for each other. */
struct sums {
    double lane[SCALING_LANES];
};

static double total(struct sums sums)
{
    return (sums.lane[0] + sums.lane[1]) + (sums.lane[2] + sums.lane[3]);
}

/* Values at the end of the range overflow; they are far away, but still comparable. */
static double bounded(double cost)
{
    return cost <= DBL_MAX ? cost : DBL_MAX;
}

static int is_passed_over(const struct scaling *scaling, size_t i)
{
    return i / SCALING_LANES < SCALING_GROUPS && !(scaling->live >> i / SCALING_LANES & 1);
}

static double manhattan(const struct scaling *scaling, const double *a, const double *b)
{
    struct sums sums = {{0}};
    for (size_t i = 0; i < scaling->length; i += SCALING_LANES) {
        if (is_passed_over(scaling, i))
            continue;
        for (size_t n = 0; n < SCALING_LANES; n++)
            sums.lane[n] += fabs(a[i + n] - b[i + n]) * scaling->weights[i + n];
    }
    return total(sums);
}

static double square(double x)
{
    return x * x;
}

static double squared_euclidean(const struct scaling *scaling, const double *a, const double *b)
{
    struct sums sums = {{0}};
    for (size_t i = 0; i < scaling->length; i += SCALING_LANES) {
        if (is_passed_over(scaling, i))
            continue;
        for (size_t n = 0; n < SCALING_LANES; n++)
            sums.lane[n] += square((a[i + n] - b[i + n]) * scaling->weights[i + n]);
    }
    return total(sums);
}

double cost_size_factor(uint64_t size)
{
    double factor = 0.4 + 0.05 * (double)size;
    return size <= 12 ? factor : sqrt(factor);
}

/*
 * Found by trying: the largest error on any of flat, periodic, stepwise, drifting, randomly
 * walking and mixed series, at 8 to 256 clusters, is smallest near it; see doc/compression.md.
 */
#define SIZE_SHARE 0.05

/*
 * The sum of squares that merging adds (J. Ward, "Hierarchical Grouping to Optimize an
 * Objective Function", 1963), and something for the size.  Ward's sum alone is too fond of
 * large clusters: it is always cheap to add one more iteration to the last of them, so that on
 * line a program that drifts would end up in one cluster.
 */
static double adaptive(const struct scaling *scaling, struct cost_side a, struct cost_side b)
{
    double size = a.size + b.size;
    return squared_euclidean(scaling, a.mean, b.mean) *
           (a.size * b.size / size + SIZE_SHARE * size);
}

double cost_of_merging(const struct scaling *scaling, struct cost_side a, struct cost_side b)
{
    if (scaling->method == CLUSTERING_SZEBENYI)
        return bounded(cost_size_factor((uint64_t)(a.size + b.size)) *
                       manhattan(scaling, a.mean, b.mean));
    return bounded(adaptive(scaling, a, b));
}
