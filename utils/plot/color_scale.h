/*
 * Which colour a value has in a map.
 */
#ifndef TSPROF_COLOR_SCALE_H
#define TSPROF_COLOR_SCALE_H

#include "plot/plot_colors.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum coloring {
    COLORING_LINEAR,   /* evenly from the smallest value to the largest */
    COLORING_ZERO,     /* evenly from zero to the largest; if some are below, to both sides */
    COLORING_EQUALIZED /* every colour as often as every other: by place in order of size */
};

/* "linear", "zero" or "equalized"; false if NAME is none of them. */
bool coloring_find(const char *name, enum coloring *coloring);

struct color_scale {
    enum coloring coloring;
    double low, high; /* at the ends; NaN if there are no values */
    double *sorted;   /* of an equalised scale: all values */
    size_t count;
    struct palette palette;
};

/* The scale for VALUES, of which NaN does not count.  End with color_scale_free. */
void color_scale_make(struct color_scale *scale, enum coloring coloring, const float *values,
                      size_t count);
void color_scale_free(struct color_scale *scale);

/* Where VALUE is on the scale: 0 to 1; NaN for NaN. */
double color_scale_share(const struct color_scale *scale, double value);
/* The value at a share of the scale. */
double color_scale_value(const struct color_scale *scale, double share);

#endif
