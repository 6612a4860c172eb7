/* Metrics and call paths of both.  See join_parts.h. */
#include "waits/join_parts.h"

#include <stdlib.h>
#include <string.h>

/* Metrics */

static bool is_below(const struct summary *summary, uint32_t metric, const char *name)
{
    for (; metric != SUMMARY_NONE; metric = summary->metrics[metric].parent)
        if (strcmp(summary->metrics[metric].name, name) == 0)
            return true;
    return false;
}

/* The two tables of metrics as one, in which every metric is followed by its parts. */
struct metric_order {
    struct join *join;
    struct metric_entry *list;
    size_t count;
};

/* Adds a metric that is RUN in the run and WAITS in the waits (SUMMARY_NONE: not there), and
 * then its parts. */
static void add_metrics(struct metric_order *order, uint32_t run, uint32_t waits,
                        uint32_t parent);

/* Adds the metrics of the run that are part of RUN. */
static void add_parts_of_run(struct metric_order *order, uint32_t run, uint32_t parent,
                             bool counters)
{
    const struct summary *from = order->join->run;
    for (uint32_t i = 0; i < from->metric_count; i++)
        if (from->metrics[i].parent == run &&
            (from->metrics[i].kind == FORMAT_METRIC_COUNTER) == counters)
            add_metrics(order, i, summary_metric(order->join->waits, from->metrics[i].name),
                        parent);
}

/* Adds the metrics of the waits that are part of WAITS, and not in the run. */
static void add_parts_of_waits(struct metric_order *order, uint32_t waits, uint32_t parent)
{
    const struct summary *from = order->join->waits;
    for (uint32_t i = 0; i < from->metric_count; i++)
        if (from->metrics[i].parent == waits &&
            summary_metric(order->join->run, from->metrics[i].name) == SUMMARY_NONE)
            add_metrics(order, SUMMARY_NONE, i, parent);
}

static void add_metrics(struct metric_order *order, uint32_t run, uint32_t waits,
                        uint32_t parent)
{
    struct join *join = order->join;
    const uint32_t number = (uint32_t)order->count++;
    struct metric_entry *to = &order->list[number];
    *to = run != SUMMARY_NONE ? join->run->metrics[run] : join->waits->metrics[waits];
    to->parent = parent;
    if (run != SUMMARY_NONE)
        join->new_numbers[run] = number;
    if (waits != SUMMARY_NONE) {
        join->metrics[waits].number = number;
        join->metrics[waits].is_new = run == SUMMARY_NONE;
    }
    if (run != SUMMARY_NONE)
        add_parts_of_run(order, run, number, false);
    if (waits != SUMMARY_NONE)
        add_parts_of_waits(order, waits, number);
}

/* What is new is part of the nearest metric that the run has. */
static void find_wholes(struct join *join)
{
    for (size_t i = 0; i < join->waits->metric_count; i++) {
        uint32_t at = (uint32_t)i;
        while (at != SUMMARY_NONE && join->metrics[at].is_new)
            at = join->waits->metrics[at].parent;
        join->metrics[i].whole = at == SUMMARY_NONE ? SUMMARY_NONE : join->metrics[at].number;
    }
}

static void copy_texts(struct join *join, struct metric_entry *metric)
{
    struct memory_pool *pool = &join->run->pool;
    metric->name = memory_pool_copy(pool, metric->name, strlen(metric->name));
    metric->unit = memory_pool_copy(pool, metric->unit, strlen(metric->unit));
    metric->text = memory_pool_copy(pool, metric->text, strlen(metric->text));
}

static void join_metrics(struct join *join)
{
    struct summary *run = join->run;
    const size_t most = run->metric_count + join->waits->metric_count;
    struct metric_order order = {join,
                                 memory_pool_allocate(&run->pool, most, sizeof *order.list), 0};
    join->metrics = allocate(join->waits->metric_count + 1, sizeof *join->metrics);
    join->new_numbers = allocate(run->metric_count + 1, sizeof *join->new_numbers);
    add_parts_of_run(&order, SUMMARY_NONE, SUMMARY_NONE, false);
    add_parts_of_waits(&order, SUMMARY_NONE, SUMMARY_NONE);
    /* Counters come last. */
    add_parts_of_run(&order, SUMMARY_NONE, SUMMARY_NONE, true);
    find_wholes(join);
    run->metrics = order.list;
    run->metric_count = order.count;
    join->is_wall = allocate(order.count + 1, sizeof *join->is_wall);
    join->is_time = allocate(order.count + 1, sizeof *join->is_time);
    join->is_mpi = allocate(order.count + 1, sizeof *join->is_mpi);
    for (uint32_t i = 0; i < order.count; i++) {
        copy_texts(join, &run->metrics[i]);
        join->is_wall[i] = is_below(run, i, "time");
        join->is_time[i] = is_below(run, i, "execution");
        join->is_mpi[i] = is_below(run, i, "mpi");
    }
}

/* Profiles of the run, with new numbers of metrics */

static int compare_cells(const void *a, const void *b)
{
    const struct cell *one = a, *other = b;
    if (one->node != other->node)
        return one->node < other->node ? -1 : 1;
    return one->metric < other->metric ? -1 : one->metric > other->metric;
}

static void renumber_profile(const struct join *join, struct profile *profile)
{
    for (size_t i = 0; i < profile->count; i++)
        profile->cells[i].metric = join->new_numbers[profile->cells[i].metric];
    if (profile->count > 1)
        qsort(profile->cells, profile->count, sizeof *profile->cells, compare_cells);
}

/* One of the maxima, and where it was: spreads are in the same order. */
struct moved {
    struct maximum maximum;
    size_t from;
};

static int compare_moved(const void *a, const void *b)
{
    const struct moved *one = a, *other = b;
    return one->maximum.metric < other->maximum.metric
               ? -1
               : one->maximum.metric > other->maximum.metric;
}

static void renumber_spreads(const struct moved *moved, size_t count, double *spreads)
{
    double *before = allocate(count + 1, sizeof *before);
    memcpy(before, spreads, count * sizeof *spreads);
    for (size_t i = 0; i < count; i++)
        spreads[i] = before[moved[i].from];
    free(before);
}

static void renumber_maxima(const struct join *join, struct series *series)
{
    const size_t count = series->maximum_count;
    struct moved *moved = allocate(count + 1, sizeof *moved);
    for (size_t i = 0; i < count; i++)
        moved[i] = (struct moved){
            {join->new_numbers[series->maxima[i].metric], series->maxima[i].value}, i};
    if (count > 1)
        qsort(moved, count, sizeof *moved, compare_moved);
    for (size_t i = 0; i < count; i++)
        series->maxima[i] = moved[i].maximum;
    for (size_t i = 0; i < series->cluster_count; i++)
        if (series->clusters[i].spreads)
            renumber_spreads(moved, count, series->clusters[i].spreads);
    free(moved);
}

static void renumber_location(const struct join *join, struct location *location)
{
    renumber_profile(join, &location->whole);
    renumber_profile(join, &location->outside);
    for (size_t i = 0; i < location->series_count; i++) {
        struct series *series = &location->series[i];
        renumber_maxima(join, series);
        for (size_t k = 0; k < series->largest_count; k++)
            series->largest[k].metric = join->new_numbers[series->largest[k].metric];
        for (size_t k = 0; k < series->cluster_count; k++)
            renumber_profile(join, &series->clusters[k].sums);
    }
}

static void renumber_waits(const struct join *join, struct wait_table *waits)
{
    for (size_t i = 0; i < waits->pair_count; i++)
        waits->pairs[i].metric = join->new_numbers[waits->pairs[i].metric];
    for (size_t i = 0; i < waits->longest_count; i++)
        waits->longest[i].metric = join->new_numbers[waits->longest[i].metric];
}

/* Call paths */

struct class_key {
    const struct join *join;
    uint32_t parent;
    const struct region_entry *region;
};

static bool is_mpi(const struct region_entry *region)
{
    return region->kind == REGION_MPI;
}

static bool is_same_class(const void *context, uint32_t number)
{
    const struct class_key *key = context;
    const struct join_class *class = &key->join->classes[number];
    const struct region_entry *region = &key->join->run->regions[class->region];
    return class->parent == key->parent && is_mpi(region) == is_mpi(key->region) &&
           strcmp(region->name, key->region->name) == 0;
}

static uint32_t *class_slot(const struct index *index, const struct class_key *key)
{
    uint64_t hash = index_hash_number(INDEX_HASH, key->parent);
    hash = index_hash_number(hash, is_mpi(key->region));
    return index_slot(index, index_hash_text(hash, key->region->name), is_same_class, key);
}

/* The class of NODE of the run, whose parent's is PARENT. */
static uint32_t add_class(struct join *join, const struct index *index, uint32_t parent,
                          uint32_t node)
{
    const uint32_t region = join->run->nodes[node].region;
    const struct class_key key = {join, parent, &join->run->regions[region]};
    uint32_t *slot = class_slot(index, &key);
    if (*slot == 0) {
        join->classes[join->class_count++] = (struct join_class){parent, region, node};
        *slot = (uint32_t)join->class_count;
    }
    return *slot - 1;
}

/* The number in the run of REGION, of the waits; it is added if it is not there. */
static uint32_t join_region(struct join *join, const struct region_entry *region)
{
    struct summary *run = join->run;
    for (uint32_t i = 0; i < run->region_count; i++)
        if (is_mpi(&run->regions[i]) == is_mpi(region) &&
            strcmp(run->regions[i].name, region->name) == 0)
            return i;
    struct region_entry *to = &run->regions[run->region_count];
    *to = *region;
    to->name = memory_pool_copy(&run->pool, region->name, strlen(region->name));
    to->file = memory_pool_copy(&run->pool, region->file, strlen(region->file));
    to->group = "";
    return (uint32_t)run->region_count++;
}

/* Adds a call path that only the trace has, below the first of its parent's. */
static uint32_t add_node(struct join *join, struct index *index, uint32_t parent,
                         const struct region_entry *region)
{
    struct summary *run = join->run;
    const uint32_t node = (uint32_t)run->node_count++;
    run->nodes[node] = (struct call_node){.parent = join->classes[parent].first_node,
                                          .region = join_region(join, region)};
    join->class_of[node] = add_class(join, index, parent, node);
    return join->class_of[node];
}

static void make_room(struct join *join, size_t nodes)
{
    struct summary *run = join->run;
    struct call_node *longer = memory_pool_allocate(&run->pool, nodes, sizeof *longer);
    memcpy(longer, run->nodes, run->node_count * sizeof *longer);
    run->nodes = longer;
    struct region_entry *regions = memory_pool_allocate(
        &run->pool, run->region_count + join->waits->region_count, sizeof *regions);
    memcpy(regions, run->regions, run->region_count * sizeof *regions);
    run->regions = regions;
}

/* The class of call paths of REGION, of the waits, called from class PARENT.  Loops that were
 * found are in the trace, but no call paths of the run. */
static uint32_t class_of(struct join *join, struct index *index, uint32_t parent,
                         const struct region_entry *region)
{
    const uint32_t *slot = class_slot(index, &(struct class_key){join, parent, region});
    if (*slot)
        return *slot - 1;
    return region->kind == REGION_PHASE ? parent : add_node(join, index, parent, region);
}

static void join_nodes(struct join *join)
{
    const struct summary *waits = join->waits;
    const size_t nodes = join->run->node_count + waits->node_count;
    struct index index = {0};
    reserve_index(&index, nodes);
    make_room(join, nodes);
    join->classes = allocate(nodes, sizeof *join->classes);
    join->class_of = allocate(nodes, sizeof *join->class_of);
    join->wait_class_of = allocate(waits->node_count + 1, sizeof *join->wait_class_of);
    for (uint32_t i = 0; i < join->run->node_count; i++)
        join->class_of[i] = add_class(
            join, &index, i ? join->class_of[join->run->nodes[i].parent] : SUMMARY_NONE, i);
    for (uint32_t i = 1; i < waits->node_count; i++)
        join->wait_class_of[i] =
            class_of(join, &index, join->wait_class_of[waits->nodes[i].parent],
                     &waits->regions[waits->nodes[i].region]);
    index_free(&index);
}

void join_definitions(struct join *join)
{
    join_metrics(join);
    join_nodes(join);
    for (size_t i = 0; i < join->run->location_count; i++)
        renumber_location(join, &join->run->locations[i]);
    renumber_waits(join, &join->run->waits);
}
