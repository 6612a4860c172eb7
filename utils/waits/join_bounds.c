/* What a series says of the largest values of its iterations, after some have changed.  See
 * join_parts.h. */
#include "waits/join_parts.h"

#include <stdlib.h>
#include <string.h>

/* The largest of each metric, with its parts, in one iteration: what the series said and what
 * its clusters have in the mean. */
static uint64_t *find_maxima(const struct join *join, const struct series *series)
{
    const size_t metrics = join->run->metric_count;
    uint64_t *most = allocate(metrics, sizeof *most);
    int64_t *sums = allocate(metrics, sizeof *sums);
    for (size_t i = 0; i < series->maximum_count; i++)
        most[series->maxima[i].metric] = series->maxima[i].value;
    for (size_t i = 0; i < series->cluster_count; i++) {
        const struct cluster *cluster = &series->clusters[i];
        memset(sums, 0, metrics * sizeof *sums);
        for (size_t k = 0; k < cluster->sums.count; k++)
            for (uint32_t metric = cluster->sums.cells[k].metric; metric != SUMMARY_NONE;
                 metric = join->run->metrics[metric].parent)
                sums[metric] += cluster->sums.cells[k].value;
        for (size_t m = 0; m < metrics; m++) {
            const uint64_t all = (uint64_t)(sums[m] < 0 ? -sums[m] : sums[m]);
            const uint64_t mean = all / cluster->size + (all % cluster->size > 0);
            most[m] = mean > most[m] ? mean : most[m];
        }
    }
    free(sums);
    return most;
}

/* The spreads of a cluster in the order of the new maxima: those that are new do not vary. */
static double *move_spreads(const struct join *join, const struct series *series,
                            const double *spreads, const uint64_t *most, size_t count)
{
    double *moved = memory_pool_allocate(&join->run->pool, count, sizeof *moved);
    size_t from = 0, to = 0;
    for (uint32_t m = 0; m < join->run->metric_count; m++) {
        if (most[m] == 0)
            continue;
        if (from < series->maximum_count && series->maxima[from].metric == m)
            moved[to] = spreads[from++];
        to++;
    }
    return moved;
}

static void join_maxima(struct join *join, struct series *series)
{
    uint64_t *most = find_maxima(join, series);
    size_t count = 0;
    for (size_t m = 0; m < join->run->metric_count; m++)
        count += most[m] > 0;
    for (size_t i = 0; i < series->cluster_count; i++)
        if (series->clusters[i].spreads)
            series->clusters[i].spreads =
                move_spreads(join, series, series->clusters[i].spreads, most, count);
    series->maxima = memory_pool_allocate(&join->run->pool, count, sizeof *series->maxima);
    series->maximum_count = 0;
    for (uint32_t m = 0; m < join->run->metric_count; m++)
        if (most[m] > 0)
            series->maxima[series->maximum_count++] = (struct maximum){m, most[m]};
    free(most);
}

static int64_t value_in(const struct profile *profile, uint32_t node, uint32_t metric)
{
    size_t low = 0, high = profile->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const struct cell *cell = &profile->cells[middle];
        if (cell->node < node || (cell->node == node && cell->metric < metric))
            low = middle + 1;
        else
            high = middle;
    }
    return low < profile->count && profile->cells[low].node == node &&
                   profile->cells[low].metric == metric
               ? profile->cells[low].value
               : 0;
}

/*
 * Whether the cluster of LARGEST's iteration still has that much.  An iteration that left it
 * has its share of each call path, which may be more than there was.
 */
static bool has_room(const struct series *series, const struct largest *largest)
{
    const uint32_t number = series_cluster(series, largest->iteration);
    return number == SUMMARY_NONE || value_in(&series->clusters[number].sums, largest->node,
                                              largest->metric) >= largest->value;
}

/* Whether LARGEST is still the largest, in an iteration that has not changed. */
static bool holds(const struct series *series, const struct largest *largest,
                  const struct series *waits)
{
    if (series_cluster(waits, largest->iteration) != SUMMARY_NONE || !has_room(series, largest))
        return false;
    for (size_t i = 0; i < series->cluster_count; i++) {
        const struct cluster *cluster = &series->clusters[i];
        if (value_in(&cluster->sums, largest->node, largest->metric) / (int64_t)cluster->size >=
            largest->value)
            return false;
    }
    return true;
}

static void join_largest(struct series *series, const struct series *waits)
{
    size_t kept = 0;
    for (size_t i = 0; i < series->largest_count; i++)
        if (holds(series, &series->largest[i], waits))
            series->largest[kept++] = series->largest[i];
    series->largest_count = kept;
}

void join_bounds(struct join *join, struct series *series, const struct series *waits)
{
    join_maxima(join, series);
    join_largest(series, waits);
}
