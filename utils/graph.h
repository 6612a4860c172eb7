/*
 * A graph in characters: one value over iterations, as mean and maximum over ranks.
 */
#ifndef TSPROF_GRAPH_H
#define TSPROF_GRAPH_H

#include "text.h"

#include <stddef.h>
#include <stdint.h>

struct graph {
    const double *max, *mean; /* NaN where there is no value */
    size_t count;
    uint64_t first;   /* the iteration of the first value */
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
size_t graph_iterations_per_column(const struct graph *graph);

#endif
