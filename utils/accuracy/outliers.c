/* See outliers.h. */
#include "accuracy/outliers.h"

#include "base/base.h"

#include <stdlib.h>

/*
 * A largest value counts as hidden where it is more than twice what is shown, and what is
 * missing is more than this share of a mean iteration.
 */
#define TIMES_SHOWN        2
#define LEAST_OF_ITERATION 0.002

static double shown_of(const struct series *series, const struct largest *largest)
{
    uint32_t number = series_cluster(series, largest->iteration);
    if (number == SUMMARY_NONE)
        return 0;
    const struct cluster *cluster = &series->clusters[number];
    for (size_t i = 0; i < cluster->sums.count; i++)
        if (cluster->sums.cells[i].node == largest->node &&
            cluster->sums.cells[i].metric == largest->metric)
            return (double)cluster->sums.cells[i].value / (double)cluster->size;
    return 0;
}

static double mean_iteration(const struct series *series)
{
    double wall_ns = 0, iterations = 0;
    for (size_t c = 0; c < series->cluster_count; c++) {
        wall_ns += (double)series->clusters[c].wall_ns;
        iterations += (double)series->clusters[c].size;
    }
    return iterations > 0 ? wall_ns / iterations : 0;
}

/* Adds those of one series to the LIST, which has room for them, and returns their number. */
static size_t add_series(const struct selection *selection, const struct location *location,
                         const struct series *series, struct outlier *list)
{
    const double least = LEAST_OF_ITERATION * mean_iteration(series);
    size_t count = 0;
    for (size_t i = 0; i < series->largest_count && !series->keeps_all; i++) {
        const struct largest *largest = &series->largest[i];
        if (largest->iteration < selection->iterations.first ||
            largest->iteration > selection->iterations.last)
            continue;
        const double value = (double)largest->value, shown = shown_of(series, largest);
        if (value > TIMES_SHOWN * shown && value - shown > least)
            list[count++] = (struct outlier){location, largest, shown, value - shown};
    }
    return count;
}

static int most_hidden_first(const void *a, const void *b)
{
    const struct outlier *left = a, *right = b;
    if (left->hidden != right->hidden)
        return left->hidden > right->hidden ? -1 : 1;
    return (left->largest > right->largest) - (left->largest < right->largest);
}

struct outlier *outliers_find(const struct selection *selection, uint32_t phase, size_t *count)
{
    struct outlier *list = NULL;
    *count = 0;
    for (size_t r = 0; r < selection->rank_count; r++)
        for (size_t i = 0; i < selection->ranks[r].count; i++) {
            const struct location *location =
                &selection->summary->locations[selection->ranks[r].first + i];
            const struct series *series = location_series(location, phase);
            if (!series)
                continue;
            list = reallocate(list, *count + series->largest_count + 1, sizeof *list);
            *count += add_series(selection, location, series, list + *count);
        }
    if (*count > 1)
        qsort(list, *count, sizeof *list, most_hidden_first);
    return list;
}
