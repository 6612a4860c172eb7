/* See read_brief.h. */
#include "file/read_brief.h"

#include "file/container.h"
#include "file/decode_definitions.h"
#include "file/decode_location.h"
#include "file/section_reader.h"
#include "file/summary.h"

#include <stdlib.h>
#include <string.h>

/* Calls DECODE for the content of SECTION. */
static bool read_section(const struct container *container, const struct section *section,
                         struct summary *summary, void *context,
                         void (*decode)(struct reader *reader, void *context),
                         struct error *error)
{
    unsigned char *bytes;
    struct reader reader;
    if (!reader_open(&reader, &bytes, container, section, summary, error))
        return false;
    decode(&reader, context);
    const bool good = reader_is_good(&reader);
    free(bytes);
    return good;
}

static void decode_table(struct reader *reader, void *context)
{
    decode_definitions(reader, *(const enum format_section *)context);
}

static bool read_table(const struct container *container, enum format_section kind,
                       struct summary *summary, struct error *error)
{
    for (size_t i = 0; i < container->section_count; i++)
        if (container->sections[i].kind == kind)
            return read_section(container, &container->sections[i], summary, &kind,
                                decode_table, error);
    return error_set(error, "%s: is damaged: section %s is missing", container->path,
                     section_name(kind));
}

/* Only the first has its iterations read: they are most of what a location has. */
static void decode_first(struct reader *reader, void *context)
{
    decode_location(reader, context);
}

static void decode_other(struct reader *reader, void *context)
{
    decode_location_sums(reader, context);
}

/* Whether METRIC is ROOT or a part of it. */
static bool is_part(const struct summary *summary, uint32_t metric, uint32_t root)
{
    while (metric != SUMMARY_NONE && metric != root)
        metric = summary->metrics[metric].parent;
    return metric != SUMMARY_NONE;
}

/* The sum over all call paths of METRIC and its parts. */
static double sum_of(const struct summary *summary, const struct location *location,
                     uint32_t metric)
{
    long double sum = 0;
    for (size_t i = 0; i < location->whole.count && metric != SUMMARY_NONE; i++)
        if (is_part(summary, location->whole.cells[i].metric, metric))
            sum += (long double)location->whole.cells[i].value;
    return (double)sum;
}

static void add_location(struct brief *brief, const struct summary *summary,
                         const struct location *location)
{
    if (brief->locations++ == 0 || location->wall_ns > brief->longest_ns)
        brief->longest_ns = location->wall_ns;
    brief->wall_ns += (double)location->wall_ns;
    brief->mpi_ns += sum_of(summary, location, summary_metric(summary, "mpi"));
    brief->overhead_ns += sum_of(summary, location, summary_metric(summary, "overhead"));
    for (size_t i = 0; i < location->series_count; i++)
        if (location->series[i].parent_phase == SUMMARY_NONE &&
            location->series[i].iterations > brief->iterations)
            brief->iterations = location->series[i].iterations;
}

static int compare_sections(const void *a, const void *b)
{
    const struct section *left = a, *right = b;
    return left->location < right->location ? -1 : left->location > right->location;
}

static bool read_locations(struct container *container, struct summary *summary,
                           struct brief *brief, struct error *error)
{
    uint32_t rank = SUMMARY_NONE;
    qsort(container->sections, container->section_count, sizeof *container->sections,
          compare_sections);
    for (size_t i = 0; i < container->section_count; i++) {
        const struct section *section = &container->sections[i];
        struct location location = {0};
        if (section->kind != SECTION_LOCATION)
            continue;
        /* What is read of one is not needed for the next. */
        struct summary own = *summary;
        own.pool = (struct memory_pool){0};
        bool good = read_section(container, section, &own, &location,
                                 section->location == 0 ? decode_first : decode_other, error);
        if (good) {
            add_location(brief, &own, &location);
            brief->ranks += location.rank != rank;
            rank = location.rank;
        }
        memory_pool_free(&own.pool);
        if (!good)
            return false;
    }
    return true;
}

static const char *fact_or_nothing(const struct summary *summary, const char *key)
{
    const char *value = summary_fact(summary, key);
    return value ? value : "";
}

bool brief_read(struct brief *brief, const char *path, struct error *error)
{
    struct container container;
    *brief = (struct brief){0};
    if (!container_open(&container, path, error))
        return false;
    /* Tables that are not read have whatever locations refer to. */
    struct summary summary = {.path = path,
                              .node_count = SUMMARY_NONE,
                              .host_count = SUMMARY_NONE,
                              .phase_count = FORMAT_PHASES_MOST};
    bool good = read_table(&container, SECTION_RUN, &summary, error) &&
                read_table(&container, SECTION_METRICS, &summary, error) &&
                read_locations(&container, &summary, brief, error);
    brief->pool = summary.pool;
    brief->state = container.state;
    container_close(&container);
    if (!good) {
        /* Facts may be there in part. */
        brief_free(brief);
        return false;
    }
    brief->program = fact_or_nothing(&summary, "program");
    brief->start = fact_or_nothing(&summary, "start");
    brief->derived = summary.derived;
    brief->of_trace = summary_is_of_trace(&summary);
    return true;
}

void brief_free(struct brief *brief)
{
    memory_pool_free(&brief->pool);
    *brief = (struct brief){0};
}
