/* See outcome.h. */
#include "waits/outcome.h"

#include "waits/outcome_maxima.h"
#include "waits/outcome_pairs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct making {
    const struct feed *feed;
    struct replay_result result;
    struct summary *summary;
    struct cell_list *cells; /* by instance, then outside, then the whole run; of a thread */
    uint32_t *metrics;       /* by metric of the result: its number in the summary */
    uint32_t *paths;         /* those of the result, thread by thread */
    size_t *first_paths;     /* by thread: where its paths begin there; one more at the end */
};

struct cell_list {
    struct cell *list;
    size_t count, room;
};

static void *items(struct making *making, size_t count, size_t size)
{
    return memory_pool_allocate(&making->summary->pool, count, size);
}

static const char *text(struct making *making, const char *from)
{
    return memory_pool_copy(&making->summary->pool, from, strlen(from));
}

static struct metric_entry metric_entry(struct making *making, uint32_t number)
{
    const struct replay_metric *from = &making->result.metrics[number];
    const bool is_own = number < METRIC_COUNT;
    return (struct metric_entry){
        .name = text(making, from->name),
        .parent = from->parent == REPLAY_NONE ? SUMMARY_NONE : making->metrics[from->parent],
        .unit = metric_unit_name(from->unit),
        .scale = from->unit == UNIT_seconds ? 9 : 0,
        .kind = is_own && !metric_table[number].measured ? FORMAT_METRIC_DERIVED
                                                         : FORMAT_METRIC_MEASURED,
        .text = text(making, from->text)};
}

/* Adds METRIC and all its parts, so that the parts follow it. */
static void add_metric(struct making *making, uint32_t metric)
{
    struct summary *summary = making->summary;
    making->metrics[metric] = (uint32_t)summary->metric_count;
    summary->metrics[summary->metric_count++] = metric_entry(making, metric);
    for (uint32_t i = metric + 1; i < making->result.metric_count; i++)
        if (making->result.metrics[i].parent == metric)
            add_metric(making, i);
}

static void make_metrics(struct making *making)
{
    const struct replay_result *result = &making->result;
    making->summary->metrics =
        items(making, result->metric_count, sizeof *making->summary->metrics);
    making->metrics = allocate(result->metric_count, sizeof *making->metrics);
    for (uint32_t i = 0; i < result->metric_count; i++)
        if (result->metrics[i].parent == REPLAY_NONE && i != METRIC_preempted)
            add_metric(making, i);
}

/* The root's region follows those of the trace. */
static void make_regions(struct making *making)
{
    const struct trace *trace = making->feed->trace;
    struct summary *summary = making->summary;
    summary->region_count = trace->region_count + 1;
    summary->regions = items(making, summary->region_count, sizeof *summary->regions);
    for (size_t i = 0; i < trace->region_count; i++) {
        const struct trace_region *from = &trace->regions[i];
        summary->regions[i] = (struct region_entry){.name = text(making, from->name),
                                                    .kind = from->is_mpi     ? REGION_MPI
                                                            : from->is_phase ? REGION_PHASE
                                                                             : REGION_FUNCTION,
                                                    .file = text(making, from->file),
                                                    .line = from->line,
                                                    .module = SUMMARY_NONE,
                                                    .group = ""};
    }
    summary->regions[trace->region_count] = (struct region_entry){.name = FORMAT_ROOT_NAME,
                                                                  .kind = REGION_ARTIFICIAL,
                                                                  .file = "",
                                                                  .module = SUMMARY_NONE,
                                                                  .group = ""};
}

static void make_nodes(struct making *making)
{
    const struct replay_result *result = &making->result;
    struct summary *summary = making->summary;
    summary->node_count = result->node_count;
    summary->nodes = items(making, summary->node_count, sizeof *summary->nodes);
    for (size_t i = 0; i < summary->node_count; i++)
        summary->nodes[i] = (struct call_node){
            .parent = i == 0 ? SUMMARY_NONE : result->nodes[i].parent,
            .region = i == 0 ? (uint32_t)(summary->region_count - 1) : result->nodes[i].region};
}

static bool has_iterations(const struct making *making, uint32_t region)
{
    const struct instances *instances = &making->feed->instances;
    for (size_t i = 0; i < instances->count; i++)
        if (instances->list[i].phase == region)
            return true;
    return false;
}

/* One for each region that iterations are instances of. */
static void make_phases(struct making *making)
{
    struct summary *summary = making->summary;
    summary->phases =
        items(making, making->feed->trace->region_count + 1, sizeof *summary->phases);
    for (uint32_t i = 0; i < making->feed->trace->region_count; i++)
        if (making->feed->trace->regions[i].is_phase && has_iterations(making, i))
            summary->phases[summary->phase_count++] = (struct phase_entry){
                .name = summary->regions[i].name, .region = i, .kept = true};
}

static uint32_t phase_of(const struct making *making, uint32_t region)
{
    const struct summary *summary = making->summary;
    for (uint32_t i = 0; i < summary->phase_count; i++)
        if (summary->phases[i].region == region)
            return i;
    return SUMMARY_NONE;
}

static void make_hosts(struct making *making)
{
    const struct trace *trace = making->feed->trace;
    struct summary *summary = making->summary;
    summary->hosts = items(making, trace->process_count, sizeof *summary->hosts);
    for (size_t i = 0; i < trace->process_count; i++) {
        size_t at = 0;
        while (at < summary->host_count &&
               strcmp(summary->hosts[at].name, trace->processes[i].host) != 0)
            at++;
        if (at == summary->host_count)
            summary->hosts[summary->host_count++] =
                (struct host_entry){.name = text(making, trace->processes[i].host)};
    }
}

static uint32_t host_of(const struct summary *summary, const char *name)
{
    uint32_t at = 0;
    while (at < summary->host_count && strcmp(summary->hosts[at].name, name) != 0)
        at++;
    return at < summary->host_count ? at : SUMMARY_NONE;
}

/* Adds CELL to those that are there, by node and metric; none has a later node. */
static void add_cell(struct cell_list *cells, struct cell cell)
{
    size_t at = cells->count;
    if (cell.value == 0)
        return;
    while (at > 0 && cells->list[at - 1].node == cell.node &&
           cells->list[at - 1].metric >= cell.metric)
        at--;
    if (at < cells->count && cells->list[at].metric == cell.metric) {
        cells->list[at].value += cell.value;
        return;
    }
    cells->list = grow_list(cells->list, cells->count, &cells->room, sizeof *cells->list);
    memmove(&cells->list[at + 1], &cells->list[at], (cells->count - at) * sizeof cell);
    cells->list[at] = cell;
    cells->count++;
}

/* Adds all values of PATH. */
static void add_path(const struct making *making, struct cell_list *cells,
                     const struct path *path)
{
    const uint32_t region = making->result.nodes[path->node].region;
    const enum metric metric =
        region == REPLAY_NONE ? METRIC_computation : making->feed->regions[region].metric;
    const uint32_t *numbers = making->metrics;
    add_cell(cells, (struct cell){path->node, numbers[metric], path->time_ns});
    add_cell(cells, (struct cell){path->node, numbers[METRIC_visits], path->visits});
    for (uint32_t at = path->first_value; at != REPLAY_NONE;
         at = making->result.values[at].next)
        add_cell(cells, (struct cell){path->node, numbers[making->result.values[at].metric],
                                      making->result.values[at].value});
}

/* Whether METRIC is part of the first one, which is all time. */
static bool is_time(const struct summary *summary, uint32_t metric)
{
    while (summary->metrics[metric].parent != SUMMARY_NONE)
        metric = summary->metrics[metric].parent;
    return metric == METRIC_time;
}

/* What was collected, as a profile; *WALL_NS is all its time. */
static struct profile profile_of(struct making *making, const struct cell_list *cells,
                                 int64_t *wall_ns)
{
    struct profile profile = {items(making, cells->count, sizeof *profile.cells), 0};
    *wall_ns = 0;
    for (size_t i = 0; i < cells->count; i++) {
        const struct cell *cell = &cells->list[i];
        *wall_ns += is_time(making->summary, cell->metric) ? cell->value : 0;
        if (cell->value != 0)
            profile.cells[profile.count++] = *cell;
    }
    return profile;
}

/* Lists the paths of each thread, by node. */
static void sort_paths(struct making *making)
{
    const struct replay_result *result = &making->result;
    const size_t threads = making->feed->trace->thread_count, count = result->path_count;
    size_t *by_node = allocate(result->node_count + 2, sizeof *by_node);
    uint32_t *paths = allocate(count + 1, sizeof *paths);
    making->paths = allocate(count + 1, sizeof *making->paths);
    making->first_paths = allocate(threads + 2, sizeof *making->first_paths);
    for (size_t i = 0; i < count; i++) {
        by_node[result->paths[i].node + 1]++;
        making->first_paths[result->paths[i].thread + 2]++;
    }
    for (size_t i = 1; i <= result->node_count; i++)
        by_node[i] += by_node[i - 1];
    for (size_t i = 2; i <= threads; i++)
        making->first_paths[i] += making->first_paths[i - 1];
    for (size_t i = 0; i < count; i++)
        paths[by_node[result->paths[i].node]++] = (uint32_t)i;
    for (size_t i = 0; i < count; i++)
        making->paths[making->first_paths[result->paths[paths[i]].thread + 1]++] = paths[i];
    free(by_node);
    free(paths);
}

/* Whether an iteration within OUTER, from INNER outwards, is one of the same phase: what is in
 * both counts for the inner one. */
static bool is_in_itself(const struct instances *instances, uint32_t inner, uint32_t outer)
{
    for (; inner != outer; inner = instances->list[inner].outer)
        if (instances->list[inner].phase == instances->list[outer].phase)
            return true;
    return false;
}

/* The cells of all iterations of THREAD, of what is outside, and of the whole. */
static void collect(struct making *making, uint32_t thread)
{
    const struct instances *instances = &making->feed->instances;
    for (size_t i = 0; i < instances->count + 2; i++)
        making->cells[i].count = 0;
    for (size_t i = making->first_paths[thread]; i < making->first_paths[thread + 1]; i++) {
        const struct path *path = &making->result.paths[making->paths[i]];
        add_path(making, &making->cells[instances->count + 1], path);
        if (path->instance == REPLAY_NONE)
            add_path(making, &making->cells[instances->count], path);
        for (uint32_t in = path->instance; in != REPLAY_NONE; in = instances->list[in].outer)
            if (!is_in_itself(instances, path->instance, in))
                add_path(making, &making->cells[in], path);
    }
}

static int compare_numbers(const void *a, const void *b)
{
    const struct instance *one = *(const struct instance *const *)a;
    const struct instance *other = *(const struct instance *const *)b;
    return one->number < other->number ? -1 : one->number > other->number;
}

/* The iterations of PHASE on the thread that was collected, in their order; *COUNT of them. */
static const struct instance **iterations_of(const struct making *making, uint32_t phase,
                                             size_t *count)
{
    const struct instances *all = &making->feed->instances;
    const struct instance **list = allocate(all->count + 1, sizeof(struct instance *));
    *count = 0;
    for (size_t i = 0; i < all->count; i++)
        if (all->list[i].phase == making->summary->phases[phase].region &&
            making->cells[i].count > 0)
            list[(*count)++] = &all->list[i];
    if (*count > 0)
        qsort(list, *count, sizeof(struct instance *), compare_numbers);
    return list;
}

static void add_run(struct series *series, uint64_t length, uint32_t cluster)
{
    series->runs[series->run_count++] =
        (struct run){.first = series->iterations, .length = length, .cluster = cluster};
    series->iterations += length;
    series->lost += cluster == SUMMARY_NONE ? length : 0;
}

/* Each iteration that was traced is a cluster; between them there are none. */
static void fill_series(struct making *making, struct series *series,
                        const struct instance **list, size_t count)
{
    const struct instances *all = &making->feed->instances;
    series->clusters = items(making, count, sizeof *series->clusters);
    series->runs = items(making, 2 * count + 1, sizeof *series->runs);
    for (size_t i = 0; i < count; i++) {
        /* Of iterations with one number, within two others, the first is shown. */
        if (list[i]->number < series->iterations || list[i]->number >= SUMMARY_MAX_ITERATIONS)
            continue;
        if (list[i]->number > series->iterations)
            add_run(series, list[i]->number - series->iterations, SUMMARY_NONE);
        struct cluster *cluster = &series->clusters[series->cluster_count];
        cluster->size = 1;
        cluster->sums =
            profile_of(making, &making->cells[list[i] - all->list], &cluster->wall_ns);
        add_run(series, 1, (uint32_t)series->cluster_count++);
    }
}

static void make_series(struct making *making, struct location *location)
{
    struct summary *summary = making->summary;
    location->series = items(making, summary->phase_count, sizeof *location->series);
    for (uint32_t phase = 0; phase < summary->phase_count; phase++) {
        size_t count;
        const struct instance **list = iterations_of(making, phase, &count);
        if (count > 0) {
            struct series *series = &location->series[location->series_count++];
            const uint32_t outer = list[0]->outer;
            *series = (struct series){
                .phase = phase,
                .parent_phase =
                    outer == TRACE_NONE
                        ? SUMMARY_NONE
                        : phase_of(making, making->feed->instances.list[outer].phase),
                .clustering = "none",
                .keeps_all = true};
            fill_series(making, series, list, count);
            outcome_add_maxima(summary, series);
        }
        free(list);
    }
}

static void make_location(struct making *making, uint32_t thread)
{
    const struct trace *trace = making->feed->trace;
    const struct trace_process *process = &trace->processes[trace->threads[thread].process];
    const size_t outside = making->feed->instances.count;
    struct location *location = &making->summary->locations[making->summary->location_count++];
    int64_t ignored;
    collect(making, thread);
    *location = (struct location){.rank = process->rank,
                                  .thread = trace->threads[thread].number,
                                  .host = host_of(making->summary, process->host),
                                  .ending = ""};
    make_series(making, location);
    location->outside = profile_of(making, &making->cells[outside], &ignored);
    location->whole = profile_of(making, &making->cells[outside + 1], &location->wall_ns);
}

static int compare_locations(const void *a, const void *b)
{
    const struct location *one = a, *other = b;
    if (one->rank != other->rank)
        return one->rank < other->rank ? -1 : 1;
    return one->thread < other->thread ? -1 : one->thread > other->thread;
}

static void make_locations(struct making *making)
{
    const struct trace *trace = making->feed->trace;
    struct summary *summary = making->summary;
    const size_t lists = making->feed->instances.count + 2;
    summary->locations = items(making, trace->thread_count, sizeof *summary->locations);
    making->cells = allocate(lists, sizeof *making->cells);
    sort_paths(making);
    for (uint32_t i = 0; i < trace->thread_count; i++)
        if (trace->processes[trace->threads[i].process].rank != TRACE_NONE)
            make_location(making, i);
    for (size_t i = 0; i < lists; i++)
        free(making->cells[i].list);
    free(making->cells);
    free(making->paths);
    free(making->first_paths);
    if (summary->location_count > 0)
        qsort(summary->locations, summary->location_count, sizeof *summary->locations,
              compare_locations);
}

static void add_fact(struct making *making, const char *key, const char *value)
{
    making->summary->facts[making->summary->fact_count++] =
        (struct fact){key, text(making, value)};
}

static void add_number(struct making *making, const char *key, uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, value);
    add_fact(making, key, digits);
}

static void make_facts(struct making *making)
{
    struct summary *summary = making->summary;
    summary->facts = items(making, 16, sizeof *summary->facts);
    add_fact(making, "trace", making->feed->trace->path);
    if (*making->feed->trace->program)
        add_fact(making, "program", making->feed->trace->program);
    add_number(making, "ranks", making->feed->world.rank_count);
    add_number(making, "trace.events", making->result.events);
    add_number(making, "trace.unmatched_sends", making->result.unmatched_sends);
    add_number(making, "trace.unmatched_receives", making->result.unmatched_receives);
}

/* How far events of several hosts had to be moved (clocks/clocks.h). */
static void make_clock_facts(struct making *making, const struct clock_findings *found)
{
    add_number(making, "clocks.dependencies", found->dependencies);
    add_number(making, "clocks.violations_before", found->before);
    add_number(making, "clocks.violations_after", found->after);
    add_number(making, "clocks.given_up", found->given_up);
    add_number(making, "clocks.moved_events", found->moved);
    add_number(making, "clocks.largest_move_ns", found->largest_ns);
    add_number(making, "clocks.mean_move_ns",
               found->moved > 0 ? found->moved_ns / found->moved : 0);
}

struct summary *outcome_make(const struct feed *feed, const struct clocks *clocks)
{
    struct making making = {.feed = feed, .summary = allocate(1, sizeof *making.summary)};
    replay_result(feed->replay, &making.result);
    making.summary->state = FORMAT_COMPLETE;
    making.summary->path = text(&making, feed->trace->path);
    make_facts(&making);
    if (clocks->looked)
        make_clock_facts(&making, &clocks->found);
    make_metrics(&making);
    make_regions(&making);
    make_nodes(&making);
    make_phases(&making);
    make_hosts(&making);
    make_locations(&making);
    outcome_add_pairs(making.summary, feed, &making.result, making.metrics);
    free(making.metrics);
    return making.summary;
}
