/*
 * Draws a graph with block characters: a value over iterations, as minimum, mean and maximum
 * over ranks.
 */
#ifndef TSPROF_GRAPH_H
#define TSPROF_GRAPH_H

#include "print/print.h"
#include "query/query.h"
#include "report/style.h"

#include <stddef.h>
#include <stdint.h>

struct graph {
    const struct stretch *stretches; /* gapless */
    size_t stretch_count;
    const char *unit; /* as format_quantity takes it */
    size_t columns;   /* of a line in all, with the labels of the axis */
    unsigned rows;
    const struct palette *palette;
};

/* The characters up to the minimum, from there to the mean, and from there to the maximum. */
#define GRAPH_MIN  "█"
#define GRAPH_MEAN "▓"
#define GRAPH_MAX  "░"

/*
 * Adds the lines of GRAPH.  A column is one iteration or, if there are more iterations than
 * columns, several successive ones: then it shows the maximum of their maxima, the mean of
 * their means and the minimum of their minima.  Adds nothing if no value is positive.
 */
void graph_add(struct text *text, const struct graph *graph);

/* The largest number of iterations in a column of GRAPH. */
uint64_t graph_iterations_per_column(const struct graph *graph);

#endif
