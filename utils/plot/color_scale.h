/*
 * Maps values to colours.
 */
#ifndef TSPROF_COLOR_SCALE_H
#define TSPROF_COLOR_SCALE_H

#include "plot/plot_colors.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum coloring {
    COLORING_PERCENTILES, /* evenly from the first percentile to the 99th, if that is finer */
    COLORING_LINEAR,      /* evenly from the smallest value to the largest */
    COLORING_ZERO,     /* evenly from zero to the largest; to both sides if some are negative */
    COLORING_EQUALIZED /* by rank order, so that every colour is used about as often */
};

/* "percentiles", "linear", "zero" or "equalized"; false if NAME is none of them. */
bool coloring_find(const char *name, enum coloring *coloring);

struct color_scale {
    enum coloring coloring;
    double low, high;      /* the values at the ends; NaN if there are no values */
    double least, largest; /* of all values, which may lie beyond the ends */
    double *sorted;        /* of scales that need it: all values, ascending */
    size_t count;
    struct palette palette;
};

/* Makes the scale for VALUES, ignoring NaN.  Free with color_scale_free. */
void color_scale_make(struct color_scale *scale, enum coloring coloring, const float *values,
                      size_t count);
void color_scale_free(struct color_scale *scale);

/* Where VALUE lies on the scale: from 0 to 1, or beyond; NaN for NaN. */
double color_scale_share(const struct color_scale *scale, double value);
/* The value that lies at SHARE (0 to 1) of the scale. */
double color_scale_value(const struct color_scale *scale, double share);

#endif
