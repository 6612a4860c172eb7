/* Reconstructing iterations from clusters.  See iterations.h. */
#include "query/iterations.h"

#include "query/rank_values.h"
#include "query/sums.h"

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
    /* With one thread the division comes last, so that whole numbers stay whole. */
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

double *series_means(const struct summary *summary, const struct series *series,
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

/* The first run of SERIES from run FROM on that ends at ITERATION or later. */
static size_t run_at(const struct series *series, size_t from, uint64_t iteration)
{
    size_t low = from, high = series->run_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct run *run = &series->runs[middle];
        if (run->first + run->length <= iteration)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool piece_next(struct piece *piece)
{
    const struct series *series = piece->series;
    while (piece->range < piece->range_count) {
        const struct range *range = &piece->ranges[piece->range];
        uint64_t from = piece->begun ? piece->end : range->first;
        if (!piece->begun)
            piece->run = run_at(series, piece->run, from);
        piece->begun = true;
        if (piece->run >= series->run_count || from > range->last) {
            piece->range++;
            piece->begun = false;
            continue;
        }
        const struct run *run = &series->runs[piece->run];
        uint64_t end = run->first + run->length;
        piece->end = end <= range->last ? end : range->last + 1;
        piece->run += end <= range->last;
        piece->cluster = run->cluster;
        piece->length = piece->end - from;
        if (run->cluster != SUMMARY_NONE)
            return true;
    }
    return false;
}

uint64_t *series_members(const struct series *series, const struct range *ranges, size_t count)
{
    uint64_t *members = allocate(series->cluster_count, sizeof *members);
    struct piece piece = {.series = series, .ranges = ranges, .range_count = count};
    while (piece_next(&piece))
        members[piece.cluster] += piece.length;
    return members;
}

void iterations_visit(const struct selection *selection, uint32_t phase, uint32_t metric,
                      stretch_visitor *visit, void *context)
{
    struct rank_values_of of = {.phase = phase, .metrics = &metric, .metric_count = 1};
    struct rank_values *values = rank_values_create(selection, &of);
    struct ranks_walk walk;
    ranks_walk_begin(&walk, values);
    while (ranks_walk_step(&walk))
        visit(context, walk.first, walk.length, walk.values);
    ranks_walk_end(&walk);
    rank_values_free(values);
}

struct stretch stretch_with(uint64_t first, uint64_t length, const double *values, size_t count)
{
    struct stretch stretch = {first, length, NAN, NAN, NAN, 0};
    size_t having = 0;
    for (uint32_t r = 0; r < count; r++) {
        double value = values[r];
        if (isnan(value))
            continue;
        stretch.mean = having ? stretch.mean + value : value;
        stretch.min = having && stretch.min < value ? stretch.min : value;
        if (having++ == 0 || value > stretch.max) {
            stretch.max = value;
            stretch.slowest = r;
        }
    }
    if (having > 0)
        stretch.mean /= (double)having;
    return stretch;
}

/* A view that is being made. */
struct view_maker {
    struct iteration_view *view;
    size_t room;
};

static void add_stretch(void *context, uint64_t first, uint64_t length, const double *values)
{
    struct view_maker *maker = context;
    struct iteration_view *view = maker->view;
    if (view->stretch_count == maker->room) {
        maker->room = maker->room ? 2 * maker->room : 64;
        view->stretches = reallocate(view->stretches, maker->room, sizeof *view->stretches);
    }
    view->stretches[view->stretch_count++] =
        stretch_with(first, length, values, view->selection->rank_count);
    view->count += length;
}

struct iteration_view *iteration_view_create(const struct selection *selection, uint32_t phase,
                                             uint32_t metric)
{
    struct iteration_view *view = allocate(1, sizeof *view);
    struct view_maker maker = {view, 0};
    view->selection = selection;
    view->phase = phase;
    view->metric = metric;
    view->first = selection->iterations.first;
    iterations_visit(selection, phase, metric, add_stretch, &maker);
    return view;
}

void iteration_view_free(struct iteration_view *view)
{
    if (!view)
        return;
    free(view->stretches);
    free(view);
}
