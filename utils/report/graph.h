/*
 * A graph in characters: one value over iterations, as minimum, mean and maximum over ranks.
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
    const char *unit; /* as format_quantity wants it */
    size_t columns;   /* that may be used in all */
    unsigned rows;
    const struct palette *palette;
};

/* What stands for minimum, mean and maximum, each from the one before up. */
#define GRAPH_MIN  "█"
#define GRAPH_MEAN "▓"
#define GRAPH_MAX  "░"

/*
 * Adds the lines of GRAPH.  A column stands for one iteration, or for several in a row: then
 * for the maximum of their maxima, the mean of their means, the minimum of their minima.
 * Nothing is added if no value is positive.
 */
void graph_add(struct text *text, const struct graph *graph);

/* Most iterations that one column of GRAPH stands for. */
uint64_t graph_iterations_per_column(const struct graph *graph);

#endif
