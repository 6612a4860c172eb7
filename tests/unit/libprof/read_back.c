/* See read_back.h. */
#include "tests/unit/libprof/read_back.h"

#include "accuracy/accuracy.h"
#include "file/file.h"
#include "query/query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/metrics.h"

struct read_back {
    struct summary *read;  /* a whole file; or NULL, and then: */
    struct summary shell;  /* with tables of the lengths wanted and one location */
    struct location place; /* that one */
    struct metric_entry metrics[METRIC_COUNT];
};

static const struct summary *summary_of(const struct read_back *back)
{
    return back->read ? back->read : &back->shell;
}

static struct read_back *create(void)
{
    struct read_back *back = calloc(1, sizeof *back);
    if (!back)
        abort();
    return back;
}

static struct read_back *refuse(struct read_back *back, const char *why)
{
    printf("# %s\n", why);
    read_back_free(back);
    return NULL;
}

struct read_back *read_back_summary(const char *path)
{
    struct read_back *back = create();
    struct error error = {""};
    back->read = summary_read(path, &error);
    return back->read ? back : refuse(back, error.text);
}

/* The metrics as the runtime's table has them. */
static void have_metrics(struct read_back *back)
{
    for (int m = 0; m < METRIC_COUNT; m++) {
        const struct metric_info *info = &metric_table[m];
        back->metrics[m] = (struct metric_entry){
            .name = info->name,
            .parent = info->parent == METRIC_none ? SUMMARY_NONE : (uint32_t)info->parent,
            .unit = metric_unit_name(info->unit),
            .scale = info->unit == UNIT_seconds ? 9 : 0,
            .kind = info->measured ? FORMAT_METRIC_MEASURED : FORMAT_METRIC_DERIVED,
            .text = info->text};
    }
}

/* IS_SAVED: as in a part. */
static struct read_back *read_content(struct read_back *back, struct decoder *in, size_t nodes,
                                      size_t phases, bool is_saved)
{
    struct error error = {""};
    uint64_t runs_left = UINT64_C(1) << 20;
    have_metrics(back);
    back->shell.path = "what was encoded";
    back->shell.metrics = back->metrics;
    back->shell.metric_count = METRIC_COUNT;
    back->shell.node_count = nodes;
    back->shell.phase_count = phases;
    back->shell.locations = &back->place;
    back->shell.location_count = 1;
    if (!(is_saved
              ? summary_read_saved(&back->shell, &runs_left, &back->place, in, &error)
              : summary_read_content(&back->shell, SECTION_LOCATION, &back->place, in, &error)))
        return refuse(back, error.text);
    return in->at == in->size ? back : refuse(back, "there is more than a location");
}

struct read_back *read_back_numbers(const void *bytes, size_t size, size_t nodes, size_t phases)
{
    struct decoder in = {bytes, size, 0, false};
    return read_content(create(), &in, nodes, phases, true);
}

struct read_back *read_back_location(const void *bytes, size_t size, size_t nodes,
                                     size_t phases)
{
    struct decoder in = {bytes, size, 0, false};
    struct read_back *back = create();
    size_t length;
    back->place.rank = (uint32_t)decode_varint(&in);
    back->place.thread = (uint32_t)decode_varint(&in);
    back->place.host = (uint32_t)decode_varint(&in) - 1;
    back->place.process = decode_varint(&in);
    decode_string(&in, &length);
    if (in.failed || length > 0)
        return refuse(back, "it does not say whose it is");
    return read_content(back, &in, nodes, phases, false);
}

void read_back_free(struct read_back *back)
{
    if (!back)
        return;
    summary_free(back->read);
    memory_pool_free(&back->shell.pool);
    free(back);
}

size_t read_back_locations(const struct read_back *back)
{
    return summary_of(back)->location_count;
}

static const struct location *location_of(const struct read_back *back, size_t number)
{
    return &summary_of(back)->locations[number];
}

struct read_place read_back_place(const struct read_back *back, size_t location)
{
    const struct location *at = location_of(back, location);
    return (struct read_place){.rank = at->rank,
                               .thread = at->thread,
                               .host = at->host,
                               .process = at->process,
                               .wall_ns = at->wall_ns,
                               .start_ns = at->start_ns,
                               .notes = at->note_count,
                               .series = at->series_count};
}

bool read_back_has_note(const struct read_back *back, size_t location, const char *text)
{
    const struct location *at = location_of(back, location);
    for (size_t i = 0; i < at->note_count; i++)
        if (strcmp(at->notes[i], text) == 0)
            return true;
    return false;
}

uint64_t read_back_cost(const struct read_back *back, size_t location, const char *key)
{
    return location_cost(location_of(back, location), key);
}

static const struct profile *profile_of(const struct location *location,
                                        enum read_profile which)
{
    return which == READ_WHOLE ? &location->whole : &location->outside;
}

static int64_t cell_of(const struct profile *profile, uint32_t node, uint32_t metric)
{
    for (size_t i = 0; i < profile->count; i++)
        if (profile->cells[i].node == node && profile->cells[i].metric == metric)
            return profile->cells[i].value;
    return 0;
}

int64_t read_back_cell(const struct read_back *back, size_t location, enum read_profile which,
                       uint32_t node, uint32_t metric)
{
    return cell_of(profile_of(location_of(back, location), which), node, metric);
}

static bool is_region(const struct summary *summary, uint32_t node, const char *region)
{
    return strcmp(summary->regions[summary->nodes[node].region].name, region) == 0;
}

static bool leads_through(const struct summary *summary, uint32_t node, const char *region)
{
    while (node != SUMMARY_NONE && !is_region(summary, node, region))
        node = summary->nodes[node].parent;
    return node != SUMMARY_NONE;
}

int64_t read_back_sum(const struct read_back *back, size_t location, enum read_profile which,
                      const char *region, const char *around, const char *metric)
{
    const struct summary *summary = summary_of(back);
    const struct profile *profile = profile_of(location_of(back, location), which);
    const uint32_t wanted = summary_metric(summary, metric);
    int64_t sum = 0;
    for (size_t i = 0; i < profile->count; i++)
        if (profile->cells[i].metric == wanted &&
            (!region || is_region(summary, profile->cells[i].node, region)) &&
            (!around || leads_through(summary, profile->cells[i].node, around)))
            sum += profile->cells[i].value;
    return sum;
}

struct read_series read_back_series(const struct read_back *back, size_t location,
                                    size_t number)
{
    const struct series *series = &location_of(back, location)->series[number];
    struct read_series read = {.phase = series->phase,
                               .iterations = series->iterations,
                               .lost = series->lost,
                               .clusters = series->cluster_count};
    for (size_t c = 0; c < series->cluster_count; c++) {
        read.size += series->clusters[c].size;
        read.wall_ns += series->clusters[c].wall_ns;
    }
    return read;
}

int64_t read_back_largest(const struct read_back *back, size_t location, size_t number,
                          uint32_t node, uint32_t metric)
{
    const struct series *series = &location_of(back, location)->series[number];
    for (size_t i = 0; i < series->largest_count; i++)
        if (series->largest[i].node == node && series->largest[i].metric == metric)
            return series->largest[i].value;
    return 0;
}

int64_t read_back_clustered(const struct read_back *back, size_t location, size_t number,
                            uint32_t node, uint32_t metric)
{
    const struct series *series = &location_of(back, location)->series[number];
    int64_t sum = 0;
    for (size_t c = 0; c < series->cluster_count; c++)
        sum += cell_of(&series->clusters[c].sums, node, metric);
    return sum;
}

const char *read_back_fact(const struct read_back *back, const char *key)
{
    const char *value = summary_fact(summary_of(back), key);
    return value ? value : "";
}

const char *read_back_phase(const struct read_back *back, uint32_t phase)
{
    return summary_of(back)->phases[phase].name;
}

static bool holds(struct check check)
{
    const bool good = check_holds(&check);
    if (!good)
        printf("# %s\n", text_string(&check.first));
    text_free(&check.first);
    return good;
}

bool read_back_holds(const struct read_back *back)
{
    const bool accounting = holds(check_accounting(summary_of(back))),
               totals = holds(check_totals(summary_of(back)));
    return accounting && totals;
}
