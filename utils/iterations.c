/* Reconstructing iterations from clusters.  See iterations.h. */
#include "iterations.h"

#include "sums.h"
#include "sweep.h"

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

/* A view being made: of each selected thread, rank by rank. */
struct view_maker {
    struct iteration_view *view;
    size_t threads, room;
    const struct series **series; /* NULL where the thread has none of the phase */
    double **means;               /* by cluster of the series */
};

static void open_maker(struct view_maker *maker, struct iteration_view *view)
{
    const struct selection *selection = view->selection;
    size_t most = selection_locations(selection);
    *maker = (struct view_maker){.view = view,
                                 .series = allocate(most, sizeof(struct series *)),
                                 .means = allocate(most, sizeof(double *))};
    for (size_t r = 0; r < selection->rank_count; r++)
        for (size_t i = 0; i < selection->ranks[r].count; i++) {
            const struct location *location =
                &selection->summary->locations[selection->ranks[r].first + i];
            const struct series *series = location_series(location, view->phase);
            size_t at = maker->threads++;
            maker->series[at] = series;
            if (series)
                maker->means[at] = cluster_means(selection->summary, series, view->metric);
        }
}

static void close_maker(struct view_maker *maker)
{
    for (size_t i = 0; i < maker->threads; i++)
        free(maker->means[i]);
    free(maker->means);
    free(maker->series);
}

/* The sum over COUNT threads from FIRST on, NaN if none of them has a value. */
static double rank_value(const struct view_maker *maker, const struct sweep *sweep,
                         size_t first, size_t count)
{
    double value = NAN;
    for (size_t i = first; i < first + count; i++)
        if (sweep->clusters[i] != SUMMARY_NONE)
            value = (isnan(value) ? 0 : value) + maker->means[i][sweep->clusters[i]];
    return value;
}

/* The values of the stretch that SWEEP is at, which begins at FIRST. */
static struct stretch make_stretch(const struct view_maker *maker, const struct sweep *sweep,
                                   uint64_t first)
{
    const struct selection *selection = maker->view->selection;
    struct stretch stretch = {first, sweep->length, NAN, NAN, 0};
    size_t thread = 0, having = 0;
    for (uint32_t r = 0; r < selection->rank_count; r++) {
        double value = rank_value(maker, sweep, thread, selection->ranks[r].count);
        thread += selection->ranks[r].count;
        if (isnan(value))
            continue;
        stretch.mean = having ? stretch.mean + value : value;
        if (having++ == 0 || value > stretch.max) {
            stretch.max = value;
            stretch.slowest = r;
        }
    }
    if (having > 0)
        stretch.mean /= (double)having;
    return stretch;
}

static void add_stretch(struct view_maker *maker, struct stretch stretch)
{
    struct iteration_view *view = maker->view;
    if (view->stretch_count == maker->room) {
        maker->room = maker->room ? 2 * maker->room : 64;
        view->stretches = reallocate(view->stretches, maker->room, sizeof *view->stretches);
    }
    view->stretches[view->stretch_count++] = stretch;
    view->count += stretch.length;
}

struct iteration_view *iteration_view_create(const struct selection *selection, uint32_t phase,
                                             uint32_t metric)
{
    struct iteration_view *view = allocate(1, sizeof *view);
    struct view_maker maker;
    struct sweep sweep;
    view->selection = selection;
    view->phase = phase;
    view->metric = metric;
    view->first = selection->iterations.first;
    open_maker(&maker, view);
    sweep_begin(&sweep, maker.series, maker.threads, selection->iterations);
    while (sweep_step(&sweep))
        add_stretch(&maker, make_stretch(&maker, &sweep, view->first + view->count));
    sweep_end(&sweep);
    close_maker(&maker);
    return view;
}

void iteration_view_free(struct iteration_view *view)
{
    if (!view)
        return;
    free(view->stretches);
    free(view);
}
