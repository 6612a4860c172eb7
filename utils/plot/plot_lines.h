/*
 * Draws graphs of three lines over iterations or ranks: the maximum, the mean or median, and
 * the minimum.
 */
#ifndef TSPROF_PLOT_LINES_H
#define TSPROF_PLOT_LINES_H

#include "plot/plot_frame.h"

enum { LINE_HIGH, LINE_MIDDLE, LINE_LOW, LINES };

struct lines {
    struct division division;
    enum statistic statistics[LINES];
    bool alone; /* all three are the same, so one line is drawn */
    struct bins bins[LINES];
};

/* Starts the lines for things FIRST to END - 1.  Free with lines_free. */
void lines_begin(struct lines *lines, const struct plot *plot, uint64_t first, uint64_t end);
void lines_free(struct lines *lines);

/* Adds LENGTH things from AT on, each with the values in OVER (which may be empty). */
void lines_add(struct lines *lines, uint64_t at, uint64_t length, struct tally *over);

/* The texts beside the lines. */
struct lines_words {
    const char *things; /* the title of the axis: "iteration" */
    const char *over;   /* what the lines are taken over: "16 ranks" */
};

/* Draws the lines with their frame, legend and axes. */
void lines_draw(struct lines *lines, struct plot *plot, const struct lines_words *words);

#endif
