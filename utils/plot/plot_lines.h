/*
 * Graphs of three lines: the largest, the mean or median, and the smallest of something, over
 * things in a row.
 */
#ifndef TSPROF_PLOT_LINES_H
#define TSPROF_PLOT_LINES_H

#include "plot/plot_frame.h"

enum { LINE_HIGH, LINE_MIDDLE, LINE_LOW, LINES };

struct lines {
    struct division division;
    enum statistic statistics[LINES];
    bool alone; /* the three are the same: one line is enough */
    struct bins bins[LINES];
};

/* For things FIRST to END - 1 in a frame of PLOT.  End with lines_free. */
void lines_begin(struct lines *lines, const struct plot *plot, uint64_t first, uint64_t end);
void lines_free(struct lines *lines);

/* The values of LENGTH things from AT on: those of OVER, which may be none. */
void lines_add(struct lines *lines, uint64_t at, uint64_t length, struct tally *over);

/* What is written beside the lines. */
struct lines_words {
    const char *things; /* "iteration": along the axis */
    const char *over;   /* "maximum over 16 ranks": what the lines are of */
};

/* Draws all there is, in a picture that has no more than its words yet. */
void lines_draw(struct lines *lines, struct plot *plot, const struct lines_words *words);

#endif
