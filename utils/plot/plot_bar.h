/*
 * The bar beside a map that says which colour stands for which value.
 */
#ifndef TSPROF_PLOT_BAR_H
#define TSPROF_PLOT_BAR_H

#include "plot/plot_frame.h"

/* Room for it on the right of the place for values. */
#define BAR_SPACE 108.0

/* TITLE: what the values are, without their unit. */
void plot_bar(struct plot *plot, double x, double y, double height,
              const struct color_scale *scale, const char *title);

/* The colours of COUNT values. */
uint8_t *plot_pixels(const struct color_scale *scale, const float *values, size_t count);

/* The scale for VALUES, as PLOT has it or, if values are below zero, with zero in its middle.
 */
void plot_color_scale(struct color_scale *scale, const struct plot *plot, const float *values,
                      size_t count);

/* Adds to the notes what the smallest and the largest of VALUES are, and how they are coloured.
 */
void plot_bar_note(struct plot *plot, const struct color_scale *scale, const float *values,
                   size_t count);

#endif
