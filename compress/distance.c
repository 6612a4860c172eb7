/* Condensed profiles and their distance.  See distance.h. */
#include "distance.h"

#include <float.h>
#include <math.h>

/* Distances are most of what an iteration costs: four sums that do not wait for each other, and
 * rows padded so that no rest is left over. */
#define LANES 4

/* Most programs never use most metrics: groups of weights that are all zero are passed by. */
#define GROUPS_TOLD_APART 64

size_t distance_row_length(size_t count)
{
    return (count + LANES - 1) / LANES * LANES;
}

void distance_make_row(double *row, const double *condensed, size_t count)
{
    size_t length = distance_row_length(count);
    for (size_t i = 0; i < count; i++)
        row[i] = isfinite(condensed[i]) ? condensed[i] : 0;
    for (size_t i = count; i < length; i++)
        row[i] = 0;
}

void average_add(struct average *average, const double *row)
{
    double iterations = (double)++average->iterations;
    average->live = 0;
    for (size_t i = 0; i < average->length; i++) {
        if (fabs(row[i]) > average->maxima[i])
            average->maxima[i] = fabs(row[i]);
        double weight = iterations / fabs(average->sums[i] += row[i]);
        /* Infinite for an average of 0 or next to it, not a number for a sum out of range. */
        average->weights[i] = isfinite(weight) ? weight : 0;
        if (average->weights[i] != 0 && i / LANES < GROUPS_TOLD_APART)
            average->live |= UINT64_C(1) << i / LANES;
    }
}

double distance_size_factor(uint64_t size)
{
    double factor = 0.4 + 0.05 * (double)size;
    return size <= 12 ? factor : sqrt(factor);
}

double distance_between(const double *a, const double *b, const struct average *average,
                        uint64_t size)
{
    const double *w = average->weights;
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (size_t i = 0; i < average->length; i += LANES) {
        if (i / LANES < GROUPS_TOLD_APART && !(average->live >> i / LANES & 1))
            continue;
        s0 += fabs(a[i] - b[i]) * w[i];
        s1 += fabs(a[i + 1] - b[i + 1]) * w[i + 1];
        s2 += fabs(a[i + 2] - b[i + 2]) * w[i + 2];
        s3 += fabs(a[i + 3] - b[i + 3]) * w[i + 3];
    }
    double distance = distance_size_factor(size) * ((s0 + s1) + (s2 + s3));
    /* Values at the end of the range overflow; they are far away, but still comparable. */
    return distance <= DBL_MAX ? distance : DBL_MAX;
}
