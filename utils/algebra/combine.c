/* Combining definitions.  See combine.h. */
#include "algebra/combine.h"

#include "base/base.h"
#include "print/print.h"

#include <stdlib.h>
#include <string.h>

/* The combined summary while it is made. */
struct combining {
    struct combined *combined;
    struct summary *summary;   /* the combined one */
    uint32_t **module_of;      /* by operand and module */
    uint32_t **region_of;      /* by operand and region */
    const char **module_names; /* of combined modules: what they are the same by */
    bool *same_build;          /* of combined modules */
    bool *lines_count;         /* of combined nodes, for what is called from there */
    struct index index;
};

static size_t add_up(const struct combined *combined,
                     size_t (*count)(const struct summary *summary))
{
    size_t sum = 0;
    for (size_t i = 0; i < combined->count; i++)
        sum += count(combined->translations[i].from);
    return sum;
}

static size_t count_metrics(const struct summary *summary)
{
    return summary->metric_count;
}

static size_t count_modules(const struct summary *summary)
{
    return summary->module_count;
}

static size_t count_regions(const struct summary *summary)
{
    return summary->region_count;
}

static size_t count_nodes(const struct summary *summary)
{
    return summary->node_count;
}

static size_t count_phases(const struct summary *summary)
{
    return summary->phase_count;
}

static size_t count_hosts(const struct summary *summary)
{
    return summary->host_count;
}

struct metric_key {
    const struct summary *summary; /* the combined one */
    const struct metric_entry *metric;
};

static bool is_same_metric(const void *context, uint32_t thing)
{
    const struct metric_key *key = context;
    const struct metric_entry *a = key->metric, *b = &key->summary->metrics[thing];
    return strcmp(a->name, b->name) == 0 && strcmp(a->unit, b->unit) == 0;
}

static bool is_counter(const struct metric_entry *metric)
{
    return metric->kind == FORMAT_METRIC_COUNTER;
}

/* The number in the combined summary of METRIC, whose parent is still a number of the operand.
 */
static uint32_t combine_metric(struct combining *combining,
                               const struct translation *translation,
                               struct metric_entry metric)
{
    struct summary *summary = combining->summary;
    struct metric_key key = {summary, &metric};
    uint64_t hash = index_hash_text(index_hash_text(INDEX_HASH, metric.name), metric.unit);
    uint32_t *slot = index_slot(&combining->index, hash, is_same_metric, &key);
    if (*slot == 0) {
        uint32_t parent = metric.parent;
        /* Counters, which come later, have no parts. */
        if (parent != SUMMARY_NONE)
            metric.parent = is_counter(&translation->from->metrics[parent])
                                ? SUMMARY_NONE
                                : translation->metric_of[parent];
        summary->metrics[summary->metric_count++] = metric;
        *slot = (uint32_t)summary->metric_count;
    }
    return *slot - 1;
}

/* Adds the metrics of an operand, of counters or of all the others. */
static void add_metrics(struct combining *combining, struct translation *translation,
                        bool counters)
{
    for (size_t m = 0; m < translation->from->metric_count; m++) {
        const struct metric_entry *metric = &translation->from->metrics[m];
        if (is_counter(metric) != counters)
            continue;
        uint32_t place = combine_metric(combining, translation, *metric);
        struct metric_entry *combined = &combining->summary->metrics[place];
        combined->scale = metric->scale > combined->scale ? metric->scale : combined->scale;
        if (combined->kind == FORMAT_METRIC_DERIVED)
            combined->kind = metric->kind;
        translation->metric_of[m] = place;
    }
}

/* A metric's value contains those of its parts, as they are stored: all have one scale. */
static void level_scales(struct summary *summary)
{
    for (size_t m = summary->metric_count; m-- > 0;) {
        const struct metric_entry *metric = &summary->metrics[m];
        if (metric->parent != SUMMARY_NONE &&
            summary->metrics[metric->parent].scale < metric->scale)
            summary->metrics[metric->parent].scale = metric->scale;
    }
    for (size_t m = 0; m < summary->metric_count; m++)
        if (summary->metrics[m].parent != SUMMARY_NONE)
            summary->metrics[m].scale = summary->metrics[summary->metrics[m].parent].scale;
}

/* Computes the factors from an operand's stored values to the combined ones. */
static void find_factors(const struct summary *summary, struct translation *translation)
{
    for (size_t m = 0; m < translation->from->metric_count; m++) {
        unsigned scale = translation->from->metrics[m].scale;
        translation->factors[m] = 1;
        for (; scale < summary->metrics[translation->metric_of[m]].scale; scale++)
            translation->factors[m] *= 10;
    }
}

static void combine_metrics(struct combining *combining)
{
    struct combined *combined = combining->combined;
    struct summary *summary = combining->summary;
    size_t most = add_up(combined, count_metrics);
    summary->metrics = memory_pool_allocate(&summary->pool, most, sizeof *summary->metrics);
    reserve_index(&combining->index, most);
    for (size_t i = 0; i < combined->count; i++)
        add_metrics(combining, &combined->translations[i], false);
    for (size_t i = 0; i < combined->count; i++)
        add_metrics(combining, &combined->translations[i], true);
    level_scales(summary);
    for (size_t i = 0; i < combined->count; i++)
        find_factors(summary, &combined->translations[i]);
    index_free(&combining->index);
}

/* The name that identifies a module: its base name, or "" for the program. */
static const char *module_name(const struct summary *summary, uint32_t module)
{
    const char *name = base_name(summary->modules[module].path),
               *program = summary_fact(summary, "program");
    return program && strcmp(name, program) == 0 ? "" : name;
}

struct module_key {
    const char **names; /* of combined modules */
    const char *name;
};

static bool is_same_module(const void *context, uint32_t thing)
{
    const struct module_key *key = context;
    return strcmp(key->name, key->names[thing]) == 0;
}

static uint32_t combine_module(struct combining *combining, const struct summary *from,
                               uint32_t module)
{
    struct summary *summary = combining->summary;
    const struct module_entry *entry = &from->modules[module];
    struct module_key key = {combining->module_names, module_name(from, module)};
    uint32_t *slot = index_slot(&combining->index, index_hash_text(INDEX_HASH, key.name),
                                is_same_module, &key);
    if (*slot == 0) {
        size_t place = summary->module_count++;
        summary->modules[place] = *entry;
        combining->module_names[place] = key.name;
        combining->same_build[place] = combining->combined->count == 1 || entry->build_id[0];
        *slot = (uint32_t)summary->module_count;
    } else if (strcmp(summary->modules[*slot - 1].build_id, entry->build_id) != 0) {
        summary->modules[*slot - 1].build_id = "";
        combining->same_build[*slot - 1] = combining->combined->count == 1;
    }
    return *slot - 1;
}

static void combine_modules(struct combining *combining)
{
    struct combined *combined = combining->combined;
    size_t most = add_up(combined, count_modules);
    combining->summary->modules = memory_pool_allocate(&combining->summary->pool, most,
                                                       sizeof *combining->summary->modules);
    combining->module_names = allocate(most, sizeof *combining->module_names);
    combining->same_build = allocate(most, sizeof *combining->same_build);
    reserve_index(&combining->index, most);
    for (size_t i = 0; i < combined->count; i++) {
        const struct summary *from = combined->translations[i].from;
        combining->module_of[i] = allocate(from->module_count, sizeof(uint32_t));
        for (uint32_t m = 0; m < from->module_count; m++)
            combining->module_of[i][m] = combine_module(combining, from, m);
    }
    index_free(&combining->index);
}

struct region_key {
    const struct summary *summary; /* the combined one */
    const struct region_entry *region;
};

/* MPI functions are the same in every MPI library. */
static bool has_own_module(const struct region_entry *region)
{
    return region->kind != REGION_MPI;
}

static bool is_same_region(const void *context, uint32_t thing)
{
    const struct region_key *key = context;
    const struct region_entry *a = key->region, *b = &key->summary->regions[thing];
    return a->kind == b->kind && (!has_own_module(a) || a->module == b->module) &&
           strcmp(a->name, b->name) == 0;
}

static uint32_t combine_region(struct combining *combining, size_t operand, uint32_t number)
{
    struct summary *summary = combining->summary;
    struct region_entry region =
        combining->combined->translations[operand].from->regions[number];
    if (region.module != SUMMARY_NONE)
        region.module = combining->module_of[operand][region.module];
    if (region.module != SUMMARY_NONE && !combining->same_build[region.module])
        region.offset = 0;
    uint64_t hash = index_hash_number(INDEX_HASH, region.kind);
    hash = index_hash_text(
        has_own_module(&region) ? index_hash_number(hash, region.module) : hash, region.name);
    struct region_key key = {summary, &region};
    uint32_t *slot = index_slot(&combining->index, hash, is_same_region, &key);
    if (*slot == 0) {
        summary->regions[summary->region_count++] = region;
        *slot = (uint32_t)summary->region_count;
    }
    return *slot - 1;
}

static void combine_regions(struct combining *combining)
{
    struct combined *combined = combining->combined;
    size_t most = add_up(combined, count_regions);
    combining->summary->regions = memory_pool_allocate(&combining->summary->pool, most,
                                                       sizeof *combining->summary->regions);
    reserve_index(&combining->index, most);
    for (size_t i = 0; i < combined->count; i++) {
        size_t count = combined->translations[i].from->region_count;
        combining->region_of[i] = allocate(count, sizeof(uint32_t));
        for (uint32_t r = 0; r < count; r++)
            combining->region_of[i][r] = combine_region(combining, i, r);
    }
    index_free(&combining->index);
}

struct node_key {
    const struct summary *summary; /* the combined one */
    const struct call_node *node;
};

static bool is_same_node(const void *context, uint32_t thing)
{
    const struct node_key *key = context;
    const struct call_node *a = key->node, *b = &key->summary->nodes[thing];
    return a->parent == b->parent && a->region == b->region && a->line == b->line;
}

/*
 * Whether lines of calls from NODE (a combined one, or SUMMARY_NONE) mean the same in all
 * summaries.  A phase has no module; the code in it is that of the function around it.
 */
static bool lines_count(const struct combining *combining, uint32_t node)
{
    return node == SUMMARY_NONE ? combining->combined->count == 1
                                : combining->lines_count[node];
}

static uint32_t combine_node(struct combining *combining, size_t operand, uint32_t number)
{
    struct summary *summary = combining->summary;
    const struct translation *translation = &combining->combined->translations[operand];
    struct call_node node = translation->from->nodes[number];
    if (number > 0)
        node.parent = translation->node_of[node.parent];
    node.region = combining->region_of[operand][node.region];
    if (!lines_count(combining, node.parent))
        node.line = 0;
    uint64_t hash = index_hash_number(index_hash_number(INDEX_HASH, node.parent), node.region);
    struct node_key key = {summary, &node};
    uint32_t *slot =
        index_slot(&combining->index, index_hash_number(hash, node.line), is_same_node, &key);
    if (*slot == 0) {
        uint32_t module = summary->regions[node.region].module;
        combining->lines_count[summary->node_count] = module == SUMMARY_NONE
                                                          ? lines_count(combining, node.parent)
                                                          : combining->same_build[module];
        summary->nodes[summary->node_count++] = node;
        *slot = (uint32_t)summary->node_count;
    }
    return *slot - 1;
}

static void combine_nodes(struct combining *combining)
{
    struct combined *combined = combining->combined;
    size_t most = add_up(combined, count_nodes);
    combining->summary->nodes = memory_pool_allocate(&combining->summary->pool, most,
                                                     sizeof *combining->summary->nodes);
    combining->lines_count = allocate(most, sizeof *combining->lines_count);
    reserve_index(&combining->index, most);
    for (size_t i = 0; i < combined->count; i++) {
        struct translation *translation = &combined->translations[i];
        /* All summaries share one root, whatever its region is. */
        for (uint32_t n = 0; n < translation->from->node_count; n++)
            translation->node_of[n] = n == 0 && i > 0 ? 0 : combine_node(combining, i, n);
    }
    index_free(&combining->index);
}

struct phase_key {
    const struct summary *summary; /* the combined one */
    const char *name;
};

static bool is_same_phase(const void *context, uint32_t thing)
{
    const struct phase_key *key = context;
    return strcmp(key->name, key->summary->phases[thing].name) == 0;
}

static void combine_phase(struct combining *combining, size_t operand,
                          const struct phase_entry *phase)
{
    struct summary *summary = combining->summary;
    struct phase_key key = {summary, phase->name};
    uint32_t *slot = index_slot(&combining->index, index_hash_text(INDEX_HASH, key.name),
                                is_same_phase, &key);
    if (*slot != 0)
        return;
    /* No phase is kept: there are no iterations in what is made of several runs. */
    summary->phases[summary->phase_count++] =
        (struct phase_entry){phase->name, combining->region_of[operand][phase->region], false};
    *slot = (uint32_t)summary->phase_count;
}

static void combine_phases(struct combining *combining)
{
    struct combined *combined = combining->combined;
    size_t most = add_up(combined, count_phases);
    combining->summary->phases = memory_pool_allocate(&combining->summary->pool, most,
                                                      sizeof *combining->summary->phases);
    reserve_index(&combining->index, most);
    for (size_t i = 0; i < combined->count; i++) {
        const struct summary *from = combined->translations[i].from;
        for (size_t p = 0; p < from->phase_count; p++)
            combine_phase(combining, i, &from->phases[p]);
    }
    index_free(&combining->index);
}

struct host_key {
    const struct summary *summary; /* the combined one */
    const char *name;
};

static bool is_same_host(const void *context, uint32_t thing)
{
    const struct host_key *key = context;
    return strcmp(key->name, key->summary->hosts[thing].name) == 0;
}

static void combine_hosts(struct combining *combining)
{
    struct combined *combined = combining->combined;
    struct summary *summary = combining->summary;
    size_t most = add_up(combined, count_hosts);
    summary->hosts = memory_pool_allocate(&summary->pool, most, sizeof *summary->hosts);
    reserve_index(&combining->index, most);
    for (size_t i = 0; i < combined->count; i++) {
        struct translation *translation = &combined->translations[i];
        for (size_t h = 0; h < translation->from->host_count; h++) {
            struct host_key key = {summary, translation->from->hosts[h].name};
            uint32_t *slot = index_slot(
                &combining->index, index_hash_text(INDEX_HASH, key.name), is_same_host, &key);
            if (*slot == 0) {
                summary->hosts[summary->host_count++] = translation->from->hosts[h];
                *slot = (uint32_t)summary->host_count;
            }
            translation->host_of[h] = *slot - 1;
        }
    }
    index_free(&combining->index);
}

static void begin_translation(struct translation *translation, const struct summary *from)
{
    translation->from = from;
    translation->metric_of = allocate(from->metric_count, sizeof *translation->metric_of);
    translation->factors = allocate(from->metric_count, sizeof *translation->factors);
    translation->node_of = allocate(from->node_count, sizeof *translation->node_of);
    translation->host_of = allocate(from->host_count, sizeof *translation->host_of);
}

struct combined *combine(const struct summary *const *summaries, size_t count)
{
    struct combined *combined = allocate(1, sizeof *combined);
    struct combining combining = {.combined = combined,
                                  .summary = allocate(1, sizeof *combined->summary),
                                  .module_of = allocate(count, sizeof(uint32_t *)),
                                  .region_of = allocate(count, sizeof(uint32_t *))};
    *combined = (struct combined){combining.summary,
                                  allocate(count, sizeof *combined->translations), count};
    combining.summary->path = summaries[0]->path;
    combining.summary->state = FORMAT_COMPLETE;
    for (size_t i = 0; i < count; i++)
        begin_translation(&combined->translations[i], summaries[i]);
    combine_metrics(&combining);
    combine_modules(&combining);
    combine_regions(&combining);
    combine_nodes(&combining);
    combine_phases(&combining);
    combine_hosts(&combining);
    for (size_t i = 0; i < count; i++) {
        free(combining.module_of[i]);
        free(combining.region_of[i]);
    }
    free(combining.module_of);
    free(combining.region_of);
    free(combining.module_names);
    free(combining.same_build);
    free(combining.lines_count);
    return combined;
}

void combined_free(struct combined *combined)
{
    if (!combined)
        return;
    for (size_t i = 0; i < combined->count; i++) {
        free(combined->translations[i].metric_of);
        free(combined->translations[i].factors);
        free(combined->translations[i].node_of);
        free(combined->translations[i].host_of);
    }
    free(combined->translations);
    summary_free(combined->summary);
    free(combined);
}
