/* Writes summaries.  See write_summary.h. */
#include "file/write_summary.h"

#include "assemble/sections.h"
#include "common/codec.h"
#include "file/container.h"
#include "file/encode_definitions.h"
#include "file/encode_waits.h"
#include "file/zstd_codec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void encode_run(const struct summary *summary, struct encoder *out)
{
    encode_varint(out, summary->fact_count);
    for (size_t i = 0; i < summary->fact_count; i++) {
        encode_string(out, summary->facts[i].key);
        encode_string(out, summary->facts[i].value);
    }
}

/* Encodes the difference between VALUE and *BEFORE, and sets *BEFORE to VALUE. */
static void encode_step(struct encoder *out, uint32_t value, uint32_t *before)
{
    encode_varint(out, value - *before);
    *before = value;
}

static void encode_profile(const struct profile *profile, struct encoder *out)
{
    uint32_t node = 0;
    encode_varint(out, profile->count);
    for (size_t i = 0; i < profile->count; i++) {
        encode_step(out, profile->cells[i].node, &node);
        encode_varint(out, profile->cells[i].metric);
        encode_signed(out, profile->cells[i].value);
    }
}

static void encode_presence(const struct cluster *cluster, struct encoder *out)
{
    uint32_t node = 0;
    encode_varint(out, cluster->presence_known ? cluster->occurrence_count + UINT64_C(1) : 0);
    for (size_t i = 0; cluster->presence_known && i < cluster->occurrence_count; i++) {
        const struct occurrence *occurrence = &cluster->occurrences[i];
        encode_step(out, occurrence->node, &node);
        encode_varint(out, occurrence->least);
        encode_varint(out, occurrence->most - occurrence->least);
    }
}

static void encode_cluster(const struct series *series, const struct cluster *cluster,
                           struct encoder *out)
{
    encode_varint(out, cluster->size);
    encode_varint(out, cluster->class_id);
    encode_varint(out, (uint64_t)cluster->wall_ns);
    encode_profile(&cluster->sums, out);
    for (size_t i = 0; cluster->spreads && i < series->maximum_count; i++)
        encode_double(out, cluster->spreads[i]);
    if (cluster->size > 1)
        encode_presence(cluster, out);
    if (series->keeps_all || cluster->size > 1)
        encode_signed(out, cluster->hidden_visits);
}

static void encode_series(const struct series *series, struct encoder *out)
{
    uint32_t metric = 0;
    encode_varint(out, series->phase);
    encode_ref(out, series->parent_phase);
    encode_varint(out, series->equivalence);
    encode_varint(out, series->classes);
    encode_string(out, series->clustering);
    encode_varint(out, series->asked);
    encode_varint(out, series->maximum_count);
    for (size_t i = 0; i < series->maximum_count; i++) {
        encode_step(out, series->maxima[i].metric, &metric);
        encode_varint(out, series->maxima[i].value);
    }
    encode_varint(out, series->keeps_all);
    encode_varint(out, series->largest_count);
    for (size_t i = 0; i < series->largest_count; i++) {
        encode_varint(out, series->largest[i].node);
        encode_varint(out, series->largest[i].metric);
        encode_varint(out, (uint64_t)series->largest[i].value);
        encode_varint(out, series->largest[i].iteration);
        encode_double(out, series->largest[i].squares);
    }
    encode_varint(out, series->cluster_count);
    for (size_t i = 0; i < series->cluster_count; i++)
        encode_cluster(series, &series->clusters[i], out);
    encode_varint(out, series->run_count);
    for (size_t i = 0; i < series->run_count; i++) {
        encode_varint(out, series->runs[i].length);
        if (series->runs[i].unmapped)
            encode_varint(out, series->cluster_count + UINT64_C(1));
        else
            encode_ref(out, series->runs[i].cluster);
    }
}

void summary_encode_location(const struct location *location, struct encoder *out)
{
    encode_varint(out, location->rank);
    encode_varint(out, location->thread);
    encode_ref(out, location->host);
    encode_varint(out, location->process);
    encode_string(out, location->ending);
    summary_encode_numbers(location, out);
}

void summary_encode_numbers(const struct location *location, struct encoder *out)
{
    encode_varint(out, (uint64_t)location->wall_ns);
    encode_varint(out, location->start_ns);
    encode_varint(out, location->note_count);
    for (size_t i = 0; i < location->note_count; i++)
        encode_string(out, location->notes[i]);
    encode_profile(&location->whole, out);
    encode_profile(&location->outside, out);
    encode_varint(out, location->series_count);
    for (size_t i = 0; i < location->series_count; i++)
        encode_series(&location->series[i], out);
    encode_varint(out, location->cost_count);
    for (size_t i = 0; i < location->cost_count; i++) {
        encode_string(out, location->costs[i].key);
        encode_varint(out, location->costs[i].value);
    }
}

static bool copy_section(struct sections *to, const struct container *from,
                         const struct section *section, struct error *error)
{
    unsigned char *bytes;
    struct encoder content = {0};
    if (!container_read(from, section, &bytes, error))
        return false;
    encode_bytes(&content, bytes, (size_t)section->decoded_bytes);
    free(bytes);
    sections_add(to, (enum format_section)section->kind, section->location, &content);
    return true;
}

static bool is_known(uint32_t kind)
{
    return kind >= SECTION_RUN && kind < SECTION_END;
}

static void add_run(struct sections *to, const struct summary *summary)
{
    struct encoder content = {0};
    encode_run(summary, &content);
    sections_add(to, SECTION_RUN, FORMAT_NO_LOCATION, &content);
}

static void add_locations(struct sections *to, const struct summary *summary)
{
    for (size_t i = 0; i < summary->location_count; i++) {
        struct encoder content = {0};
        summary_encode_location(&summary->locations[i], &content);
        sections_add(to, SECTION_LOCATION, (uint32_t)i, &content);
    }
}

static bool add_all_sections(struct sections *to, const struct summary *summary,
                             const struct container *from, struct error *error)
{
    add_run(to, summary);
    for (size_t i = 0; i < from->section_count; i++) {
        uint32_t kind = from->sections[i].kind;
        if (is_known(kind) && kind != SECTION_RUN && kind != SECTION_LOCATION &&
            !copy_section(to, from, &from->sections[i], error))
            return false;
    }
    add_locations(to, summary);
    return true;
}

/* Header and section map. */
static void encode_front(const struct sections *sections, enum format_state state,
                         struct encoder *out)
{
    const uint64_t front = FORMAT_HEADER_BYTES + sections->count * FORMAT_SECTION_BYTES;
    const struct summary_header header = {.state = state,
                                          .size = front + sections->stored.size,
                                          .entries = (uint32_t)sections->count};
    summary_header_encode(&header, out);
    sections_encode_map(sections, front, 0, out);
}

static bool write_bytes(int file, const struct encoder *bytes)
{
    for (size_t done = 0; done < bytes->size;) {
        ssize_t written = write(file, bytes->bytes + done, bytes->size - done);
        if (written < 0 && errno != EINTR)
            return false;
        done += written > 0 ? (size_t)written : 0;
    }
    return true;
}

static bool create_file(const char *path, const struct encoder *const parts[], size_t count,
                        struct error *error)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file < 0 && errno == EEXIST)
        return error_set(error, "%s: already exists; not overwritten without --force", path);
    if (file < 0)
        return error_set(error, "%s: cannot be created: %s", path, strerror(errno));
    bool good = true;
    for (size_t i = 0; i < count && good; i++)
        good = write_bytes(file, parts[i]);
    int reason = errno;
    if (close(file) != 0 && good) {
        good = false;
        reason = errno;
    }
    if (good)
        return true;
    unlink(path);
    return error_set(error, "%s: cannot be written: %s", path, strerror(reason));
}

/* The bytes of the file before what SECTIONS have collected. */
static struct encoder make_front(const struct sections *sections, enum format_state state)
{
    struct encoder front = {0};
    encode_front(sections, state, &front);
    if (sections->failed || front.failed)
        out_of_memory();
    return front;
}

/* Writes what SECTIONS have collected. */
static bool finish(const struct sections *sections, enum format_state state, const char *path,
                   struct error *error)
{
    struct encoder front = make_front(sections, state);
    const struct encoder *parts[] = {&front, &sections->stored};
    bool good = create_file(path, parts, sizeof parts / sizeof parts[0], error);
    encoder_free(&front);
    return good;
}

bool summary_write(const struct summary *summary, const char *path, struct error *error)
{
    struct container from;
    struct sections sections = {.pack = zstd_codec_pack};
    if (!container_open(&from, summary->path, error))
        return false;
    bool good = add_all_sections(&sections, summary, &from, error);
    container_close(&from);
    good = good && finish(&sections, summary->state, path, error);
    sections_free(&sections);
    return good;
}

static void add_everything(struct sections *to, const struct summary *summary)
{
    add_run(to, summary);
    for (uint32_t kind = SECTION_METRICS; kind < SECTION_END; kind++) {
        struct encoder content = {0};
        if (kind == SECTION_LOCATION || (kind == SECTION_WAITS && !waits_exist(summary)))
            continue;
        encode_definitions(summary, kind, &content);
        sections_add(to, kind, FORMAT_NO_LOCATION, &content);
    }
    add_locations(to, summary);
}

bool summary_create(const struct summary *summary, const char *path, struct error *error)
{
    struct sections sections = {.pack = zstd_codec_pack};
    add_everything(&sections, summary);
    bool good = finish(&sections, summary->state, path, error);
    sections_free(&sections);
    return good;
}

bool summary_put(const struct summary *summary, int file, const char *path, struct error *error)
{
    struct sections sections = {.pack = zstd_codec_pack};
    add_everything(&sections, summary);
    struct encoder front = make_front(&sections, summary->state);
    const bool good = write_bytes(file, &front) && write_bytes(file, &sections.stored);
    encoder_free(&front);
    sections_free(&sections);
    return good || error_set(error, "%s: cannot be written to a temporary file: %s", path,
                             strerror(errno));
}
