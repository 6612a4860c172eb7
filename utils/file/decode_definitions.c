/* See decode_definitions.h. */
#include "file/decode_definitions.h"

#include <stdlib.h>
#include <string.h>

/* The least size of items in a file, in bytes. */
enum {
    FACT_BYTES = 2,
    METRIC_BYTES = 6,
    MODULE_BYTES = 2,
    REGION_BYTES = 7,
    NODE_BYTES = 3,
    HOST_BYTES = 2,
    PHASE_BYTES = 3
};

#define MAX_SCALE 18

static struct fact *read_facts(struct reader *reader, size_t *count)
{
    *count = reader_count_few(reader, FACT_BYTES, FORMAT_FACTS_MOST);
    struct fact *facts = reader_items(reader, *count, sizeof *facts);
    for (size_t i = 0; i < *count && reader_is_good(reader); i++) {
        facts[i].key = reader_text(reader, i);
        facts[i].value = reader_text(reader, i);
    }
    return facts;
}

static void read_run(struct reader *reader)
{
    reader->summary->facts = read_facts(reader, &reader->summary->fact_count);
    reader->summary->derived =
        reader_is_good(reader) ? summary_fact(reader->summary, "derived") : NULL;
}

static void read_metric(struct reader *reader, size_t index)
{
    struct metric_entry *metric = &reader->summary->metrics[index];
    metric->name = reader_text(reader, index);
    metric->parent =
        reader_ref(reader, index, index, "has a parent that does not come before it");
    metric->unit = reader_text(reader, index);
    uint64_t scale = decode_varint(&reader->in);
    uint64_t kind = decode_varint(&reader->in);
    metric->text = reader_text(reader, index);
    if (scale > MAX_SCALE || kind > FORMAT_METRIC_COUNTER)
        reader_fault(reader, index, "has an unknown scale or kind");
    metric->scale = (unsigned)scale;
    metric->kind = reader->faulty ? FORMAT_METRIC_DERIVED : (enum format_metric_kind)kind;
}

static void read_metrics(struct reader *reader)
{
    struct summary *summary = reader->summary;
    summary->metric_count = reader_count_few(reader, METRIC_BYTES, FORMAT_METRICS_MOST);
    summary->metrics = reader_items(reader, summary->metric_count, sizeof *summary->metrics);
    for (size_t i = 0; i < summary->metric_count && reader_is_good(reader); i++)
        read_metric(reader, i);
}

static void read_modules(struct reader *reader)
{
    struct summary *summary = reader->summary;
    summary->module_count = reader_count(reader, MODULE_BYTES);
    summary->modules = reader_items(reader, summary->module_count, sizeof *summary->modules);
    for (size_t i = 0; i < summary->module_count && reader_is_good(reader); i++) {
        summary->modules[i].path = reader_text(reader, i);
        summary->modules[i].build_id = reader_text(reader, i);
    }
}

static void read_region(struct reader *reader, size_t index)
{
    struct region_entry *region = &reader->summary->regions[index];
    region->name = reader_text(reader, index);
    uint64_t kind = decode_varint(&reader->in);
    region->file = reader_text(reader, index);
    region->line = decode_varint(&reader->in);
    region->module = reader_ref(reader, index, reader->summary->module_count,
                                "is of a module that is not there");
    region->offset = decode_varint(&reader->in);
    region->group = reader_text(reader, index);
    if (kind > REGION_ARTIFICIAL)
        reader_fault(reader, index, "has an unknown kind");
    region->kind = reader->faulty ? REGION_FUNCTION : (enum format_region_kind)kind;
}

static void read_regions(struct reader *reader)
{
    struct summary *summary = reader->summary;
    summary->region_count = reader_count(reader, REGION_BYTES);
    summary->regions = reader_items(reader, summary->region_count, sizeof *summary->regions);
    for (size_t i = 0; i < summary->region_count && reader_is_good(reader); i++)
        read_region(reader, i);
}

/* The bytes of each region's name; for the caller to free(). */
static size_t *measure_names(const struct summary *summary)
{
    size_t *lengths = allocate(summary->region_count, sizeof *lengths);
    for (size_t i = 0; i < summary->region_count; i++)
        lengths[i] = strlen(summary->regions[i].name);
    return lengths;
}

/*
 * Limits the total length of all call paths.  A node takes a few bytes of the file, but its
 * call path has all names from the root: in a tree that is one long chain, their total would
 * grow with the square of the file's size.
 */
static void check_path_lengths(struct reader *reader)
{
    const struct summary *summary = reader->summary;
    size_t *names = measure_names(summary);
    uint64_t *paths = allocate(summary->node_count, sizeof *paths);
    for (size_t i = 0; i < summary->node_count && reader_is_good(reader); i++) {
        const struct call_node *node = &summary->nodes[i];
        paths[i] = 1 + names[node->region] + (i > 0 ? paths[node->parent] : 0);
        if (paths[i] > FORMAT_PATH_MOST)
            reader_fault(reader, i, "is a call path with too long names");
    }
    free(names);
    free(paths);
}

static void read_calltree(struct reader *reader)
{
    struct summary *summary = reader->summary;
    summary->node_count = reader_count(reader, NODE_BYTES);
    summary->nodes = reader_items(reader, summary->node_count, sizeof *summary->nodes);
    if (summary->node_count == 0)
        reader_fault(reader, 0, "is missing: the tree has no root");
    for (size_t i = 0; i < summary->node_count && reader_is_good(reader); i++) {
        struct call_node *node = &summary->nodes[i];
        node->parent = reader_ref(reader, i, i, "has a parent that does not come before it");
        node->region = reader_index(reader, i, summary->region_count,
                                    "stands for a region that is not there");
        node->line = decode_varint(&reader->in);
        if (i > 0 && node->parent == SUMMARY_NONE)
            reader_fault(reader, i, "is a second root");
    }
    if (reader_is_good(reader))
        check_path_lengths(reader);
}

static void read_system(struct reader *reader)
{
    struct summary *summary = reader->summary;
    summary->host_count = reader_count(reader, HOST_BYTES);
    summary->hosts = reader_items(reader, summary->host_count, sizeof *summary->hosts);
    for (size_t i = 0; i < summary->host_count && reader_is_good(reader); i++) {
        summary->hosts[i].name = reader_text(reader, i);
        summary->hosts[i].facts = read_facts(reader, &summary->hosts[i].fact_count);
    }
}

static void read_phases(struct reader *reader)
{
    struct summary *summary = reader->summary;
    summary->phase_count = reader_count_few(reader, PHASE_BYTES, FORMAT_PHASES_MOST);
    summary->phases = reader_items(reader, summary->phase_count, sizeof *summary->phases);
    for (size_t i = 0; i < summary->phase_count && reader_is_good(reader); i++) {
        summary->phases[i].name = reader_text(reader, i);
        summary->phases[i].region = reader_index(reader, i, summary->region_count,
                                                 "stands for a region that is not there");
        summary->phases[i].kept = decode_varint(&reader->in) != 0;
    }
}

static void read_topologies(struct reader *reader)
{
    struct summary *summary = reader->summary;
    uint64_t index;
    const char *what =
        topologies_read(&reader->in, &summary->pool, &summary->topologies, &index);
    if (what)
        reader_fault(reader, index, what);
}

static const struct {
    enum format_section kind;
    void (*read)(struct reader *reader);
} sections[] = {
    {SECTION_RUN, read_run},           {SECTION_METRICS, read_metrics},
    {SECTION_MODULES, read_modules},   {SECTION_REGIONS, read_regions},
    {SECTION_CALLTREE, read_calltree}, {SECTION_SYSTEM, read_system},
    {SECTION_PHASES, read_phases},     {SECTION_TOPOLOGIES, read_topologies},
};

void decode_definitions(struct reader *reader, enum format_section kind)
{
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        if (sections[i].kind == kind)
            sections[i].read(reader);
}
