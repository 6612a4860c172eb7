/* From values to shares of a colour scale and back.  See color_scale.h. */
#include "plot/color_scale.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool coloring_find(const char *name, enum coloring *coloring)
{
    static const char *const names[] = {[COLORING_PERCENTILES] = "percentiles",
                                        [COLORING_LINEAR] = "linear",
                                        [COLORING_ZERO] = "zero",
                                        [COLORING_EQUALIZED] = "equalized"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0) {
            *coloring = (enum coloring)i;
            return true;
        }
    return false;
}

static void find_ends(struct color_scale *scale, const float *values, size_t count)
{
    scale->low = scale->high = NAN;
    for (size_t i = 0; i < count; i++) {
        scale->low = fmin(scale->low, values[i]);
        scale->high = fmax(scale->high, values[i]);
    }
}

/* Zero is an end; or the middle, if there are values on both sides. */
static void include_zero(struct color_scale *scale)
{
    if (scale->low < 0 && scale->high > 0) {
        scale->high = fmax(-scale->low, scale->high);
        scale->low = -scale->high;
    } else {
        scale->low = fmin(scale->low, 0);
        scale->high = fmax(scale->high, 0);
    }
}

static int compare_numbers(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static void sort_values(struct color_scale *scale, const float *values, size_t count)
{
    scale->sorted = allocate(count, sizeof *scale->sorted);
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i]))
            scale->sorted[scale->count++] = values[i];
    qsort(scale->sorted, scale->count, sizeof *scale->sorted, compare_numbers);
}

/*
 * The page leaves out the same share at either end, under the same condition: a few values that
 * are far from the others take the colours from these otherwise (page/src/model/valuemap.ts).
 */
#define CLIPPED        0.01
#define WORTH_CLIPPING 2

static void clip_ends(struct color_scale *scale)
{
    if (scale->count == 0)
        return;
    double last = (double)(scale->count - 1);
    double low = scale->sorted[(size_t)floor(CLIPPED * last)];
    double high = scale->sorted[(size_t)ceil((1 - CLIPPED) * last)];
    if (high <= low || scale->high - scale->low <= WORTH_CLIPPING * (high - low))
        return;
    scale->low = low;
    scale->high = high;
}

void color_scale_make(struct color_scale *scale, enum coloring coloring, const float *values,
                      size_t count)
{
    *scale = (struct color_scale){.coloring = coloring};
    find_ends(scale, values, count);
    scale->least = scale->low;
    scale->largest = scale->high;
    bool both = scale->low < 0 && scale->high > 0;
    if (coloring == COLORING_ZERO && !isnan(scale->low))
        include_zero(scale);
    if (coloring == COLORING_EQUALIZED || coloring == COLORING_PERCENTILES)
        sort_values(scale, values, count);
    if (coloring == COLORING_PERCENTILES)
        clip_ends(scale);
    if (coloring == COLORING_ZERO && both)
        palette_diverging(&scale->palette);
    else
        palette_sequential(&scale->palette);
}

void color_scale_free(struct color_scale *scale)
{
    free(scale->sorted);
    scale->sorted = NULL;
}

/* How many of the values are smaller. */
static size_t count_below(const struct color_scale *scale, double value)
{
    size_t low = 0, high = scale->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (scale->sorted[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double color_scale_share(const struct color_scale *scale, double value)
{
    if (isnan(value) || isnan(scale->low))
        return NAN;
    if (scale->high <= scale->low)
        return 0;
    if (scale->coloring != COLORING_EQUALIZED)
        return (value - scale->low) / (scale->high - scale->low);
    /* So the smallest value is at 0, and the largest, however many have it, at 1. */
    return (double)count_below(scale, value) / (double)count_below(scale, scale->high);
}

double color_scale_value(const struct color_scale *scale, double share)
{
    if (scale->coloring != COLORING_EQUALIZED || scale->count == 0)
        return scale->low + share * (scale->high - scale->low);
    return scale->sorted[(size_t)(share * (double)count_below(scale, scale->high))];
}
