/* See openmp.h. */
#include "openmp/openmp.h"

#include "base/base.h"
#include "openmp/runtime_nodes.h"

#include <stdlib.h>
#include <string.h>

/* The metrics' places while they are added; before, a metric's number is smaller by those that
 * come before it now. */
struct adding {
    struct summary *summary;
    uint32_t computation; /* the number stays the same */
    uint32_t runtime;     /* directly behind it */
    uint32_t idle;        /* behind all parts of time; SUMMARY_NONE: there are none */
    const bool *in_runtime;
    bool *in_parallel;  /* by node: in a parallel region, or in the runtime */
    bool *is_execution; /* by metric, as they are now */
};

static uint32_t new_number(const struct adding *adding, uint32_t metric)
{
    metric += metric >= adding->runtime;
    return metric + (adding->idle != SUMMARY_NONE && metric >= adding->idle);
}

static bool is_part(const struct summary *summary, uint32_t metric, uint32_t of)
{
    while (metric != SUMMARY_NONE && metric != of)
        metric = summary->metrics[metric].parent;
    return metric != SUMMARY_NONE;
}

static bool has_cells_in(const struct profile *profile, const bool *nodes)
{
    for (size_t i = 0; i < profile->count; i++)
        if (nodes[profile->cells[i].node])
            return true;
    return false;
}

/* How many other threads of the process of FIRST, its first one, have been in parallel regions;
 * 0 if FIRST itself has not. */
static uint64_t count_team(const struct adding *adding, size_t first)
{
    const struct location *locations = adding->summary->locations;
    uint64_t others = 0;
    for (size_t i = first + 1;
         i < adding->summary->location_count && locations[i].rank == locations[first].rank; i++)
        others += has_cells_in(&locations[i].whole, adding->in_parallel);
    return has_cells_in(&locations[first].whole, adding->in_parallel) ? others : 0;
}

static bool is_first(const struct summary *summary, size_t location)
{
    return location == 0 ||
           summary->locations[location - 1].rank != summary->locations[location].rank;
}

static bool has_teams(const struct adding *adding)
{
    for (size_t i = 0; i < adding->summary->location_count; i++)
        if (is_first(adding->summary, i) && count_team(adding, i) > 0)
            return true;
    return false;
}

/* The first root behind METRIC: where everything that METRIC's root consists of has ended. */
static uint32_t next_root(const struct summary *summary, uint32_t metric)
{
    do
        metric++;
    while (metric < summary->metric_count && summary->metrics[metric].parent != SUMMARY_NONE);
    return metric;
}

static void add_entries(const struct adding *adding)
{
    struct summary *summary = adding->summary;
    struct metric_entry *old = summary->metrics;
    const size_t count = summary->metric_count + (adding->idle == SUMMARY_NONE ? 1 : 2);
    summary->metrics = memory_pool_allocate(&summary->pool, count, sizeof *summary->metrics);
    for (uint32_t m = 0; m < summary->metric_count; m++) {
        struct metric_entry *entry = &summary->metrics[new_number(adding, m)];
        *entry = old[m];
        if (entry->parent != SUMMARY_NONE)
            entry->parent = new_number(adding, entry->parent);
    }
    struct metric_entry entry = old[adding->computation];
    entry.name = "omp_runtime";
    entry.parent = adding->computation;
    entry.kind = FORMAT_METRIC_MEASURED;
    entry.text =
        "Time in the OpenMP runtime: waiting at its barriers and for work, included in "
        "computation";
    summary->metrics[adding->runtime] = entry;
    if (adding->idle != SUMMARY_NONE) {
        entry.name = "idle_threads";
        entry.parent = SUMMARY_NONE;
        entry.text = "Time of the other threads' cores while the first thread of a process is "
                     "outside parallel regions";
        summary->metrics[adding->idle] = entry;
    }
    summary->metric_count = count;
}

static uint32_t moved(const struct adding *adding, uint32_t node, uint32_t metric)
{
    return metric == adding->computation && adding->in_runtime[node]
               ? adding->runtime
               : new_number(adding, metric);
}

/* Adds CELL behind those in TO, before which cells of the same node may have greater metrics.
 */
static void insert_cell(struct profile *to, struct cell cell)
{
    size_t at = to->count++;
    for (; at > 0 && to->cells[at - 1].node == cell.node &&
           to->cells[at - 1].metric > cell.metric;
         at--)
        to->cells[at] = to->cells[at - 1];
    to->cells[at] = cell;
}

/* Moves the cells of PROFILE; OTHERS threads are idle where it is in no parallel region. */
static void change_profile(const struct adding *adding, struct profile *profile,
                           uint64_t others)
{
    struct profile to = {
        memory_pool_allocate(&adding->summary->pool, 2 * profile->count, sizeof *to.cells), 0};
    for (size_t i = 0; i < profile->count;) {
        const uint32_t node = profile->cells[i].node;
        uint64_t sum = 0;
        for (; i < profile->count && profile->cells[i].node == node; i++) {
            struct cell cell = profile->cells[i];
            cell.metric = moved(adding, node, cell.metric);
            sum += adding->is_execution[cell.metric] ? (uint64_t)cell.value : 0;
            to.cells[to.count++] = cell;
        }
        if (others > 0 && sum != 0 && !adding->in_parallel[node])
            insert_cell(&to, (struct cell){node, adding->idle, (int64_t)(sum * others)});
    }
    *profile = to;
}

static void change_series(const struct adding *adding, struct series *series, uint64_t others)
{
    for (size_t i = 0; i < series->maximum_count; i++)
        series->maxima[i].metric = new_number(adding, series->maxima[i].metric);
    for (size_t i = 0; i < series->largest_count; i++)
        series->largest[i].metric =
            moved(adding, series->largest[i].node, series->largest[i].metric);
    for (size_t c = 0; c < series->cluster_count; c++)
        change_profile(adding, &series->clusters[c].sums, others);
}

static void change_location(const struct adding *adding, struct location *location,
                            uint64_t others)
{
    change_profile(adding, &location->whole, others);
    change_profile(adding, &location->outside, others);
    for (size_t s = 0; s < location->series_count; s++)
        change_series(adding, &location->series[s], others);
}

static void change_waits(const struct adding *adding, struct wait_table *waits)
{
    for (size_t i = 0; i < waits->pair_count; i++)
        waits->pairs[i].metric = new_number(adding, waits->pairs[i].metric);
    for (size_t i = 0; i < waits->longest_count; i++)
        waits->longest[i].metric = new_number(adding, waits->longest[i].metric);
}

static void find_execution(struct adding *adding)
{
    const struct summary *summary = adding->summary;
    const uint32_t execution = summary_metric(summary, "execution");
    adding->is_execution = allocate(summary->metric_count, sizeof *adding->is_execution);
    for (uint32_t m = 0; m < summary->metric_count; m++)
        adding->is_execution[m] = execution != SUMMARY_NONE && is_part(summary, m, execution);
}

/* Changes everything that has a metric's number. */
static void change(struct adding *adding)
{
    struct summary *summary = adding->summary;
    /* Who is in parallel regions is asked of profiles, which change: first of all. */
    uint64_t *others = allocate(summary->location_count, sizeof *others);
    for (size_t i = 0; i < summary->location_count && adding->idle != SUMMARY_NONE; i++)
        others[i] = is_first(summary, i) ? count_team(adding, i) : 0;
    add_entries(adding);
    find_execution(adding);
    for (size_t i = 0; i < summary->location_count; i++)
        change_location(adding, &summary->locations[i], others[i]);
    change_waits(adding, &summary->waits);
    free(adding->is_execution);
    free(others);
}

bool openmp_add_metrics(struct summary *summary)
{
    struct adding adding = {.summary = summary,
                            .computation = summary_metric(summary, "computation")};
    adding.in_runtime = summary->in_openmp = runtime_nodes_find(summary);
    if (!summary->in_openmp || adding.computation == SUMMARY_NONE ||
        summary_metric(summary, "omp_runtime") != SUMMARY_NONE ||
        summary_metric(summary, "idle_threads") != SUMMARY_NONE ||
        summary->metric_count + 2 > FORMAT_METRICS_MOST)
        return false;
    adding.in_parallel = runtime_nodes_below(summary, summary->in_openmp);
    adding.runtime = adding.computation + 1;
    adding.idle =
        has_teams(&adding) ? next_root(summary, adding.computation) + 1 : SUMMARY_NONE;
    change(&adding);
    free(adding.in_parallel);
    return true;
}
