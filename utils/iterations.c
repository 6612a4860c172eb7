/* Reconstructing iterations from clusters.  See iterations.h. */
#include "iterations.h"

#include "sums.h"

#include <math.h>
#include <stdlib.h>

/* The cluster of an iteration on the I-th thread of RANK, or NULL. */
static const struct cluster *find_cluster(const struct summary *summary,
                                          const struct rank_group *rank, size_t i,
                                          uint32_t phase, uint64_t iteration)
{
    const struct location *location = &summary->locations[rank->first + i];
    const struct series *series = location_series(location, phase);
    uint32_t cluster = series ? series_cluster(series, iteration) : SUMMARY_NONE;
    return cluster == SUMMARY_NONE ? NULL : &series->clusters[cluster];
}

static void add_totals(const struct summary *summary, const struct cluster *cluster,
                       long double *values)
{
    int64_t *sums = profile_inclusive(summary, &cluster->sums);
    for (uint32_t m = 0; m < summary->metric_count; m++)
        values[m] += shown_value(summary, m, sums[m], cluster->size);
    free(sums);
}

bool iteration_totals(const struct summary *summary, const struct rank_group *rank,
                      uint32_t phase, uint64_t iteration, long double *values)
{
    bool found = false;
    for (size_t m = 0; m < summary->metric_count; m++)
        values[m] = 0;
    for (size_t i = 0; i < rank->count; i++) {
        const struct cluster *cluster = find_cluster(summary, rank, i, phase, iteration);
        if (!cluster)
            continue;
        found = true;
        add_totals(summary, cluster, values);
    }
    return found;
}

bool iteration_paths(const struct rank_group *rank, uint32_t phase, uint64_t iteration,
                     enum metric_sums sums, struct path_values *values)
{
    const struct summary *summary = values->tree->summary;
    const struct cluster *only = NULL;
    size_t found = 0;
    path_values_clear(values);
    for (size_t i = 0; i < rank->count; i++) {
        const struct cluster *cluster = find_cluster(summary, rank, i, phase, iteration);
        only = cluster ? cluster : only;
        found += cluster != NULL;
    }
    /* One thread's sums are divided last, which keeps whole numbers whole. */
    if (found == 1) {
        path_values_add(values, &only->sums, 1, sums);
        values->divisor = only->size;
        return true;
    }
    for (size_t i = 0; i < rank->count && found > 1; i++) {
        const struct cluster *cluster = find_cluster(summary, rank, i, phase, iteration);
        if (cluster)
            path_values_add(values, &cluster->sums, cluster->size, sums);
    }
    return found > 0;
}

/* The mean of METRIC in an iteration of each cluster of SERIES; for the caller to free(). */
static double *cluster_means(const struct summary *summary, const struct series *series,
                             uint32_t metric)
{
    double *means = allocate(series->cluster_count, sizeof *means);
    for (size_t i = 0; i < series->cluster_count; i++) {
        const struct cluster *cluster = &series->clusters[i];
        int64_t *sums = profile_inclusive(summary, &cluster->sums);
        means[i] = (double)shown_value(summary, metric, sums[metric], cluster->size);
        free(sums);
    }
    return means;
}

/* Adds the values of SERIES to VALUES, in which NaN says that there is none yet. */
static void add_series(const struct iteration_view *view, const struct series *series,
                       double *values)
{
    double *means = cluster_means(view->selection->summary, series, view->metric);
    for (size_t i = 0; i < view->count; i++) {
        uint32_t cluster = series_cluster(series, view->first + i);
        if (cluster != SUMMARY_NONE)
            values[i] = (isnan(values[i]) ? 0 : values[i]) + means[cluster];
    }
    free(means);
}

static void fill_none(double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = NAN;
}

/* Joins one rank's values to the view; `mean` holds the sum for now, HAVING the ranks in it. */
static void join_rank(struct iteration_view *view, uint32_t rank, const double *values,
                      uint32_t *having)
{
    for (size_t i = 0; i < view->count; i++) {
        if (isnan(values[i]))
            continue;
        view->mean[i] = having[i] ? view->mean[i] + values[i] : values[i];
        if (having[i]++ == 0 || values[i] > view->max[i]) {
            view->max[i] = values[i];
            view->slowest[i] = rank;
        }
    }
}

static void add_ranks(struct iteration_view *view)
{
    const struct selection *selection = view->selection;
    double *values = allocate(view->count, sizeof *values);
    uint32_t *having = allocate(view->count, sizeof *having);
    for (uint32_t r = 0; r < selection->rank_count; r++) {
        const struct rank_group *rank = &selection->ranks[r];
        fill_none(values, view->count);
        for (size_t t = 0; t < rank->count; t++) {
            const struct location *location = &selection->summary->locations[rank->first + t];
            const struct series *series = location_series(location, view->phase);
            if (series)
                add_series(view, series, values);
        }
        join_rank(view, r, values, having);
    }
    for (size_t i = 0; i < view->count; i++)
        if (having[i])
            view->mean[i] /= having[i];
    free(values);
    free(having);
}

struct iteration_view *iteration_view_create(const struct selection *selection, uint32_t phase,
                                             uint32_t metric)
{
    struct iteration_view *view = allocate(1, sizeof *view);
    uint64_t end = selection_iterations(selection, phase);
    if (selection->iterations.last < end)
        end = selection->iterations.last + 1;
    view->selection = selection;
    view->phase = phase;
    view->metric = metric;
    view->first = selection->iterations.first < end ? selection->iterations.first : end;
    view->count = (size_t)(end - view->first);
    view->max = allocate(view->count, sizeof *view->max);
    view->mean = allocate(view->count, sizeof *view->mean);
    view->slowest = allocate(view->count, sizeof *view->slowest);
    fill_none(view->max, view->count);
    fill_none(view->mean, view->count);
    add_ranks(view);
    return view;
}

void iteration_view_free(struct iteration_view *view)
{
    if (!view)
        return;
    free(view->max);
    free(view->mean);
    free(view->slowest);
    free(view);
}
