/*
 * Draws everything around the values of a picture: headings above, a legend, axes with ticks
 * and units, notes below.
 */
#ifndef TSPROF_PLOT_FRAME_H
#define TSPROF_PLOT_FRAME_H

#include "plot/bins.h"
#include "plot/plot.h"
#include "plot/plot_ticks.h"

struct legend_item {
    rgb color;
    const char *text;
    bool line; /* it is the colour of a line, not of an area */
};

/* An axis from LOW to HIGH.  Its labels, and LOW and HIGH, are values divided by FACTOR. */
struct axis {
    const char *title;
    double low, high, factor;
    struct ticks ticks;
};

/* The rectangle for the values. */
struct frame {
    struct plot *plot;
    double x, y, width, height;
    struct axis across, up;
    bool from_above; /* the axis `up` runs downwards, as for ranks in rows */
};

/* The least size that the rectangle will have, to decide how many values fit into it. */
double frame_least_width(const struct plot *plot);
double frame_least_height(const struct plot *plot);

/*
 * Draws everything except the axes, and sets the rectangle for the values, leaving SPACE free
 * on its right.  ACROSS and UP determine how much room labels take.
 */
void frame_begin(struct frame *frame, struct plot *plot, const struct axis *across,
                 const struct axis *up, const struct legend_item *legend, size_t count,
                 double space);
/* Draws the grid; call before drawing values. */
void frame_grid(const struct frame *frame);
/* Draws the axes; call after drawing values. */
void frame_end(const struct frame *frame);

/* The position of an axis's value in the picture. */
double frame_x(const struct frame *frame, double value);
double frame_y(const struct frame *frame, double value);

/*
 * Makes an axis of things in bins, with ticks in the middle of things.  ROOM is about the
 * length of the axis, LABEL_ROOM the length that a label takes.
 */
struct axis axis_of_numbers(const char *title, const struct division *division, double room,
                            double label_room);

/*
 * Makes an axis for the plot's values, which lie between LOW and HIGH (NaN: there are none).
 * TITLE has the words before the unit, which is added to it; it must outlive the axis.
 */
struct axis axis_of_values(const struct plot *plot, struct text *title, double low,
                           double high);

/* Draws the values of bins as a stepped line, or the area between two; nothing where they are
 * NaN. */
void frame_steps(const struct frame *frame, const struct division *division,
                 const double *values, rgb color, double width);
void frame_band(const struct frame *frame, const struct division *division, const double *low,
                const double *high, rgb color);

/* How much of an axis a label takes. */
#define NUMBER_ROOM 60.0
#define LINE_ROOM   30.0

#define LABEL_SIZE 11.0

#endif
