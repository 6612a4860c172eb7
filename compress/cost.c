/* See cost.h. */
#include "compress/cost.h"

#include <math.h>

/*
 * Most of the time for an iteration goes into distances, so four independent sums are kept: no
 * addition waits for the one before.
 */
struct sums {
    double lane[SCALING_LANES];
};

static double total(struct sums sums)
{
    return (sums.lane[0] + sums.lane[1]) + (sums.lane[2] + sums.lane[3]);
}

static double manhattan(const struct scaling *scaling, const double *a, const double *b)
{
    const struct weights *weights = scaling_weights(scaling);
    struct sums sums = {{0}};
    for (size_t i = 0; i < scaling->length; i += SCALING_LANES) {
        if (weights_is_dead(weights, i))
            continue;
        for (size_t n = 0; n < SCALING_LANES; n++)
            sums.lane[n] += fabs(a[i + n] - b[i + n]) * weights->metrics[i + n];
    }
    return total(sums);
}

static inline float squared_distance(const float *a, const float *b, size_t length)
{
    return lanes_total(lanes_add_squares((lanes){0}, a, b, 0, length));
}

double cost_size_factor(uint64_t size)
{
    double factor = 0.4 + 0.05 * (double)size;
    return size <= 12 ? factor : sqrt(factor);
}

static inline double size_term(const struct scaling *scaling, const struct cost_side *a,
                               const struct cost_side *b)
{
    return cost_size_term(scaling->size_share, a->size, b->size);
}

static inline double adaptive(const struct scaling *scaling, const struct cost_side *a,
                              const struct cost_side *b)
{
    return (double)squared_distance(a->point, b->point,
                                    scaling_weights(scaling)->point_length) *
           size_term(scaling, a, b);
}

/* The same for the published method, which has no points. */
static bool totals_exceed(const struct scaling *scaling, const struct cost_side *a,
                          const struct cost_side *b, double tolerated)
{
    double most = tolerated * tolerated * (a->size + b->size) / size_term(scaling, a, b);
    double sum = 0, metrics = 0;
    for (size_t i = 0; i < scaling->length; i++) {
        double share = (a->mean[i] - b->mean[i]) / scaling->maxima[i];
        metrics += scaling->maxima[i] > 0;
        sum += isfinite(share) ? share * share : 0;
    }
    return sum > most * metrics;
}

bool cost_exceeds(const struct scaling *scaling, const struct cost_side *a,
                  const struct cost_side *b, double tolerated)
{
    if (scaling->method == CLUSTERING_SZEBENYI)
        return totals_exceed(scaling, a, b, tolerated);
    const struct weights *weights = scaling_weights(scaling);
    const size_t totals = weights->totals_length;
    double most = tolerated * tolerated * (a->size + b->size) / size_term(scaling, a, b);
    double paths = 0;
    /* As shares of the largest value, whatever scale they are compared on. */
    for (uint32_t i = 0; i < weights->features.count; i++) {
        const double distance = (double)a->point[totals + i] - (double)b->point[totals + i],
                     share =
                         distance / (weights->paths * weights->inverse[i] * weights->tops[i]);
        paths += isfinite(share) ? share * share : 0;
    }
    return (double)squared_distance(a->point, b->point, totals) >
               most * (double)weights->live_metrics ||
           paths > most * (double)weights->features.count;
}

float cost_of_merging(const struct scaling *scaling, const struct cost_side *a,
                      const struct cost_side *b)
{
    if (scaling->method == CLUSTERING_SZEBENYI)
        return cost_bounded(cost_size_factor((uint64_t)(a->size + b->size)) *
                            manhattan(scaling, a->mean, b->mean));
    return cost_bounded(adaptive(scaling, a, b));
}
