/* Writing a summary again.  See write_summary.h. */
#include "write_summary.h"

#include "codec.h"
#include "container.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The file under way, in memory: sections, then their map. */
struct writer {
    struct encoder content; /* follows the header */
    struct encoder map;
};

static void encode_run(const struct summary *summary, struct encoder *out)
{
    encode_varint(out, summary->fact_count);
    for (size_t i = 0; i < summary->fact_count; i++) {
        encode_string(out, summary->facts[i].key);
        encode_string(out, summary->facts[i].value);
    }
}

/* The difference to BEFORE, which becomes VALUE. */
static void encode_step(struct encoder *out, uint32_t value, uint32_t *before)
{
    encode_varint(out, value - *before);
    *before = value;
}

/* A ref to INDEX. */
static void encode_ref(struct encoder *out, uint32_t index)
{
    encode_varint(out, index == SUMMARY_NONE ? 0 : (uint64_t)index + 1);
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

static void encode_cluster(const struct series *series, const struct cluster *cluster,
                           struct encoder *out)
{
    encode_varint(out, cluster->size);
    encode_varint(out, cluster->class_id);
    encode_varint(out, (uint64_t)cluster->wall_ns);
    encode_profile(&cluster->sums, out);
    for (size_t i = 0; cluster->spreads && i < series->maximum_count; i++)
        encode_double(out, cluster->spreads[i]);
    for (size_t i = 0; i < series->sketch_count; i++)
        encode_signed(out, cluster->sketch[i]);
    if (series->sketch_count > 0)
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
    encode_varint(out, series->sketch_count);
    encode_varint(out, series->cluster_count);
    for (size_t i = 0; i < series->cluster_count; i++)
        encode_cluster(series, &series->clusters[i], out);
    encode_varint(out, series->run_count);
    for (size_t i = 0; i < series->run_count; i++) {
        encode_varint(out, series->runs[i].length);
        encode_ref(out, series->runs[i].cluster);
    }
}

static void encode_location(const struct location *location, struct encoder *out)
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

static void add_section(struct writer *writer, const struct section *section, const void *bytes,
                        size_t size)
{
    encode_u32(&writer->map, section->kind);
    encode_u32(&writer->map, format_section_version(section->kind));
    encode_u32(&writer->map, section->location);
    encode_u32(&writer->map, 0);
    encode_u64(&writer->map, FORMAT_HEADER_BYTES + writer->content.size);
    encode_u64(&writer->map, size);
    encode_u64(&writer->map, size);
    encode_u32(&writer->map, crc32_update(0, bytes, size));
    encode_u32(&writer->map, 0);
    encode_bytes(&writer->content, bytes, size);
}

static bool copy_section(struct writer *writer, const struct container *from,
                         const struct section *section, struct error *error)
{
    unsigned char *bytes;
    if (!container_read(from, section, &bytes, error))
        return false;
    add_section(writer, section, bytes, (size_t)section->stored_bytes);
    free(bytes);
    return true;
}

static bool is_known(uint32_t kind)
{
    return kind >= SECTION_RUN && kind <= SECTION_TOPOLOGIES;
}

static bool add_all_sections(struct writer *writer, const struct summary *summary,
                             const struct container *from, struct error *error)
{
    for (size_t i = 0; i < from->section_count; i++) {
        const struct section *section = &from->sections[i];
        struct encoder content = {0};
        if (section->kind == SECTION_RUN) {
            encode_run(summary, &content);
        } else if (section->kind == SECTION_LOCATION &&
                   section->location < summary->location_count) {
            encode_location(&summary->locations[section->location], &content);
        } else {
            if (is_known(section->kind) && !copy_section(writer, from, section, error))
                return false;
            continue;
        }
        if (content.failed)
            out_of_memory();
        add_section(writer, section, content.bytes, content.size);
        encoder_free(&content);
    }
    return true;
}

static void encode_header(const struct writer *writer, enum format_state state,
                          struct encoder *out)
{
    static const unsigned char zeros[20];
    uint64_t map_offset = FORMAT_HEADER_BYTES + writer->content.size;
    encode_bytes(out, FORMAT_MAGIC, FORMAT_MAGIC_BYTES);
    encode_u32(out, FORMAT_VERSION);
    encode_u32(out, state);
    encode_u64(out, map_offset + writer->map.size);
    encode_u64(out, map_offset);
    encode_u32(out, (uint32_t)(writer->map.size / FORMAT_SECTION_BYTES));
    encode_u32(out, crc32_update(0, writer->map.bytes, writer->map.size));
    encode_bytes(out, zeros, sizeof zeros);
    encode_u32(out, crc32_update(0, out->bytes, out->size));
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
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno == EEXIST)
        return error_set(error, "%s: is there already; summaries are never overwritten", path);
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

bool summary_write(const struct summary *summary, const char *path, struct error *error)
{
    struct container from;
    struct writer writer = {0};
    struct encoder header = {0};
    if (!container_open(&from, summary->path, error))
        return false;
    bool good = add_all_sections(&writer, summary, &from, error);
    container_close(&from);
    if (good) {
        encode_header(&writer, summary->state, &header);
        if (writer.content.failed || writer.map.failed || header.failed)
            out_of_memory();
        const struct encoder *parts[] = {&header, &writer.content, &writer.map};
        good = create_file(path, parts, sizeof parts / sizeof parts[0], error);
    }
    encoder_free(&header);
    encoder_free(&writer.content);
    encoder_free(&writer.map);
    return good;
}
