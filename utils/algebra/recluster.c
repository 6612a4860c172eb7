/* Clustering off line.  See recluster.h. */
#include "algebra/recluster.h"

#include "common/settings.h"
#include "compress/condense.h"
#include "print/print.h"
#include "query/query.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The most counters that take part in clustering.  Only a damaged file can have more. */
enum { COUNTERS_CLUSTERED = 256 };

/* What all series share, and memory for one iteration. */
struct worker {
    struct summary *summary;
    const struct recluster_settings *settings;
    int *metrics; /* by the file's metrics: place in a condensed profile, or METRIC_none */
    uint32_t condensed_count; /* metrics in a condensed profile: the table's, then counters */
    uint32_t visits;          /* the file's number of that metric */
    uint64_t *leads_to_mpi;   /* by node: the last iteration in which it did, from 1 on */
    uint64_t iteration;       /* counts all iterations of all series from 1 */
    size_t room;              /* cells that the arrays have room for */
    uint32_t *cells;
    int64_t *values;
    struct path_entry *paths;
    int64_t *totals;   /* condensed_count */
    double *condensed; /* so many */
};

static bool refuse(const struct summary *summary, const struct location *location,
                   const struct series *series, struct error *error)
{
    const char *phase = summary->phases[series->phase].name;
    struct text place = {0};
    if (series->asked > 0 && !series->keeps_all)
        return error_set(error,
                         "%s: holds clusters, not every iteration; only what was measured with "
                         "TSPROF_CLUSTERS=0 can be clustered off line",
                         summary->path);
    place_add_name(&place, location);
    error_set(error,
              "%s: iterations of %s on %s were joined for want of memory; measure with a "
              "larger TSPROF_MEMORY",
              summary->path, phase, text_string(&place));
    text_free(&place);
    return false;
}

static bool is_possible(const struct series *series)
{
    if (!series->keeps_all || series->unmapped > 0)
        return false;
    for (size_t i = 0; i < series->cluster_count; i++)
        if (series->clusters[i].size != 1)
            return false;
    return true;
}

bool recluster_possible(const struct summary *summary, struct error *error)
{
    for (size_t i = 0; i < summary->location_count; i++) {
        const struct location *location = &summary->locations[i];
        for (size_t s = 0; s < location->series_count; s++)
            if (!is_possible(&location->series[s]))
                return refuse(summary, location, &location->series[s], error);
    }
    /* Cells are numbered by node and metric. */
    if (summary->node_count <= UINT32_MAX / (summary->metric_count + 1))
        return true;
    return error_set(error, "%s: has more call paths than can be clustered", summary->path);
}

static void *take(void *context, size_t bytes)
{
    (void)context;
    return malloc(bytes);
}

static void release(void *context, void *memory, size_t bytes)
{
    (void)context;
    (void)bytes;
    free(memory);
}

static void make_room(struct worker *worker, size_t cells)
{
    if (cells <= worker->room)
        return;
    worker->cells = reallocate(worker->cells, cells, sizeof *worker->cells);
    worker->values = reallocate(worker->values, cells, sizeof *worker->values);
    worker->paths = reallocate(worker->paths, cells, sizeof *worker->paths);
    worker->room = cells;
}

static bool is_mpi(const struct summary *summary, uint32_t node)
{
    return summary->regions[summary->nodes[node].region].kind == REGION_MPI;
}

/* Marks the nodes above NODE, which is an MPI call. */
static void mark_ancestors(struct worker *worker, uint32_t node)
{
    const struct call_node *nodes = worker->summary->nodes;
    for (node = nodes[node].parent; node != SUMMARY_NONE; node = nodes[node].parent) {
        if (worker->leads_to_mpi[node] == worker->iteration)
            return;
        worker->leads_to_mpi[node] = worker->iteration;
    }
}

/* The call paths of an iteration: those that have values. */
static size_t list_paths(struct worker *worker, const struct profile *profile)
{
    size_t count = 0;
    for (size_t i = 0; i < profile->count; i++) {
        const struct cell *cell = &profile->cells[i];
        if (i == 0 || cell->node != cell[-1].node) {
            worker->paths[count++] = (struct path_entry){.path = cell->node};
            if (is_mpi(worker->summary, cell->node))
                mark_ancestors(worker, cell->node);
        }
        if (cell->metric == worker->visits)
            worker->paths[count - 1].visits = cell->value;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t node = worker->paths[i].path;
        worker->paths[i].kind = is_mpi(worker->summary, node)                     ? PATH_MPI
                                : worker->leads_to_mpi[node] == worker->iteration ? PATH_COM
                                                                                  : PATH_USR;
    }
    return count;
}

static void list_cells(struct worker *worker, const struct profile *profile)
{
    memset(worker->totals, 0, worker->condensed_count * sizeof *worker->totals);
    for (size_t i = 0; i < profile->count; i++) {
        const struct cell *cell = &profile->cells[i];
        int metric = worker->metrics[cell->metric];
        worker->cells[i] = cell->node * (uint32_t)worker->summary->metric_count + cell->metric;
        worker->values[i] = cell->value;
        if (metric != METRIC_none)
            worker->totals[metric] = add_stored(worker->totals[metric], cell->value);
    }
}

/* Adds CLUSTER, which has a single iteration. */
static void add_iteration(struct worker *worker, struct clustering *clustering,
                          const struct cluster *cluster)
{
    int64_t *totals = worker->totals;
    make_room(worker, cluster->sums.count + 1);
    worker->iteration++;
    struct iteration_profile iteration = {
        .cells = worker->cells,
        .values = worker->values,
        .cell_count = cluster->sums.count,
        .paths = worker->paths,
        .path_count = list_paths(worker, &cluster->sums),
        .condensed = worker->condensed,
        .wall_ns = cluster->wall_ns,
    };
    list_cells(worker, &cluster->sums);
    totals[METRIC_visits] = add_stored(totals[METRIC_visits], cluster->hidden_visits);
    condense(totals, worker->condensed);
    for (size_t i = METRIC_COUNT; i < worker->condensed_count; i++)
        worker->condensed[i] = (double)totals[i];
    if (!clustering_add(clustering, &iteration))
        out_of_memory();
}

/* The most bytes of one series with `--clusters auto`, or with an error bound: as at run time
 * with the default TSPROF_MEMORY. */
enum { AUTO_BYTES = 2 << 20, BOUND_BYTES = 8 << 20 };

/* What clustering is to know of CELL, as at run time. */
static struct cell_role role_of(void *context, uint32_t cell)
{
    const struct worker *worker = context;
    const struct summary *summary = worker->summary;
    const int metric = worker->metrics[cell % summary->metric_count];
    const bool is_time = metric >= METRIC_computation && metric <= METRIC_mpi_other;
    const bool tells = metric >= 0 && metric < METRIC_COUNT && metric != METRIC_overhead &&
                       metric != METRIC_preempted && metric != METRIC_samples &&
                       metric != METRIC_samples_failed;
    return (struct cell_role){
        .metric = (uint32_t)(metric == METRIC_none ? 0 : metric),
        .compared =
            is_time || (tells && is_mpi(summary, cell / (uint32_t)summary->metric_count)),
        .largest = is_time};
}

static struct clustering *cluster_series(struct worker *worker, const struct series *series)
{
    struct clustering_config config = {
        .max_clusters = worker->settings->clusters,
        .condensed_count = worker->condensed_count,
        .role = role_of,
        .role_context = worker,
        .method = worker->settings->method,
        .equivalence = worker->settings->equivalence,
        .memory = {take, release, NULL},
        .auto_bytes = worker->settings->error_bound > 0 ? BOUND_BYTES : AUTO_BYTES,
        .error_bound = worker->settings->error_bound,
    };
    struct clustering *clustering = clustering_create(&config);
    if (!clustering)
        out_of_memory();
    for (size_t i = 0; i < series->run_count; i++) {
        const struct run *run = &series->runs[i];
        if (run->cluster == SUMMARY_NONE)
            clustering_skip(clustering, run->length);
        else
            add_iteration(worker, clustering, &series->clusters[run->cluster]);
    }
    clustering_finish(clustering);
    return clustering;
}

static void fill_maxima(struct worker *worker, const struct clustering *clustering,
                        struct series *series)
{
    const double *maxima = clustering_maxima(clustering);
    size_t metrics = worker->summary->metric_count;
    series->maxima =
        memory_pool_allocate(&worker->summary->pool, metrics, sizeof *series->maxima);
    series->maximum_count = 0;
    for (uint32_t m = 0; m < metrics; m++)
        if (worker->metrics[m] != METRIC_none && maxima[worker->metrics[m]] > 0)
            series->maxima[series->maximum_count++] =
                (struct maximum){m, (uint64_t)maxima[worker->metrics[m]]};
}

static void fill_profile(struct worker *worker, const struct cluster_view *view,
                         struct profile *profile)
{
    uint32_t metrics = (uint32_t)worker->summary->metric_count;
    profile->cells =
        memory_pool_allocate(&worker->summary->pool, view->cell_count, sizeof *profile->cells);
    for (size_t i = 0; i < view->cell_count; i++)
        if (view->values[i] != 0)
            profile->cells[profile->count++] = (struct cell){
                view->cells[i] / metrics, view->cells[i] % metrics, view->values[i]};
}

/* What fill_profile has left without values is told, too. */
static void fill_presence(struct worker *worker, const struct cluster_view *view,
                          struct cluster *cluster)
{
    cluster->presence_known = view->presence_known;
    cluster->occurrences = memory_pool_allocate(&worker->summary->pool, view->path_count,
                                                sizeof *cluster->occurrences);
    const struct profile *sums = &cluster->sums;
    size_t cell = 0;
    for (size_t i = 0; view->path_counts && i < view->path_count; i++) {
        const uint32_t node = view->paths[i], count = view->path_counts[i];
        while (cell < sums->count && sums->cells[cell].node < node)
            cell++;
        if (count < view->size || cell == sums->count || sums->cells[cell].node != node)
            cluster->occurrences[cluster->occurrence_count++] =
                (struct occurrence){node, count, count};
    }
}

static void fill_clusters(struct worker *worker, const struct clustering *clustering,
                          struct series *series)
{
    struct memory_pool *pool = &worker->summary->pool;
    series->cluster_count = clustering_count(clustering);
    series->clusters =
        memory_pool_allocate(pool, series->cluster_count, sizeof *series->clusters);
    for (uint32_t i = 0; i < series->cluster_count; i++) {
        struct cluster *cluster = &series->clusters[i];
        struct cluster_view view;
        clustering_view(clustering, i, &view);
        cluster->size = view.size;
        cluster->class_id = view.class_id;
        cluster->wall_ns = view.wall_ns;
        fill_profile(worker, &view, &cluster->sums);
        if (view.size == 1)
            continue;
        fill_presence(worker, &view, cluster);
        cluster->spreads =
            memory_pool_allocate(pool, series->maximum_count, sizeof *cluster->spreads);
        for (size_t m = 0; m < series->maximum_count; m++)
            cluster->spreads[m] = view.spreads[worker->metrics[series->maxima[m].metric]];
    }
}

static void fill_largest(struct worker *worker, const struct clustering *clustering,
                         struct series *series)
{
    const uint32_t metrics = (uint32_t)worker->summary->metric_count;
    const uint32_t count = clustering_largest_count(clustering);
    series->largest =
        memory_pool_allocate(&worker->summary->pool, count, sizeof *series->largest);
    series->largest_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct cell_largest *largest = clustering_largest(clustering, i);
        if (largest->value > 0)
            series->largest[series->largest_count++] = (struct largest){
                largest->cell / metrics, largest->cell % metrics, largest->value,
                largest->iteration, clustering_squares(clustering, largest->cell)};
    }
}

/* Adds up the visits that are not shown, of clusters that were BEFORE and had one iteration
 * each, for those that SERIES has now. */
static void fill_hidden(const struct clustering *clustering, const struct cluster *before,
                        struct series *series)
{
    for (size_t i = 0; i < series->run_count; i++) {
        const struct run *run = &series->runs[i];
        if (run->cluster == SUMMARY_NONE)
            continue;
        struct cluster *cluster =
            &series->clusters[clustering_cluster_of(clustering, run->first)];
        cluster->hidden_visits =
            add_stored(cluster->hidden_visits, before[run->cluster].hidden_visits);
    }
}

/* Makes the runs of SERIES, whose clusters have one iteration each, refer to those of
 * CLUSTERING. */
static void fill_map(struct worker *worker, const struct clustering *clustering,
                     struct series *series)
{
    struct run *runs =
        memory_pool_allocate(&worker->summary->pool, series->run_count, sizeof *runs);
    size_t count = 0;
    for (size_t i = 0; i < series->run_count; i++) {
        struct run run = series->runs[i];
        if (run.cluster != SUMMARY_NONE)
            run.cluster = clustering_cluster_of(clustering, run.first);
        if (count > 0 && runs[count - 1].cluster == run.cluster)
            runs[count - 1].length += run.length;
        else
            runs[count++] = run;
    }
    series->runs = runs;
    series->run_count = count;
}

/* Returns whether the error bound was kept. */
static bool recluster_series(struct worker *worker, struct series *series)
{
    struct clustering *clustering = cluster_series(worker, series);
    series->equivalence = clustering_equivalence(clustering);
    series->classes = clustering_classes(clustering);
    series->clustering = setting_clustering_name(worker->settings->method);
    series->asked = clustering_limit(clustering);
    series->keeps_all = clustering_keeps_all(clustering);
    const struct cluster *before = series->clusters;
    fill_maxima(worker, clustering, series);
    fill_clusters(worker, clustering, series);
    fill_hidden(clustering, before, series);
    fill_largest(worker, clustering, series);
    fill_map(worker, clustering, series);
    const bool kept = !clustering_broke_bound(clustering);
    clustering_destroy(clustering);
    return kept;
}

/*
 * Which metric of this tsprof each metric of the file is; the first if names are not unique.
 * Counters follow those of the table, as in the running program.
 */
static void map_metrics(struct worker *worker)
{
    const struct summary *summary = worker->summary;
    worker->metrics = allocate(summary->metric_count, sizeof *worker->metrics);
    worker->condensed_count = METRIC_COUNT;
    for (uint32_t m = 0; m < summary->metric_count; m++) {
        const char *name = summary->metrics[m].name;
        bool known = summary_metric(summary, name) == m;
        if (known && worker->condensed_count < METRIC_COUNT + COUNTERS_CLUSTERED &&
            summary->metrics[m].kind == FORMAT_METRIC_COUNTER)
            worker->metrics[m] = (int)worker->condensed_count++;
        else
            worker->metrics[m] = known ? (int)metric_by_name(name) : METRIC_none;
    }
    worker->totals = allocate(worker->condensed_count, sizeof *worker->totals);
    worker->condensed = allocate((size_t)worker->condensed_count, sizeof *worker->condensed);
}

bool recluster(struct summary *summary, const struct recluster_settings *settings)
{
    bool kept = true;
    struct worker worker = {
        .summary = summary,
        .settings = settings,
        .visits = summary_metric(summary, "visits"),
        .leads_to_mpi = allocate(summary->node_count, sizeof *worker.leads_to_mpi),
    };
    map_metrics(&worker);
    for (size_t i = 0; i < summary->location_count; i++) {
        struct location *location = &summary->locations[i];
        for (size_t s = 0; s < location->series_count; s++)
            kept &= recluster_series(&worker, &location->series[s]);
    }
    free(worker.metrics);
    free(worker.totals);
    free(worker.condensed);
    free(worker.leads_to_mpi);
    free(worker.cells);
    free(worker.values);
    free(worker.paths);
    return kept;
}
