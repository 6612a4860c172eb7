/* See scaling.h. */
#include "compress/scaling.h"

#include <math.h>
#include <string.h>

/*
 * Weights are computed anew once a value exceeds the one they come from by this factor.  If the
 * values of a program only grow, that happens a number of times that is logarithmic in their
 * growth.
 */
#define STEP 1.05

/*
 * The sum of the weighted variances of features as a share of that of totals: while it is not
 * known what clusters explain, and at least and at most.  Found by trying 0.00001 to 2 on
 * synthetic series.  Where call paths move, or come and go, the product of the errors of totals
 * and of call paths is near its least from 0.2 to 0.5, where they vary at random below 0.01.
 * What is taken first is enough for features that clusters can follow to show; with less,
 * clusters may settle on the totals alone.  With the least, they still show if totals stay as
 * they are.
 */
#define PATHS_AT_FIRST 0.2
#define PATHS_LEAST    0.005
#define PATHS_MOST     0.4

/*
 * Features are chosen again when there are a quarter more iterations, and changed if others
 * vary by this factor more, or the weight of all is off by the other (both of squares).
 */
#define BETTER_CHOICE 1.1
#define OTHER_SHARE   1.25

/* No sum of 2^31 such values, nor of their squares, is out of range. */
#define LARGEST 1e140

/* Most are 0, since most programs never use most metrics. */
static double within_range(double value)
{
    if (value == 0 || !isfinite(value))
        return 0;
    return value > LARGEST ? LARGEST : value < -LARGEST ? -LARGEST : value;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

size_t row_length(size_t count)
{
    return (count + SCALING_LANES - 1) / SCALING_LANES * SCALING_LANES;
}

size_t point_most(size_t length)
{
    return length + FEATURES_MOST;
}

void row_make(double *row, const double *condensed, size_t count)
{
    size_t length = row_length(count);
    for (size_t i = 0; i < count; i++)
        row[i] = within_range(condensed[i]);
    for (size_t i = count; i < length; i++)
        row[i] = 0;
}

static void find_live(struct weights *weights, size_t length)
{
    weights->live = 0;
    weights->live_metrics = weights->totals_length = 0;
    for (size_t i = 0; i < length; i++)
        weights->live_metrics += weights->metrics[i] != 0;
    for (size_t i = 0; i < length; i++)
        if (weights->metrics[i] != 0 && i / SCALING_LANES < SCALING_GROUPS)
            weights->live |= UINT64_C(1) << i / SCALING_LANES;
    for (size_t i = 0; i < length; i += SCALING_LANES)
        weights->totals_length += weights_is_dead(weights, i) ? 0 : SCALING_LANES;
    weights->point_length = weights->totals_length + row_length(weights->features.count);
}

void weights_place(struct weights *weights, size_t length, const double *row,
                   const struct sparse *profile, double size, float *point)
{
    for (size_t i = 0; i < length; i += SCALING_LANES) {
        if (weights_is_dead(weights, i))
            continue;
        for (size_t n = 0; n < SCALING_LANES; n++)
            *point++ = (float)(row[i + n] * weights->metrics[i + n]);
    }
    const struct features *features = &weights->features;
    const double factor = weights->paths / size;
    for (uint32_t i = 0; i < features->count; i++) {
        size_t at = sparse_find(profile, features->cells[i], &weights->places[i]);
        double value = at < profile->count ? (double)profile->values[at] : 0;
        point[i] = (float)(value * weights->inverse[i] * factor);
    }
    for (size_t i = features->count; i < row_length(features->count); i++)
        point[i] = 0;
}

/* A weight is infinite for a value of 0 or close to it, and NaN for a sum out of range. */
static double finite_or_zero(double weight)
{
    return isfinite(weight) ? weight : 0;
}

/* Cells have no weight in the published method. */
static void weigh_by_average(struct scaling *scaling)
{
    struct weights *weights = &scaling->sets[scaling->now];
    double iterations = (double)scaling->iterations;
    for (size_t i = 0; i < scaling->length; i++)
        weights->metrics[i] = finite_or_zero(iterations / fabs(scaling->sums[i]));
    find_live(weights, scaling->length);
}

static double iterations_of(const struct scaling *scaling)
{
    return (double)scaling->iterations;
}

/* The sum of the variances of all totals, each as a share of the largest. */
static double totals_variance(const struct scaling *scaling)
{
    double sum = 0;
    for (size_t i = 0; i < scaling->length; i++) {
        double weight = finite_or_zero(1 / scaling->maxima[i]);
        sum += variance_of(iterations_of(scaling), scaling->sums[i], scaling->squares[i]) *
               weight * weight;
    }
    return sum;
}

/*
 * What the weighted variances of FEATURES, VARIANCE before that, should be as a share of those
 * of totals.  The product of two errors is least where their weights are as one over what is
 * left of each: then no exchange of a little of one for the other gains.  What is left of cells
 * is that of the features and of the others, which is not measured.  Clusters may follow the
 * others as well as the features, or not at all; what is taken is the geometric mean of both.
 */
static double paths_share(const struct scaling *scaling, const struct features *features,
                          double variance)
{
    const struct unexplained *left = &scaling->unexplained;
    if (!left->known)
        return PATHS_AT_FIRST;
    const double others = sqrt(left->features) * features->others;
    double share = left->totals * variance / (left->features * variance + others);
    return share > PATHS_MOST ? PATHS_MOST : larger(share, PATHS_LEAST);
}

/* What FEATURES, with VARIANCE in all, are multiplied by. */
static double paths_factor(const struct scaling *scaling, const struct features *features,
                           double variance)
{
    double share = paths_share(scaling, features, variance);
    double factor = sqrt(share * totals_variance(scaling) / variance);
    return isfinite(factor) && factor > 0 ? factor : 1;
}

void scaling_weigh(struct scaling *scaling, unsigned set)
{
    struct weights *weights = &scaling->sets[set];
    struct features *features = &weights->features;
    if (!scaling->choosing)
        *features = scaling->choice.found;
    else if (set != scaling->now)
        *features = scaling_weights(scaling)->features;
    for (size_t i = 0; i < scaling->length; i++)
        weights->metrics[i] = finite_or_zero(1 / scaling->maxima[i]);
    weights->paths = paths_factor(
        scaling, features, features_variance(features, scaling->cells, iterations_of(scaling)));
    for (uint32_t i = 0; i < features->count; i++) {
        const uint32_t metric = features->metrics[i];
        weights->tops[i] = scaling->cells->tops[metric];
        weights->inverse[i] =
            finite_or_zero(1 / cells_scale(scaling->cells, iterations_of(scaling), metric));
    }
    memset(weights->places, 0, sizeof(weights->places));
    find_live(weights, scaling->length);
}

/* Whether a total or a cell of a feature's metric exceeds what the weights account for. */
static bool has_outgrown(const struct scaling *scaling, const double *row)
{
    const struct weights *weights = scaling_weights(scaling);
    bool outgrown = false;
    for (size_t i = 0; i < scaling->length; i++)
        if (row[i] != 0)
            outgrown |= fabs(row[i]) * weights->metrics[i] > STEP ||
                        (weights->metrics[i] == 0 && finite_or_zero(1 / row[i]) != 0);
    for (uint32_t i = 0; i < weights->features.count; i++)
        outgrown |=
            scaling->cells->tops[weights->features.metrics[i]] > STEP * weights->tops[i];
    return outgrown;
}

bool scaling_choose(struct scaling *scaling)
{
    if (!scaling->choosing)
        choice_start(&scaling->choice, scaling->cells, iterations_of(scaling));
    scaling->choosing = !choice_go_on(&scaling->choice);
    if (!scaling->choosing)
        scaling->next_choice = scaling->iterations + scaling->iterations / 4 + 1;
    return !scaling->choosing;
}

/* Whether the choice that was made last is better than the features in force. */
static bool is_better(const struct scaling *scaling)
{
    const struct weights *weights = scaling_weights(scaling);
    double now = features_variance(&weights->features, scaling->cells, iterations_of(scaling));
    double found =
        features_variance(&scaling->choice.found, scaling->cells, iterations_of(scaling));
    double factor = paths_factor(scaling, &scaling->choice.found, found);
    double ratio = factor / weights->paths;
    return found > BETTER_CHOICE * now ||
           (found > 0 && (ratio * ratio > OTHER_SHARE || ratio * ratio < 1 / OTHER_SHARE));
}

bool scaling_chooses_next(const struct scaling *scaling)
{
    return !scaling->choosing && scaling->iterations + 1 >= scaling->next_choice;
}

bool scaling_wants_change(struct scaling *scaling, const double *row)
{
    bool due = scaling->choosing || scaling->iterations >= scaling->next_choice;
    bool chosen = due && scaling_choose(scaling);
    bool outgrown = has_outgrown(scaling, row);
    return (chosen && is_better(scaling)) || outgrown;
}

void scaling_add(struct scaling *scaling, const double *row)
{
    scaling->iterations++;
    for (size_t i = 0; i < scaling->length; i++) {
        if (row[i] == 0)
            continue;
        scaling->sums[i] += row[i];
        scaling->squares[i] += row[i] * row[i];
        scaling->maxima[i] = larger(scaling->maxima[i], fabs(row[i]));
    }
    if (scaling->method == CLUSTERING_SZEBENYI)
        weigh_by_average(scaling);
}
