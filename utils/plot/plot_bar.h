/*
 * Draws the bar beside a map that shows which colour means which value.
 */
#ifndef TSPROF_PLOT_BAR_H
#define TSPROF_PLOT_BAR_H

#include "plot/plot_frame.h"

/* The width to reserve for it, on the right of the map. */
#define BAR_SPACE 108.0

/* Draws the bar.  TITLE says what the values are, without their unit. */
void plot_bar(struct plot *plot, double x, double y, double height,
              const struct color_scale *scale, const char *title);

/* The palette indexes of COUNT values, for a raster; the caller's to free(). */
uint8_t *plot_pixels(const struct color_scale *scale, const float *values, size_t count);

/* Makes the scale for VALUES: as the user asked for or, if values are negative and the user did
 * not ask, with zero in the middle. */
void plot_color_scale(struct color_scale *scale, const struct plot *plot, const float *values,
                      size_t count);

/* Adds to the notes the smallest and the largest of the scale's values, and how they are
 * coloured.
 */
void plot_bar_note(struct plot *plot, const struct color_scale *scale);

#endif
