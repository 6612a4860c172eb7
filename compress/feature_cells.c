/* See feature_cells.h. */
#include "compress/feature_cells.h"

#include <math.h>

/* So many pages take a microsecond or two. */
enum { PAGES_AT_ONCE = 32 };

static double scaled(const struct cells *cells, double iterations, uint32_t metric,
                     double variance)
{
    double scale = cells_scale(cells, iterations, metric), score = variance / (scale * scale);
    return isfinite(score) ? score : 0;
}

void choice_start(struct choice *choice, const struct cells *cells, double iterations)
{
    choice->found.count = 0;
    choice->page = 0;
    choice->all = 0;
    choice->iterations = iterations;
    choice->cells = cells;
}

static void put(struct features *found, uint32_t at, const struct cell_variance *cell,
                double score)
{
    found->cells[at] = cell->cell;
    found->metrics[at] = cell->metric;
    found->scores[at] = score;
}

/* Of equal ones the later goes first. */
static void find_weakest(struct choice *choice)
{
    const struct features *found = &choice->found;
    choice->weakest = 0;
    for (uint32_t i = 1; i < found->count; i++) {
        double score = found->scores[i], least = found->scores[choice->weakest];
        if (score < least ||
            (score == least && found->cells[i] > found->cells[choice->weakest]))
            choice->weakest = i;
    }
}

static void consider(void *context, const struct cell_variance *cell)
{
    struct choice *choice = context;
    struct features *found = &choice->found;
    double score = scaled(choice->cells, choice->iterations, cell->metric, cell->variance);
    choice->all += score;
    if (found->count < FEATURES_MOST) {
        put(found, found->count++, cell, score);
        if (found->count == FEATURES_MOST)
            find_weakest(choice);
    } else if (score > found->scores[choice->weakest]) {
        put(found, choice->weakest, cell, score);
        find_weakest(choice);
    }
}

static void sort(struct features *found)
{
    for (uint32_t i = 1; i < found->count; i++) {
        const struct cell_variance cell = {found->cells[i], found->metrics[i], 0};
        const double score = found->scores[i];
        uint32_t at = i;
        for (; at > 0 && found->cells[at - 1] > cell.cell; at--) {
            found->cells[at] = found->cells[at - 1];
            found->metrics[at] = found->metrics[at - 1];
            found->scores[at] = found->scores[at - 1];
        }
        put(found, at, &cell, score);
    }
}

static double sum_of_scores(const struct features *found)
{
    double sum = 0;
    for (uint32_t i = 0; i < found->count; i++)
        sum += found->scores[i];
    return sum;
}

bool choice_go_on(struct choice *choice)
{
    uint32_t pages = choice->cells->known.count, to = choice->page + PAGES_AT_ONCE;
    to = to < pages ? to : pages;
    cells_each(choice->cells, choice->iterations, choice->page, to, consider, choice);
    choice->page = to;
    if (to < pages)
        return false;
    sort(&choice->found);
    const double others = choice->all - sum_of_scores(&choice->found);
    choice->found.others = others > 0 ? others : 0;
    return true;
}

double features_variance(const struct features *features, const struct cells *cells,
                         double iterations)
{
    double sum = 0;
    for (uint32_t i = 0; i < features->count; i++)
        sum += scaled(cells, iterations, features->metrics[i],
                      cells_variance(cells, iterations, features->cells[i]));
    return sum;
}
