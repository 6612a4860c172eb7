/*
 * Draws pictures of a summary.  command/cmd_plot.c reads the command line, plot_kinds.c has the
 * table of kinds.  Each kind has a file of its own, which draws its values in a frame
 * (plot_frame.h) and adds notes that a reader of the picture needs.  Only the command uses this
 * room.
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
    const struct plot_kind *kind;
    const struct summary *summary;
    const struct selection *selection;
    struct rank_values_of of; /* the values that are shown, of one metric */
    uint32_t metric;
    struct range iterations; /* the selected ones that exist */
    const struct topology *topology;
    enum statistic statistic; /* given by --statistic, or the default of the kind */
    enum plot_scale scale;
    enum coloring coloring;
    bool coloring_given;
    double width, height;
    struct canvas *canvas;

    /* What follows the metric's name: "per iteration" or "of the whole run". */
    const char *each;
    /* Texts of the picture, unescaped. */
    struct text title; /* what the values are */
    struct text path;  /* the call path, if one is selected */
    struct text run;   /* program, ranks and iterations */
    struct text notes; /* lines, each ending with a newline */
};

/*
 * Draws PLOT, whose texts are set; may add notes.  False, and ERROR, if what the user asked for
 * cannot be drawn.
 */
typedef bool plot_draw(struct plot *plot, struct error *error);

plot_draw plot_graph, plot_ranks, plot_breakdown, plot_map, plot_topology;

/* A kind of picture; plot_kinds.c has a row for each. */
struct plot_kind {
    const char *name; /* as --kind takes it */
    plot_draw *draw;
    bool whole_run;       /* it can show the whole run */
    bool of_parts;        /* it shows the parts of the metric */
    bool of_topology;     /* it shows ranks in a topology */
    bool of_colors;       /* it takes --color */
    unsigned statistics;  /* that it takes: a bit for each enum statistic */
    enum statistic usual; /* without --statistic */
    unsigned scales;      /* that it takes: a bit for each enum plot_scale */
};

/* The kind called NAME; NULL: there is none. */
const struct plot_kind *plot_kind_find(const char *name);

/* Adds the names of all kinds: "graph, map or ranks". */
void plot_kinds_list(struct text *text);

/* Sets `each` and adds title, run and notes of PLOT, whose other members are set. */
void plot_add_words(struct plot *plot);
void plot_free_words(struct plot *plot);

/* Adds COUNT and the noun ONE, with a plural s if needed: "16 ranks", "1 iteration". */
void plot_add_count(struct text *text, uint64_t count, const char *one);

/* The unit of the metric that is shown. */
const char *plot_unit(const struct plot *plot);

#endif
