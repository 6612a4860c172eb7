/*
 * What is around the values in a picture: headings above, a legend, axes with ticks and units,
 * notes below.
 */
#ifndef TSPROF_PLOT_FRAME_H
#define TSPROF_PLOT_FRAME_H

#include "plot/bins.h"
#include "plot/plot.h"
#include "plot/plot_ticks.h"

struct legend_item {
    rgb color;
    const char *text;
    bool line; /* a line's colour, rather than an area's */
};

/* An axis, from LOW to HIGH in what its ticks are labelled with: values divided by FACTOR. */
struct axis {
    const char *title;
    double low, high, factor;
    struct ticks ticks;
};

/* The place that is left for the values. */
struct frame {
    struct plot *plot;
    double x, y, width, height;
    struct axis across, up;
    bool from_above; /* `up` goes down: ranks in rows */
};

/* About as wide is the place for values at least, for a decision how many there may be. */
double frame_least_width(const struct plot *plot);
double frame_least_height(const struct plot *plot);

/*
 * Draws everything but the axes, and finds the place; SPACE is left free on its right.  ACROSS
 * and UP tell how large labels are.
 */
void frame_begin(struct frame *frame, struct plot *plot, const struct axis *across,
                 const struct axis *up, const struct legend_item *legend, size_t count,
                 double space);
/* The lines behind the values. */
void frame_grid(const struct frame *frame);
/* The axes, over the values. */
void frame_end(const struct frame *frame);

/* Where a value of an axis is in the picture. */
double frame_x(const struct frame *frame, double value);
double frame_y(const struct frame *frame, double value);

/*
 * An axis of things in a row, in bins: tick marks are at their middles.  ROOM: about how long
 * it is, LABEL_ROOM what a label needs.
 */
struct axis axis_of_numbers(const char *title, const struct division *division, double room,
                            double label_room);

/*
 * An axis of the plot's values, which lie between LOW and HIGH (NaN: there are none).  TITLE
 * has the words before the unit, and lives as long as the axis.
 */
struct axis axis_of_values(const struct plot *plot, struct text *title, double low,
                           double high);

/* Lines and areas of values of bins, level over each of them; nothing where they are NaN. */
void frame_steps(const struct frame *frame, const struct division *division,
                 const double *values, rgb color, double width);
void frame_band(const struct frame *frame, const struct division *division, const double *low,
                const double *high, rgb color);

/* Room that labels need. */
#define NUMBER_ROOM 60.0
#define LINE_ROOM   30.0

#define LABEL_SIZE 11.0

#endif
