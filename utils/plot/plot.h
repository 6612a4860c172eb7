/*
 * Pictures of a summary.  cmd_plot.c reads the command line and has the list of kinds; each
 * kind has a file of its own, which gets what it shows, draws it in a frame (plot_frame.h) and
 * says in the notes what a reader of the picture has to know.
 */
#ifndef TSPROF_PLOT_H
#define TSPROF_PLOT_H

#include "plot/canvas.h"
#include "plot/color_scale.h"
#include "plot/tally.h"
#include "print/print.h"
#include "query/query.h"

/* How far an axis of values goes. */
enum plot_scale {
    SCALE_ZERO,  /* from zero */
    SCALE_RANGE, /* from the smallest value */
    SCALE_SHARE  /* parts of 100 % */
};

struct plot {
    const struct summary *summary;
    const struct selection *selection;
    struct rank_values_of of; /* one metric; its phase is SUMMARY_NONE for the whole run */
    uint32_t metric;
    struct range iterations; /* those that there are of the selected ones */
    const struct topology *topology;
    enum statistic statistic; /* chosen, or what is usual for the kind */
    enum plot_scale scale;
    enum coloring coloring;
    bool coloring_given;
    double width, height;
    struct canvas *canvas;

    /* What a value is of: "per iteration", "of the whole run"; after a metric's name. */
    const char *each;
    /* In words, unescaped. */
    struct text title; /* what the values are */
    struct text path;  /* the call path, if one was chosen */
    struct text run;   /* what program, which ranks, which iterations */
    struct text notes; /* lines, each ended by a newline */
};

/*
 * A kind draws PLOT, whose words but the notes are there; false, and ERROR, if that cannot be
 * done as it was asked for.
 */
typedef bool plot_draw(struct plot *plot, struct error *error);

plot_draw plot_graph, plot_ranks, plot_breakdown, plot_map, plot_topology;

/* "16 ranks", "1 iteration": COUNT of what is called ONE. */
void plot_add_count(struct text *text, uint64_t count, const char *one);

/* The unit of the metric that is shown. */
const char *plot_unit(const struct plot *plot);

#endif
