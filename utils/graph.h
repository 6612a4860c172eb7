/*
 * A graph in characters: one value over iterations, as mean and maximum over ranks.
 */
#ifndef TSPROF_GRAPH_H
#define TSPROF_GRAPH_H

#include "stretch.h"
#include "text.h"

#include <stddef.h>
#include <stdint.h>

struct graph {
    const struct stretch *stretches; /* gapless */
    size_t stretch_count;
    const char *unit; /* as format_quantity wants it */
    size_t columns;   /* that may be used in all */
    unsigned rows;
};

/*
 * Adds the lines of GRAPH.  A column stands for one iteration, or for several in a row: then
 * for the maximum of their maxima and the mean of their means.  Nothing is added if no value is
 * positive.
 */
void graph_add(struct text *text, const struct graph *graph);

/* Most iterations that one column of GRAPH stands for. */
uint64_t graph_iterations_per_column(const struct graph *graph);

#endif
