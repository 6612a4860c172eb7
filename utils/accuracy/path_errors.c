/* See path_errors.h. */
#include "accuracy/path_errors.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>

/*
 * Sums of squares are exact to some 1e-16 of their size for each addition.  What is left of
 * them below this share may be nothing but rounding (compress/cells.c).
 */
#define ROUNDING 1e-11

/* What is known of one cell: a call path and a metric. */
struct known {
    double squares;  /* sum over all iterations */
    double of_means; /* the same, were every iteration the mean of its cluster */
    double largest;
    bool partly; /* not known on some location */
};

/* All cells, [node * metrics + metric]. */
struct known_cells {
    struct known *cells;
    size_t metrics;
    double iterations;
};

static struct known *cell_of(struct known_cells *known, uint32_t node, uint32_t metric)
{
    return &known->cells[(size_t)node * known->metrics + metric];
}

static void add_means(struct known_cells *known, const struct series *series)
{
    for (size_t c = 0; c < series->cluster_count; c++) {
        const struct cluster *cluster = &series->clusters[c];
        known->iterations += (double)cluster->size;
        for (size_t i = 0; i < cluster->sums.count; i++) {
            const struct cell *cell = &cluster->sums.cells[i];
            const double sum = (double)cell->value;
            cell_of(known, cell->node, cell->metric)->of_means +=
                sum * sum / (double)cluster->size;
        }
    }
}

/* Marks the cells of SERIES that have no squares there: SEEN is by cell, all false. */
static void mark_unknown(struct known_cells *known, const struct series *series, bool *seen)
{
    for (size_t i = 0; i < series->largest_count; i++)
        if (series->largest[i].squares > 0)
            seen[(size_t)series->largest[i].node * known->metrics + series->largest[i].metric] =
                true;
    for (size_t c = 0; c < series->cluster_count; c++)
        for (size_t i = 0; i < series->clusters[c].sums.count; i++) {
            const struct cell *cell = &series->clusters[c].sums.cells[i];
            if (!seen[(size_t)cell->node * known->metrics + cell->metric])
                cell_of(known, cell->node, cell->metric)->partly = true;
        }
    for (size_t i = 0; i < series->largest_count; i++)
        seen[(size_t)series->largest[i].node * known->metrics + series->largest[i].metric] =
            false;
}

static void add_series(struct known_cells *known, const struct series *series, bool *seen)
{
    if (series->lost > 0)
        return;
    add_means(known, series);
    for (size_t i = 0; i < series->largest_count; i++) {
        const struct largest *largest = &series->largest[i];
        struct known *cell = cell_of(known, largest->node, largest->metric);
        cell->squares += largest->squares;
        cell->largest = fmax(cell->largest, (double)largest->value);
    }
    mark_unknown(known, series, seen);
}

static int most_first(const void *a, const void *b)
{
    const struct path_error *left = a, *right = b;
    if (left->rms != right->rms)
        return left->rms > right->rms ? -1 : 1;
    if (left->node != right->node)
        return left->node < right->node ? -1 : 1;
    return (left->metric > right->metric) - (left->metric < right->metric);
}

static struct path_error *list(struct known_cells *known, size_t nodes, size_t *count)
{
    struct path_error *errors = NULL;
    size_t room = 0;
    for (uint32_t node = 0; node < nodes; node++)
        for (uint32_t metric = 0; metric < known->metrics; metric++) {
            const struct known *cell = cell_of(known, node, metric);
            if (cell->partly || !(cell->squares > 0))
                continue;
            const double left = cell->squares - cell->of_means;
            const double rms =
                left > ROUNDING * cell->squares ? sqrt(left / known->iterations) : 0;
            if (*count == room)
                errors = reallocate(errors, room = 2 * room + 64, sizeof *errors);
            errors[(*count)++] = (struct path_error){node, metric, rms, cell->largest};
        }
    if (*count > 1)
        qsort(errors, *count, sizeof *errors, most_first);
    return errors;
}

struct path_error *path_errors_find(const struct selection *selection, uint32_t phase,
                                    size_t *count)
{
    const struct summary *summary = selection->summary;
    const size_t cells = summary->node_count * summary->metric_count;
    struct known_cells known = {allocate(cells, sizeof *known.cells), summary->metric_count, 0};
    bool *seen = allocate(cells, sizeof *seen);
    *count = 0;
    for (size_t r = 0; r < selection->rank_count; r++)
        for (size_t i = 0; i < selection->ranks[r].count; i++) {
            const struct series *series =
                location_series(&summary->locations[selection->ranks[r].first + i], phase);
            if (series)
                add_series(&known, series, seen);
        }
    struct path_error *errors = list(&known, summary->node_count, count);
    free(seen);
    free(known.cells);
    return errors;
}
