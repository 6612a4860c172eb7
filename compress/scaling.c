/* See scaling.h. */
#include "compress/scaling.h"

#include <math.h>

#include "compress/sketch.h"

/*
 * Weights are computed anew once a value exceeds the one they come from by this factor.  If the
 * values of a program only grow, that happens a number of times that is logarithmic in their
 * growth.
 */
#define STEP 1.05

/*
 * Where samples fall is chance: with N samples a share of the time is known to about 1 /
 * sqrt(N).  The square of a weight is reduced by N / (N + this), so that chance adds no more to
 * a squared distance than a change of one metric by a twentieth.
 */
#define SURE_SAMPLES 400

/* No sum of 2^31 such values, nor of their squares, is out of range. */
#define LARGEST 1e140

static double within_range(double value)
{
    if (!isfinite(value))
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

void row_make(double *row, const double *condensed, size_t count)
{
    size_t length = row_length(count);
    for (size_t i = 0; i < count; i++)
        row[i] = within_range(condensed[i]);
    for (size_t i = count; i < length; i++)
        row[i] = 0;
}

static void find_live(struct scaling *scaling)
{
    scaling->live = 0;
    scaling->live_metrics = scaling->point_length = 0;
    for (size_t i = 0; i < scaling->sketch; i++)
        scaling->live_metrics += scaling->weights[i] != 0;
    for (size_t i = 0; i < scaling->length; i++)
        if (scaling->weights[i] != 0 && i / SCALING_LANES < SCALING_GROUPS)
            scaling->live |= UINT64_C(1) << i / SCALING_LANES;
    for (size_t i = 0; i < scaling->length; i += SCALING_LANES)
        scaling->point_length += scaling_is_dead(scaling, i) ? 0 : SCALING_LANES;
}

void scaling_place(const struct scaling *scaling, const double *row, float *point)
{
    for (size_t i = 0; i < scaling->length; i += SCALING_LANES) {
        if (scaling_is_dead(scaling, i))
            continue;
        for (size_t n = 0; n < SCALING_LANES; n++)
            *point++ = (float)(row[i + n] * scaling->weights[i + n]);
    }
}

/* A weight is infinite for a value of 0 or close to it, and NaN for a sum out of range. */
static double finite_or_zero(double weight)
{
    return isfinite(weight) ? weight : 0;
}

/* The sketch has no weight in the published method, which did not have it. */
static void weigh_by_average(struct scaling *scaling)
{
    double iterations = (double)scaling->iterations;
    for (size_t i = 0; i < scaling->sketch; i++)
        scaling->weights[i] = finite_or_zero(iterations / fabs(scaling->sums[i]));
}

/* The mean number of samples in an iteration. */
static double mean_samples(const struct scaling *scaling)
{
    return scaling->samples / (double)scaling->iterations;
}

/* The part of the sketch that value I belongs to: all parts have the same size. */
static enum sketch_part part_of(const struct scaling *scaling, size_t i)
{
    return (enum sketch_part)(i * SKETCH_PARTS / scaling->sketch_count);
}

static const enum scaling_kind kind_of[SKETCH_PARTS] = {
    [SKETCH_MPI] = SCALING_TIME,
    [SKETCH_COMPUTATION] = SCALING_TIME,
    [SKETCH_BYTES] = SCALING_BYTES,
    [SKETCH_CALLS] = SCALING_CALLS,
};

static void weigh_sketch(struct scaling *scaling)
{
    double samples = mean_samples(scaling);
    double sampled = sqrt(samples / (samples + SURE_SAMPLES));
    for (size_t i = 0; i < scaling->sketch_count; i++) {
        enum sketch_part part = part_of(scaling, i);
        scaling->weights[scaling->sketch + i] =
            finite_or_zero(1 / scaling->most[kind_of[part]]) *
            (part == SKETCH_COMPUTATION ? sampled : 1);
    }
    for (size_t kind = 0; kind < SCALING_KINDS; kind++)
        scaling->used[kind] = scaling->most[kind];
    scaling->used_samples = samples;
}

static void weigh_by_maximum(struct scaling *scaling)
{
    for (size_t i = 0; i < scaling->sketch; i++)
        scaling->weights[i] = finite_or_zero(1 / scaling->maxima[i]);
    weigh_sketch(scaling);
}

/*
 * Whether a value exceeds what the weights account for, or the number of samples has doubled or
 * halved.
 */
static bool has_outgrown(const struct scaling *scaling, const double *row)
{
    double samples = mean_samples(scaling);
    bool outgrown = samples > 2 * scaling->used_samples || 2 * samples < scaling->used_samples;
    for (size_t kind = 0; kind < SCALING_KINDS; kind++)
        outgrown |= scaling->most[kind] > STEP * scaling->used[kind];
    for (size_t i = 0; i < scaling->sketch; i++)
        outgrown |= fabs(row[i]) * scaling->weights[i] > STEP ||
                    (scaling->weights[i] == 0 && finite_or_zero(1 / row[i]) != 0);
    return outgrown;
}

/* Updates the largest sums of a sketch, by kind, with those of ROW. */
static void add_sketch(struct scaling *scaling, const double *row)
{
    double shown[SCALING_KINDS] = {0};
    for (size_t i = 0; i < scaling->sketch_count; i++)
        shown[kind_of[part_of(scaling, i)]] += fabs(row[scaling->sketch + i]);
    for (size_t kind = 0; kind < SCALING_KINDS; kind++)
        scaling->most[kind] = larger(scaling->most[kind], shown[kind]);
}

bool scaling_add(struct scaling *scaling, const double *row, double samples)
{
    scaling->iterations++;
    scaling->samples += isfinite(samples) && samples > 0 ? samples : 0;
    for (size_t i = 0; i < scaling->length; i++) {
        scaling->sums[i] += row[i];
        scaling->maxima[i] = larger(scaling->maxima[i], fabs(row[i]));
    }
    add_sketch(scaling, row);
    if (scaling->method == CLUSTERING_SZEBENYI) {
        weigh_by_average(scaling);
        find_live(scaling);
        return false;
    }
    if (!has_outgrown(scaling, row))
        return false;
    weigh_by_maximum(scaling);
    find_live(scaling);
    return true;
}
