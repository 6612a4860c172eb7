/* Reading and validating the sections of a summary.  See summary.h. */
#include "file/summary.h"

#include "common/codec.h"
#include "common/settings.h"
#include "file/container.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The least size of items in a file, in bytes, for decode_count. */
enum {
    FACT_BYTES = 2,
    METRIC_BYTES = 6,
    MODULE_BYTES = 2,
    REGION_BYTES = 7,
    NODE_BYTES = 3,
    HOST_BYTES = 2,
    PHASE_BYTES = 3,
    CELL_BYTES = 3,
    NOTE_BYTES = 1,
    SERIES_BYTES = 10,
    MAXIMUM_BYTES = 2,
    SPREAD_BYTES = 8,
    CLUSTER_BYTES = 4,
    RUN_BYTES = 2,
    COST_BYTES = 2
};

#define MAX_SCALE 18

/* A section that is being read.  `error` keeps the first fault, since later ones follow from
 * it. */
struct reader {
    struct decoder in;
    struct summary *summary;
    const char *section;
    bool faulty;
    struct error *error;
};

/* Notes that the section is damaged: WHAT of item INDEX.  Returns false. */
static bool fault(struct reader *reader, uint64_t index, const char *what)
{
    if (!reader->faulty)
        error_set(reader->error, "%s: is damaged: section %s, item %" PRIu64 " %s",
                  reader->summary->path, reader->section, index, what);
    reader->faulty = true;
    return false;
}

/* Whether the section has been sound so far; reports it if the decoder has failed. */
static bool still_good(struct reader *reader)
{
    if (reader->in.failed && !reader->faulty) {
        error_set(reader->error, "%s: is damaged: section %s ends before its content does",
                  reader->summary->path, reader->section);
        reader->faulty = true;
    }
    return !reader->faulty;
}

static void *items(struct reader *reader, size_t count, size_t size)
{
    return memory_pool_allocate(&reader->summary->pool, count, size);
}

/* Reads the number of items that follow, each of at least ITEM_BYTES. */
static size_t read_count(struct reader *reader, size_t item_bytes)
{
    uint64_t count = decode_count(&reader->in, item_bytes);
    if (count >= SUMMARY_NONE) {
        fault(reader, count, "is more than this tsprof can count");
        return 0;
    }
    return still_good(reader) ? (size_t)count : 0;
}

/* The same, for items of which a file has at most MOST. */
static size_t read_few(struct reader *reader, size_t item_bytes, size_t most)
{
    size_t count = read_count(reader, item_bytes);
    if (count <= most)
        return count;
    fault(reader, most, "is one too many");
    return 0;
}

static const char *read_text(struct reader *reader, uint64_t index)
{
    size_t length;
    const char *bytes = decode_string(&reader->in, &length);
    if (memchr(bytes, '\0', length))
        fault(reader, index, "has a text with a zero byte");
    return memory_pool_copy(&reader->summary->pool, bytes, length);
}

/* Reads a varint, which must be below COUNT. */
static uint32_t read_index(struct reader *reader, uint64_t index, size_t count,
                           const char *what)
{
    uint64_t value = decode_varint(&reader->in);
    if (still_good(reader) && value >= count)
        fault(reader, index, what);
    return reader->faulty ? 0 : (uint32_t)value;
}

/* Reads a ref to one of COUNT things; SUMMARY_NONE for none. */
static uint32_t read_ref(struct reader *reader, uint64_t index, size_t count, const char *what)
{
    uint64_t value = decode_varint(&reader->in);
    if (still_good(reader) && value > count)
        fault(reader, index, what);
    return reader->faulty || value == 0 ? SUMMARY_NONE : (uint32_t)(value - 1);
}

/* Reads a varint that must fit int64_t. */
static int64_t read_duration(struct reader *reader, uint64_t index)
{
    uint64_t value = decode_varint(&reader->in);
    if (value > INT64_MAX)
        fault(reader, index, "has an impossible duration");
    return reader->faulty ? 0 : (int64_t)value;
}

static struct fact *read_facts(struct reader *reader, size_t *count)
{
    *count = read_few(reader, FACT_BYTES, FORMAT_FACTS_MOST);
    struct fact *facts = items(reader, *count, sizeof *facts);
    for (size_t i = 0; i < *count && still_good(reader); i++) {
        facts[i].key = read_text(reader, i);
        facts[i].value = read_text(reader, i);
    }
    return facts;
}

static void read_run(struct reader *reader)
{
    reader->summary->facts = read_facts(reader, &reader->summary->fact_count);
    reader->summary->derived =
        still_good(reader) ? summary_fact(reader->summary, "derived") : NULL;
}

static void read_metric(struct reader *reader, size_t index)
{
    struct metric_entry *metric = &reader->summary->metrics[index];
    metric->name = read_text(reader, index);
    metric->parent =
        read_ref(reader, index, index, "has a parent that does not come before it");
    metric->unit = read_text(reader, index);
    uint64_t scale = decode_varint(&reader->in);
    uint64_t kind = decode_varint(&reader->in);
    metric->text = read_text(reader, index);
    if (scale > MAX_SCALE || kind > FORMAT_METRIC_COUNTER)
        fault(reader, index, "has an unknown scale or kind");
    metric->scale = (unsigned)scale;
    metric->kind = reader->faulty ? FORMAT_METRIC_DERIVED : (enum format_metric_kind)kind;
}

static void read_metrics(struct reader *reader)
{
    struct summary *summary = reader->summary;
    summary->metric_count = read_few(reader, METRIC_BYTES, FORMAT_METRICS_MOST);
    summary->metrics = items(reader, summary->metric_count, sizeof *summary->metrics);
    for (size_t i = 0; i < summary->metric_count && still_good(reader); i++)
        read_metric(reader, i);
}

static void read_modules(struct reader *reader)
{
    struct summary *summary = reader->summary;
    summary->module_count = read_count(reader, MODULE_BYTES);
    summary->modules = items(reader, summary->module_count, sizeof *summary->modules);
    for (size_t i = 0; i < summary->module_count && still_good(reader); i++) {
        summary->modules[i].path = read_text(reader, i);
        summary->modules[i].build_id = read_text(reader, i);
    }
}

static void read_region(struct reader *reader, size_t index)
{
    struct region_entry *region = &reader->summary->regions[index];
    region->name = read_text(reader, index);
    uint64_t kind = decode_varint(&reader->in);
    region->file = read_text(reader, index);
    region->line = decode_varint(&reader->in);
    region->module = read_ref(reader, index, reader->summary->module_count,
                              "is of a module that is not there");
    region->offset = decode_varint(&reader->in);
    region->group = read_text(reader, index);
    if (kind > REGION_ARTIFICIAL)
        fault(reader, index, "has an unknown kind");
    region->kind = reader->faulty ? REGION_FUNCTION : (enum format_region_kind)kind;
}

static void read_regions(struct reader *reader)
{
    struct summary *summary = reader->summary;
    summary->region_count = read_count(reader, REGION_BYTES);
    summary->regions = items(reader, summary->region_count, sizeof *summary->regions);
    for (size_t i = 0; i < summary->region_count && still_good(reader); i++)
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
    for (size_t i = 0; i < summary->node_count && still_good(reader); i++) {
        const struct call_node *node = &summary->nodes[i];
        paths[i] = 1 + names[node->region] + (i > 0 ? paths[node->parent] : 0);
        if (paths[i] > FORMAT_PATH_MOST)
            fault(reader, i, "is a call path with too long names");
    }
    free(names);
    free(paths);
}

static void read_calltree(struct reader *reader)
{
    struct summary *summary = reader->summary;
    summary->node_count = read_count(reader, NODE_BYTES);
    summary->nodes = items(reader, summary->node_count, sizeof *summary->nodes);
    if (summary->node_count == 0)
        fault(reader, 0, "is missing: the tree has no root");
    for (size_t i = 0; i < summary->node_count && still_good(reader); i++) {
        struct call_node *node = &summary->nodes[i];
        node->parent = read_ref(reader, i, i, "has a parent that does not come before it");
        node->region = read_index(reader, i, summary->region_count,
                                  "stands for a region that is not there");
        node->line = decode_varint(&reader->in);
        if (i > 0 && node->parent == SUMMARY_NONE)
            fault(reader, i, "is a second root");
    }
    if (still_good(reader))
        check_path_lengths(reader);
}

static void read_system(struct reader *reader)
{
    struct summary *summary = reader->summary;
    summary->host_count = read_count(reader, HOST_BYTES);
    summary->hosts = items(reader, summary->host_count, sizeof *summary->hosts);
    for (size_t i = 0; i < summary->host_count && still_good(reader); i++) {
        summary->hosts[i].name = read_text(reader, i);
        summary->hosts[i].facts = read_facts(reader, &summary->hosts[i].fact_count);
    }
}

static void read_phases(struct reader *reader)
{
    struct summary *summary = reader->summary;
    summary->phase_count = read_few(reader, PHASE_BYTES, FORMAT_PHASES_MOST);
    summary->phases = items(reader, summary->phase_count, sizeof *summary->phases);
    for (size_t i = 0; i < summary->phase_count && still_good(reader); i++) {
        summary->phases[i].name = read_text(reader, i);
        summary->phases[i].region = read_index(reader, i, summary->region_count,
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
        fault(reader, index, what);
}

/* Whether the cell comes after BEFORE (NULL: it is the first) in the order of cells. */
static bool ascends(const struct cell *before, const struct cell *cell)
{
    return !before || cell->node > before->node || cell->metric > before->metric;
}

static void read_profile(struct reader *reader, struct profile *profile)
{
    const struct summary *summary = reader->summary;
    uint64_t node = 0;
    profile->count = read_count(reader, CELL_BYTES);
    profile->cells = items(reader, profile->count, sizeof *profile->cells);
    for (size_t i = 0; i < profile->count && still_good(reader); i++) {
        struct cell *cell = &profile->cells[i];
        uint64_t step = decode_varint(&reader->in);
        if (step >= summary->node_count - node) {
            fault(reader, i, "of a profile is of a call path that is not there");
            break;
        }
        node += step;
        cell->node = (uint32_t)node;
        cell->metric = read_index(reader, i, summary->metric_count,
                                  "of a profile is of a metric that is not there");
        cell->value = decode_signed(&reader->in);
        if (!ascends(i ? cell - 1 : NULL, cell))
            fault(reader, i, "of a profile is out of order");
    }
}

/* Checks that COUNT items of at least ITEM_BYTES each can follow; reports a fault if not. */
static bool expect(struct reader *reader, size_t count, size_t item_bytes)
{
    if (count > (reader->in.size - reader->in.at) / item_bytes)
        reader->in.failed = true;
    return still_good(reader);
}

static void read_maxima(struct reader *reader, struct series *series)
{
    uint64_t metric = 0;
    series->maximum_count = read_count(reader, MAXIMUM_BYTES);
    series->maxima = items(reader, series->maximum_count, sizeof *series->maxima);
    for (size_t i = 0; i < series->maximum_count && still_good(reader); i++) {
        uint64_t step = decode_varint(&reader->in);
        if (step >= reader->summary->metric_count - metric || (i > 0 && step == 0)) {
            fault(reader, i, "of the maxima is of a metric that is not there or out of order");
            break;
        }
        metric += step;
        series->maxima[i] = (struct maximum){(uint32_t)metric, decode_varint(&reader->in)};
        if (series->maxima[i].value == 0 && still_good(reader))
            fault(reader, i, "of the maxima is 0");
    }
}

static void read_spreads(struct reader *reader, const struct series *series,
                         struct cluster *cluster)
{
    size_t count = series->maximum_count;
    if (cluster->size == 1 || !expect(reader, count, SPREAD_BYTES))
        return;
    cluster->spreads = items(reader, count, sizeof *cluster->spreads);
    for (size_t i = 0; i < count; i++) {
        cluster->spreads[i] = decode_double(&reader->in);
        if (!isfinite(cluster->spreads[i]) || signbit(cluster->spreads[i]))
            fault(reader, i, "of a cluster's spreads is no number or negative");
    }
}

static void read_sketch(struct reader *reader, const struct series *series,
                        struct cluster *cluster)
{
    if (!expect(reader, series->sketch_count, 1))
        return;
    cluster->sketch = items(reader, series->sketch_count, sizeof *cluster->sketch);
    for (size_t i = 0; i < series->sketch_count; i++)
        cluster->sketch[i] = decode_signed(&reader->in);
    if (series->sketch_count > 0)
        cluster->hidden_visits = decode_signed(&reader->in);
}

static void read_clusters(struct reader *reader, struct series *series)
{
    series->cluster_count = read_count(reader, CLUSTER_BYTES);
    series->clusters = items(reader, series->cluster_count, sizeof *series->clusters);
    for (size_t i = 0; i < series->cluster_count && still_good(reader); i++) {
        struct cluster *cluster = &series->clusters[i];
        cluster->size = decode_varint(&reader->in);
        cluster->class_id = decode_varint(&reader->in);
        cluster->wall_ns = read_duration(reader, i);
        read_profile(reader, &cluster->sums);
        if (cluster->size == 0 && still_good(reader))
            fault(reader, i, "is a cluster without iterations");
        if (still_good(reader))
            read_spreads(reader, series, cluster);
        if (still_good(reader))
            read_sketch(reader, series, cluster);
    }
}

/* Checks that the map of iterations agrees with the sizes of clusters, apart from iterations
 * that the map marks as unmapped. */
static void check_sizes(struct reader *reader, const struct series *series)
{
    uint64_t *sizes = allocate(series->cluster_count, sizeof *sizes);
    uint64_t missing = 0;
    for (size_t i = 0; i < series->run_count; i++)
        if (series->runs[i].cluster != SUMMARY_NONE)
            sizes[series->runs[i].cluster] += series->runs[i].length;
    for (size_t i = 0; i < series->cluster_count; i++)
        if (sizes[i] > series->clusters[i].size)
            fault(reader, i, "is a cluster of another size than the map of iterations says");
        else
            missing += series->clusters[i].size - sizes[i];
    /* Iterations lost when the map was full count as unmapped, too. */
    if (still_good(reader) && missing > series->unmapped)
        fault(reader, 0, "is a cluster of another size than the map of iterations says");
    free(sizes);
}

static void read_map(struct reader *reader, struct series *series)
{
    series->run_count = read_count(reader, RUN_BYTES);
    series->runs = items(reader, series->run_count, sizeof *series->runs);
    for (size_t i = 0; i < series->run_count && still_good(reader); i++) {
        struct run *run = &series->runs[i];
        run->first = series->iterations;
        run->length = decode_varint(&reader->in);
        run->cluster = read_ref(reader, i, series->cluster_count + 1,
                                "of the map is of a cluster that is not there");
        bool unmapped = run->cluster == series->cluster_count;
        run->unmapped = unmapped;
        if (unmapped)
            run->cluster = SUMMARY_NONE;
        if (run->length == 0 || run->length > SUMMARY_MAX_ITERATIONS - series->iterations) {
            fault(reader, i, "of the map has an impossible length");
            break;
        }
        series->iterations += run->length;
        if (unmapped)
            series->unmapped += run->length;
        else if (run->cluster == SUMMARY_NONE)
            series->lost += run->length;
    }
    if (still_good(reader))
        check_sizes(reader, series);
}

/* How the series was clustered. */
static void read_method(struct reader *reader, struct series *series, size_t index)
{
    series->clustering = read_text(reader, index);
    series->asked = decode_varint(&reader->in);
    if (still_good(reader) && !series->clustering[0])
        fault(reader, index, "is a series of an unnamed clustering");
    if (still_good(reader))
        read_maxima(reader, series);
    uint64_t sketch = decode_varint(&reader->in);
    if (still_good(reader) && sketch > 0 && series->asked > 0)
        fault(reader, index, "is a clustered series with sketches");
    else if (still_good(reader) && sketch >= SUMMARY_NONE)
        fault(reader, index, "is a series with impossible sketches");
    series->sketch_count = reader->faulty ? 0 : (size_t)sketch;
}

static void read_one_series(struct reader *reader, struct location *location, size_t index)
{
    struct series *series = &location->series[index];
    size_t phases = reader->summary->phase_count;
    series->phase =
        read_index(reader, index, phases, "is a series of a phase that is not there");
    series->parent_phase =
        read_ref(reader, index, phases, "is a series nested in a phase that is not there");
    series->equivalence = decode_varint(&reader->in);
    series->classes = decode_varint(&reader->in);
    if (still_good(reader) && !setting_equivalence_name(series->equivalence))
        fault(reader, index, "is a series with an unknown equivalence");
    for (size_t i = 0; i < index; i++)
        if (location->series[i].phase == series->phase)
            fault(reader, index, "is a second series of one phase");
    if (still_good(reader))
        read_method(reader, series, index);
    if (still_good(reader))
        read_clusters(reader, series);
    if (still_good(reader))
        read_map(reader, series);
}

static void read_all_series(struct reader *reader, struct location *location)
{
    location->series_count = read_few(reader, SERIES_BYTES, FORMAT_SERIES_MOST);
    if (location->series_count > reader->summary->phase_count)
        fault(reader, location->series_count, "is a series without a phase");
    location->series = items(reader, location->series_count, sizeof *location->series);
    for (size_t i = 0; i < location->series_count && still_good(reader); i++)
        read_one_series(reader, location, i);
}

static void read_costs(struct reader *reader, struct location *location)
{
    location->cost_count = read_count(reader, COST_BYTES);
    location->costs = items(reader, location->cost_count, sizeof *location->costs);
    for (size_t i = 0; i < location->cost_count && still_good(reader); i++) {
        location->costs[i].key = read_text(reader, i);
        location->costs[i].value = decode_varint(&reader->in);
    }
}

/* Reads which rank and thread the numbers are from. */
static void read_place(struct reader *reader, struct location *location)
{
    location->rank = read_index(reader, 0, SUMMARY_NONE, "has an impossible rank");
    location->thread = read_index(reader, 0, SUMMARY_NONE, "has an impossible thread");
    location->host =
        read_ref(reader, 0, reader->summary->host_count, "is on a host that is not there");
    location->process = decode_varint(&reader->in);
    location->ending = read_text(reader, 0);
}

/* Reads everything from the wall time on. */
static void read_numbers(struct reader *reader, struct location *location)
{
    location->wall_ns = reader->summary->derived ? (int64_t)decode_varint(&reader->in)
                                                 : read_duration(reader, 0);
    location->start_ns = decode_varint(&reader->in);
    location->note_count = read_count(reader, NOTE_BYTES);
    location->notes = items(reader, location->note_count, sizeof *location->notes);
    for (size_t i = 0; i < location->note_count && still_good(reader); i++)
        location->notes[i] = read_text(reader, i);
    if (still_good(reader))
        read_profile(reader, &location->whole);
    if (still_good(reader))
        read_profile(reader, &location->outside);
    if (still_good(reader))
        read_all_series(reader, location);
    if (still_good(reader))
        read_costs(reader, location);
}

static void read_location(struct reader *reader, struct location *location)
{
    read_place(reader, location);
    read_numbers(reader, location);
}

/* In an order in which they can be validated: tables come before the indexes into them. */
static const struct {
    uint32_t kind;
    void (*read)(struct reader *reader);
    bool optional; /* older files are without */
} common_sections[] = {
    {SECTION_RUN, read_run, false},           {SECTION_METRICS, read_metrics, false},
    {SECTION_MODULES, read_modules, false},   {SECTION_REGIONS, read_regions, false},
    {SECTION_CALLTREE, read_calltree, false}, {SECTION_SYSTEM, read_system, false},
    {SECTION_PHASES, read_phases, false},     {SECTION_TOPOLOGIES, read_topologies, true},
};

/* Reads SECTION with READ, or with read_location if that is NULL. */
static bool read_section(const struct container *container, const struct section *section,
                         struct summary *summary, void (*read)(struct reader *reader),
                         struct location *location, struct error *error)
{
    unsigned char *bytes;
    if (!container_read(container, section, &bytes, error))
        return false;
    struct reader reader = {.in = {bytes, (size_t)section->decoded_bytes, 0, false},
                            .summary = summary,
                            .section = section_name(section->kind),
                            .error = error};
    if (read)
        read(&reader);
    else
        read_location(&reader, location);
    if (still_good(&reader) && reader.in.at != reader.in.size)
        fault(&reader, 0, "is followed by bytes that belong to nothing");
    free(bytes);
    return !reader.faulty;
}

bool summary_read_content(struct summary *summary, enum format_section kind,
                          struct location *location, struct decoder *in, struct error *error)
{
    struct reader reader = {
        .in = *in, .summary = summary, .section = section_name(kind), .error = error};
    if (kind == SECTION_RUN)
        read_run(&reader);
    else if (kind == SECTION_METRICS)
        read_metrics(&reader);
    else
        read_numbers(&reader, location);
    *in = reader.in;
    return still_good(&reader);
}

/* Finds the only section of KIND, NULL if there is none; false, and ERROR, if there are more.
 */
static bool find_section(const struct container *container, uint32_t kind,
                         const struct section **section, struct error *error)
{
    const struct section *found = NULL;
    for (size_t i = 0; i < container->section_count; i++) {
        if (container->sections[i].kind != kind)
            continue;
        if (found)
            return error_set(error, "%s: is damaged: it has two sections %s", container->path,
                             section_name(kind));
        found = &container->sections[i];
    }
    *section = found;
    return true;
}

static bool read_common(const struct container *container, struct summary *summary,
                        struct error *error)
{
    for (size_t i = 0; i < sizeof common_sections / sizeof common_sections[0]; i++) {
        uint32_t kind = common_sections[i].kind;
        const struct section *section = NULL;
        if (!find_section(container, kind, &section, error))
            return false;
        if (!section && common_sections[i].optional)
            continue;
        if (!section)
            return error_set(error, "%s: is damaged: section %s is missing", container->path,
                             section_name(kind));
        if (!read_section(container, section, summary, common_sections[i].read, NULL, error))
            return false;
    }
    return true;
}

static int compare_locations(const void *a, const void *b)
{
    const struct section *left = *(const struct section *const *)a,
                         *right = *(const struct section *const *)b;
    return left->location < right->location ? -1 : left->location > right->location;
}

/* The sections of locations, by their numbers; the list is the caller's to free. */
static const struct section **list_locations(const struct container *container, size_t *count)
{
    const struct section **list = allocate(container->section_count, sizeof *list);
    *count = 0;
    for (size_t i = 0; i < container->section_count; i++)
        if (container->sections[i].kind == SECTION_LOCATION)
            list[(*count)++] = &container->sections[i];
    qsort(list, *count, sizeof *list, compare_locations);
    return list;
}

static bool in_order(const struct location *before, const struct location *location)
{
    return before->rank < location->rank ||
           (before->rank == location->rank && before->thread < location->thread);
}

static bool read_locations(const struct container *container, struct summary *summary,
                           struct error *error)
{
    size_t count;
    const struct section **list = list_locations(container, &count);
    bool good = true;
    summary->locations =
        memory_pool_allocate(&summary->pool, count, sizeof *summary->locations);
    for (size_t i = 0; i < count && good; i++) {
        struct location *location = &summary->locations[i];
        summary->location_count++;
        good = read_section(container, list[i], summary, NULL, location, error);
        if (good && (list[i]->location != i || (i > 0 && !in_order(location - 1, location))))
            good = error_set(error, "%s: is damaged: section LOCATION %u is out of order",
                             container->path, list[i]->location);
    }
    free(list);
    return good;
}

struct summary *summary_read(const char *path, struct error *error)
{
    struct container container;
    if (!container_open(&container, path, error))
        return NULL;
    struct summary *summary = allocate(1, sizeof *summary);
    summary->path = memory_pool_copy(&summary->pool, path, strlen(path));
    summary->bytes = container.bytes;
    summary->state = container.state;
    bool good =
        read_common(&container, summary, error) && read_locations(&container, summary, error);
    container_close(&container);
    if (!good) {
        summary_free(summary);
        summary = NULL;
    }
    return summary;
}

void summary_free(struct summary *summary)
{
    if (!summary)
        return;
    memory_pool_free(&summary->pool);
    free(summary);
}

const char *summary_fact(const struct summary *summary, const char *key)
{
    for (size_t i = 0; i < summary->fact_count; i++)
        if (strcmp(summary->facts[i].key, key) == 0)
            return summary->facts[i].value;
    return NULL;
}

uint32_t summary_metric(const struct summary *summary, const char *name)
{
    for (size_t i = 0; i < summary->metric_count; i++)
        if (strcmp(summary->metrics[i].name, name) == 0)
            return (uint32_t)i;
    return SUMMARY_NONE;
}

uint32_t summary_phase(const struct summary *summary, const char *name)
{
    for (size_t i = 0; i < summary->phase_count; i++)
        if (strcmp(summary->phases[i].name, name) == 0)
            return (uint32_t)i;
    return SUMMARY_NONE;
}

bool location_find_cost(const struct location *location, const char *key, uint64_t *value)
{
    for (size_t i = 0; i < location->cost_count; i++)
        if (strcmp(location->costs[i].key, key) == 0) {
            *value = location->costs[i].value;
            return true;
        }
    return false;
}

uint64_t location_cost(const struct location *location, const char *key)
{
    uint64_t value = 0;
    location_find_cost(location, key, &value);
    return value;
}

const struct series *location_series(const struct location *location, uint32_t phase)
{
    for (size_t i = 0; i < location->series_count; i++)
        if (location->series[i].phase == phase)
            return &location->series[i];
    return NULL;
}

uint32_t series_cluster(const struct series *series, uint64_t iteration)
{
    size_t low = 0, high = series->run_count;
    if (iteration >= series->iterations)
        return SUMMARY_NONE;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (series->runs[middle].first <= iteration)
            low = middle;
        else
            high = middle;
    }
    return series->runs[low].cluster;
}
