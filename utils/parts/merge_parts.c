/* See merge_parts.h. */
#include "parts/merge_parts.h"

#include "assemble/resolve.h"
#include "file/file.h"
#include "parts/part_events.h"
#include "parts/part_reading.h"
#include "parts/renumber.h"
#include "parts/unite_part.h"
#include "print/print.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The first pass. */
static bool unite_all(struct union_of_parts *all, const struct part_files *files,
                      struct merged *merged, struct error *error)
{
    for (size_t i = 0; i < files->count && !all->failed; i++) {
        struct part_reading part;
        bool good = part_open(&part, files->list[i].path, error) &&
                    union_add_part(all, &part, files->list[i].rank, error);
        if (good) {
            merged->parts++;
        } else {
            complain("%s; it is left out", error->text);
            merged->skipped++;
        }
        part_close(&part);
    }
    if (all->failed)
        return error_set(error, "cannot write to a temporary file: %s", strerror(errno));
    return all->location_count > 0 ||
           error_set(error, "%s: the parts hold no measurement yet", files->list[0].path);
}

/* Finds the ranks of the job that have no location. */
static void find_missing(const struct union_of_parts *all, const struct part_files *files,
                         struct merged *merged)
{
    struct rank_list missing = {0};
    size_t at = 0;
    merged->ranks = files->list[0].ranks;
    for (uint32_t rank = 0; rank < merged->ranks; rank++) {
        while (at < all->location_count && all->locations[at].rank < rank)
            at++;
        if (at == all->location_count || all->locations[at].rank > rank)
            rank_list_add(&missing, rank);
    }
    merged->missing = missing.count;
    text_add(&merged->missing_ranks, rank_list_end(&missing));
    text_free(&missing.text);
}

static void encode_pair(struct encoder *out, const char *key, const char *value)
{
    encode_string(out, key);
    encode_string(out, value);
}

static void encode_run(const struct union_of_parts *all, const struct merged *merged,
                       struct encoder *out)
{
    char end[64], parts[32];
    time_t seconds = (time_t)(all->end_ns / 1000000000);
    struct tm split;
    gmtime_r(&seconds, &split);
    strftime(end, sizeof end, "%Y-%m-%dT%H:%M:%SZ", &split);
    snprintf(parts, sizeof parts, "%zu", merged->parts);
    encode_varint(out, all->fact_count + 2 + (merged->missing > 0));
    for (size_t i = 0; i < all->fact_count; i++)
        encode_pair(out, all->facts[i].key, all->facts[i].value);
    encode_pair(out, "end", end);
    encode_pair(out, "parts", parts);
    if (merged->missing > 0)
        encode_pair(out, "missing_ranks", text_string(&merged->missing_ranks));
}

static void encode_metric(const struct metric_entry *metric, struct encoder *out)
{
    encode_string(out, metric->name);
    encode_varint(out, metric->parent == SUMMARY_NONE ? 0 : (uint64_t)metric->parent + 1);
    encode_string(out, metric->unit);
    encode_varint(out, metric->scale);
    encode_varint(out, metric->kind);
    encode_string(out, metric->text);
}

static void encode_metrics(const struct union_of_parts *all, struct encoder *out)
{
    encode_varint(out, all->metric_count + all->counter_count);
    for (size_t i = 0; i < all->metric_count; i++)
        encode_metric(&all->metrics[i], out);
    for (size_t i = 0; i < all->counter_count; i++)
        encode_metric(&all->counters[i], out);
}

static void encode_system(const struct union_of_parts *all, struct encoder *out)
{
    encode_varint(out, all->host_count);
    for (size_t i = 0; i < all->host_count; i++) {
        char boot[32];
        snprintf(boot, sizeof boot, "%016" PRIx64, all->host_clocks[i]);
        encode_string(out, all->hosts[i]);
        /* Parts tell no other facts. */
        encode_varint(out, all->host_clocks[i] ? 1 : 0);
        if (all->host_clocks[i])
            encode_pair(out, "boot", boot);
    }
}

static void write_common(struct summary_file *out, struct union_of_parts *all,
                         struct description *description, const struct merged *merged)
{
    struct encoder run = {0}, metrics = {0}, system = {0}, topologies = {0};
    encode_run(all, merged, &run);
    encode_metrics(all, &metrics);
    encode_system(all, &system);
    topologies_encode(&all->topologies, &topologies);
    const struct {
        enum format_section kind;
        struct encoder *content;
    } sections[] = {
        {SECTION_RUN, &run},
        {SECTION_METRICS, &metrics},
        {SECTION_MODULES, &description->modules},
        {SECTION_REGIONS, &description->regions},
        {SECTION_CALLTREE, &description->calltree},
        {SECTION_SYSTEM, &system},
        {SECTION_PHASES, &description->phases},
        {SECTION_TOPOLOGIES, &topologies},
    };
    _Static_assert(sizeof sections / sizeof sections[0] == FORMAT_COMMON_SECTIONS,
                   "every kind of a run is written once");
    for (size_t i = 0; i < FORMAT_COMMON_SECTIONS; i++)
        summary_file_add(out, sections[i].kind, FORMAT_NO_LOCATION, sections[i].content);
}

static uint32_t find_visits(const struct union_of_parts *all)
{
    for (uint32_t i = 0; i < all->metric_count; i++)
        if (strcmp(all->metrics[i].name, "visits") == 0)
            return i;
    return SUMMARY_NONE;
}

/* The second pass.  NUMBERS are the call tree's, by node of the definitions. */
static bool write_locations(struct summary_file *out, struct union_of_parts *all,
                            const uint32_t *numbers, struct error *error)
{
    bool good = true;
    for (size_t i = 0; good && i < all->location_count; i++) {
        const struct united_location *united = &all->locations[i];
        struct taken_location taken;
        struct encoder content = {0};
        good = union_take(all, united, &taken, error);
        for (uint32_t n = 0; good && n < united->node_count; n++)
            if (taken.nodes[n] != DEFINITION_NONE)
                taken.nodes[n] = numbers[taken.nodes[n]];
        if (good) {
            const struct renumbering renumbering = {taken.nodes, taken.phases, taken.metrics,
                                                    find_visits(all)};
            location_renumber(&taken.location, &renumbering);
            taken.location.rank = united->rank;
            taken.location.thread = united->thread;
            taken.location.host = united->host;
            taken.location.process = united->process;
            taken.location.ending = united->ending;
            summary_encode_location(&taken.location, &content);
            summary_file_add(out, SECTION_LOCATION, (uint32_t)i, &content);
        }
        taken_free(&taken);
    }
    return good;
}

static bool write_all(struct union_of_parts *all, int file, const char *path,
                      struct merged *merged, struct part_events *events, struct error *error)
{
    struct summary_file out;
    struct description description;
    uint32_t *numbers = allocate(all->definitions.node_count, sizeof *numbers);
    if (!resolve(&all->definitions, &description, numbers))
        out_of_memory();
    live_resolve(&all->live, &all->definitions, numbers);
    part_events_keep_sections(events, &description);
    summary_file_begin(&out, file, path,
                       FORMAT_COMMON_SECTIONS + (uint32_t)all->location_count);
    write_common(&out, all, &description, merged);
    bool good = write_locations(&out, all, numbers, error);
    events->numbers = numbers;
    return summary_file_end(&out, FORMAT_PARTIAL, error) && good;
}

bool merge_parts(const struct part_files *files, int file, const char *path,
                 const char *archive, bool replaces, struct merged *merged, struct error *error)
{
    struct part_events events = {.archive = archive, .replaces = replaces};
    struct union_of_parts all = {.aside = tmpfile()};
    *merged = (struct merged){.skipped = files->damaged};
    if (!all.aside)
        return error_set(error, "cannot make a temporary file: %s", strerror(errno));
    bool good = unite_all(&all, files, merged, error);
    if (good) {
        find_missing(&all, files, merged);
        good = write_all(&all, file, path, merged, &events, error);
    }
    if (good)
        part_events_write(&events, &all, merged);
    part_events_free(&events);
    merged->live = all.live;
    all.live = (struct live_list){0};
    fclose(all.aside);
    union_free(&all);
    return good;
}

void merged_free(struct merged *merged)
{
    live_free(&merged->live);
    text_free(&merged->missing_ranks);
}
