/* See unexplained.h. */
#include "compress/unexplained.h"

enum { AT_ONCE = 16 /* clusters between two pauses */ };

/* Sums of squared deviations, each value's divided by the square of its scale. */
struct squares {
    double within; /* from the means of the clusters */
    double all;    /* from the mean of all iterations */
};

/* Adds a value by its SUM and SQUARES over all iterations. */
static void add_squares(struct squares *sums, const struct scaling *scaling, double sum,
                        double squares, double within, double scale)
{
    const double iterations = (double)scaling->iterations;
    const double variance = variance_of(iterations, sum, squares);
    if (!(variance > 0))
        return;
    sums->within += within > CELLS_ROUNDING * squares ? within / (scale * scale) : 0;
    sums->all += iterations * variance / (scale * scale);
}

static void add_total(struct squares *sums, const struct pairs *pairs, const struct pool *pool,
                      const struct scaling *scaling, size_t total)
{
    double within = 0;
    for (uint32_t p = 0; p < pool->count; p++) {
        within += pool_spread(pool, pool->order[p])[total];
        if (p % AT_ONCE == AT_ONCE - 1)
            pairs_pause(pairs);
    }
    add_squares(sums, scaling, scaling->sums[total], scaling->squares[total], within,
                scaling->maxima[total]);
}

/* What is within clusters is what the sum of all squares has and the clusters' sums have not.
 */
static void add_feature(struct squares *sums, const struct pairs *pairs,
                        const struct pool *pool, const struct scaling *scaling,
                        uint32_t feature)
{
    const struct features *features = &scaling_weights(scaling)->features;
    const uint32_t cell = features->cells[feature];
    const double squares = cells_squares(scaling->cells, cell);
    uint32_t place = 0;
    double sum = 0, of_means = 0;
    for (uint32_t p = 0; p < pool->count; p++) {
        const struct cluster *cluster = pool_at(pool, p);
        if (p % AT_ONCE == AT_ONCE - 1)
            pairs_pause(pairs);
        const size_t at = sparse_find(&cluster->profile, cell, &place);
        if (at == cluster->profile.count)
            continue;
        const double value = (double)cluster->profile.values[at];
        sum += value;
        of_means += value * value / cluster->size;
    }
    add_squares(
        sums, scaling, sum, squares, squares - of_means,
        cells_scale(scaling->cells, (double)scaling->iterations, features->metrics[feature]));
}

/* Unbiased: each cluster's own mean is fitted to its members, as is that of all to all. */
static double share_of(const struct squares *sums, double iterations, double clusters)
{
    return sums->within / (iterations - clusters) / (sums->all / (iterations - 1));
}

void unexplained_measure(const struct pairs *pairs, const struct pool *pool,
                         struct scaling *scaling)
{
    struct squares totals = {0, 0}, features = {0, 0};
    if (scaling->iterations <= pool->count)
        return;
    for (size_t i = 0; i < scaling->length; i++) {
        if (!(scaling->maxima[i] > 0))
            continue;
        add_total(&totals, pairs, pool, scaling, i);
        pairs_pause(pairs);
    }
    for (uint32_t i = 0; i < scaling_weights(scaling)->features.count; i++) {
        add_feature(&features, pairs, pool, scaling, i);
        pairs_pause(pairs);
    }
    if (!(totals.all > 0 && features.all > 0))
        return;
    const double iterations = (double)scaling->iterations, clusters = pool->count;
    scaling->unexplained =
        (struct unexplained){.known = true,
                             .totals = share_of(&totals, iterations, clusters),
                             .features = share_of(&features, iterations, clusters)};
}
