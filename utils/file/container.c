/* Reads the container of a summary file, which may be damaged or hostile.  See container.h. */
#include "file/container.h"

#include "base/base.h"
#include "common/codec.h"
#include "common/crc32.h"
#include "file/zstd_codec.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CRC_OFFSET 60u

const char *section_name(uint32_t kind)
{
    static const char *const names[] = {[SECTION_RUN] = "RUN",
                                        [SECTION_METRICS] = "METRICS",
                                        [SECTION_MODULES] = "MODULES",
                                        [SECTION_REGIONS] = "REGIONS",
                                        [SECTION_CALLTREE] = "CALLTREE",
                                        [SECTION_SYSTEM] = "SYSTEM",
                                        [SECTION_PHASES] = "PHASES",
                                        [SECTION_LOCATION] = "LOCATION",
                                        [SECTION_TOPOLOGIES] = "TOPOLOGIES",
                                        [SECTION_WAITS] = "WAITS"};
    _Static_assert(sizeof names / sizeof names[0] == SECTION_END, "every kind has a name");
    return kind >= SECTION_RUN && kind < SECTION_END ? names[kind] : "unknown";
}

/* Reads exactly SIZE bytes at OFFSET. */
static bool read_at(const struct container *container, void *bytes, uint64_t size,
                    uint64_t offset, struct error *error)
{
    char *to = bytes;
    while (size > 0) {
        size_t piece = size < (1u << 30) ? (size_t)size : (1u << 30);
        ssize_t got = pread(container->file, to, piece, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set(error, "%s: cannot be read: %s", container->path, strerror(errno));
        if (got == 0)
            return error_set(error, "%s: became shorter while it was read", container->path);
        to += got;
        offset += (uint64_t)got;
        size -= (uint64_t)got;
    }
    return true;
}

static bool open_file(struct container *container, struct error *error)
{
    const char *path = container->path;
    struct stat status;
    /* O_NONBLOCK: opening a named pipe must not block before it is recognised. */
    container->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (container->file < 0)
        return error_set(error, "%s: cannot be opened: %s", path, strerror(errno));
    if (fstat(container->file, &status) != 0)
        return error_set(error, "%s: cannot be examined: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return error_set(error, "%s: is not a regular file", path);
    container->bytes = (uint64_t)status.st_size;
    if (container->bytes == 0)
        return error_set(error, "%s: is empty, not a tsprof summary", path);
    return true;
}

static bool check_magic(const struct container *container, const unsigned char *header,
                        struct error *error)
{
    if (memcmp(header, FORMAT_MAGIC, FORMAT_MAGIC_BYTES) == 0)
        return true;
    if (memcmp(header, "TSPROF\n", 7) == 0)
        return error_set(error, "%s: was damaged by a transfer as text; copy it as binary",
                         container->path);
    return error_set(error, "%s: is not a tsprof summary", container->path);
}

/* What the header says after the version; COUNT is the number of entries in the section map. */
static bool check_header(struct container *container, struct decoder *in, uint32_t *count,
                         struct error *error)
{
    const char *path = container->path;
    uint32_t state = decode_u32(in);
    uint64_t bytes = decode_u64(in);
    decode_u64(in); /* skips the mark, which only writers need */
    *count = decode_u32(in);
    if (state == FORMAT_UNFINISHED)
        return error_set(error, "%s: was never finished: the run ended while it was written",
                         path);
    if (bytes != container->bytes)
        return error_set(error, "%s: %s: it has %" PRIu64 " bytes and should have %" PRIu64,
                         path, container->bytes < bytes ? "is cut off" : "is damaged",
                         container->bytes, bytes);
    if (state != FORMAT_COMPLETE && state != FORMAT_PARTIAL)
        return error_set(error, "%s: is damaged: its header has the unknown state %u", path,
                         state);
    container->state = (enum format_state)state;
    return true;
}

static bool read_header(struct container *container, uint32_t *count, struct error *error)
{
    const char *path = container->path;
    unsigned char header[FORMAT_HEADER_BYTES] = {0};
    uint64_t there = container->bytes < sizeof header ? container->bytes : sizeof header;
    struct decoder in = {header, sizeof header, FORMAT_MAGIC_BYTES, false},
                   crc = {header, sizeof header, CRC_OFFSET, false};
    if (!read_at(container, header, there, 0, error) || !check_magic(container, header, error))
        return false;
    uint32_t version = decode_u32(&in);
    if (there < sizeof header)
        return error_set(error, "%s: is cut off after %" PRIu64 " bytes", path, there);
    if (version != FORMAT_VERSION)
        return error_set(error,
                         "%s: has format version %u; this tsprof reads version %u only: use %s",
                         path, version, FORMAT_VERSION,
                         version > FORMAT_VERSION ? "a later one" : "the one that wrote it");
    if (decode_u32(&crc) != crc32_update(0, header, CRC_OFFSET))
        return error_set(error, "%s: is damaged: the checksum of its header is wrong", path);
    return check_header(container, &in, count, error);
}

/* True if SIZE bytes at OFFSET lie inside the file. */
static bool is_inside(const struct container *container, uint64_t offset, uint64_t size)
{
    return offset <= container->bytes && size <= container->bytes - offset;
}

static bool decode_entry(const struct container *container, const unsigned char *bytes,
                         struct section *section, struct error *error)
{
    struct decoder in = {bytes, FORMAT_SECTION_BYTES, 0, false};
    section->kind = decode_u32(&in);
    section->version = decode_u32(&in);
    section->location = decode_u32(&in);
    section->encoding = decode_u32(&in);
    section->offset = decode_u64(&in);
    section->stored_bytes = decode_u64(&in);
    section->decoded_bytes = decode_u64(&in);
    section->crc = decode_u32(&in);
    if (decode_u32(&in) != crc32_update(0, bytes, FORMAT_SECTION_BYTES - 4))
        return error_set(error, "%s: is damaged: the checksum of its section map is wrong",
                         container->path);
    if (!is_inside(container, section->offset, section->stored_bytes))
        return error_set(error, "%s: is damaged: section %s lies outside of the file",
                         container->path, section_name(section->kind));
    return true;
}

/*
 * If sections shared bytes, a small file could decode to any amount of memory.  It is enough to
 * check that all sections together are not larger than the file; that takes no sorting.
 */
static bool check_sum(const struct container *container, struct error *error)
{
    uint64_t left = container->bytes;
    for (size_t i = 0; i < container->section_count; i++) {
        if (container->sections[i].stored_bytes > left)
            return error_set(error, "%s: is damaged: its sections overlap", container->path);
        left -= container->sections[i].stored_bytes;
    }
    return true;
}

static bool read_map(struct container *container, uint32_t count, struct error *error)
{
    uint64_t size = (uint64_t)count * FORMAT_SECTION_BYTES;
    if (!is_inside(container, FORMAT_HEADER_BYTES, size))
        return error_set(error, "%s: is damaged: its section map lies outside of the file",
                         container->path);
    unsigned char *bytes = allocate((size_t)size, 1), *entry = bytes;
    bool good = read_at(container, bytes, size, FORMAT_HEADER_BYTES, error);
    container->sections = allocate(count, sizeof *container->sections);
    container->section_count = count;
    for (size_t i = 0; good && i < count; i++, entry += FORMAT_SECTION_BYTES)
        good = decode_entry(container, entry, &container->sections[i], error);
    free(bytes);
    return good && check_sum(container, error);
}

bool container_open(struct container *container, const char *path, struct error *error)
{
    uint32_t count = 0;
    *container = (struct container){.path = path, .file = -1};
    if (open_file(container, error) && read_header(container, &count, error) &&
        read_map(container, count, error))
        return true;
    container_close(container);
    return false;
}

void container_close(struct container *container)
{
    if (container->file >= 0)
        close(container->file);
    free(container->sections);
    *container = (struct container){.file = -1};
}

/* Reads the stored bytes of SECTION and verifies their checksum; the caller's to free().  NULL
 * on failure. */
static unsigned char *read_stored(const struct container *container,
                                  const struct section *section, struct error *error)
{
    unsigned char *stored = allocate((size_t)section->stored_bytes, 1);
    bool good = read_at(container, stored, section->stored_bytes, section->offset, error);
    if (good && crc32_update(0, stored, (size_t)section->stored_bytes) != section->crc)
        good = error_set(error, "%s: is damaged: the checksum of section %s is wrong",
                         container->path, section_name(section->kind));
    if (good)
        return stored;
    free(stored);
    return NULL;
}

static bool check_entry(const struct container *container, const struct section *section,
                        struct error *error)
{
    const char *path = container->path, *name = section_name(section->kind);
    const unsigned oldest = format_section_oldest(section->kind);
    const unsigned newest = format_section_version(section->kind);
    if (section->version < oldest || section->version > newest)
        return error_set(
            error,
            oldest == newest
                ? "%s: section %s has version %u; this tsprof reads version %u only"
                : "%s: section %s has version %u; this tsprof reads versions %u "
                  "to %u",
            path, name, section->version, oldest, newest);
    if (section->encoding > ENCODING_ZSTD)
        return error_set(error, "%s: section %s has encoding %u, which this tsprof cannot read",
                         path, name, section->encoding);
    if (section->encoding == ENCODING_STORED
            ? section->decoded_bytes != section->stored_bytes
            : section->decoded_bytes / FORMAT_RATIO_MOST > section->stored_bytes)
        return error_set(error, "%s: is damaged: section %s has an impossible size", path,
                         name);
    return true;
}

bool container_read(const struct container *container, const struct section *section,
                    unsigned char **bytes, struct error *error)
{
    *bytes = NULL;
    if (!check_entry(container, section, error))
        return false;
    unsigned char *stored = read_stored(container, section, error);
    if (!stored || section->encoding == ENCODING_STORED) {
        *bytes = stored;
        return stored;
    }
    unsigned char *content = allocate((size_t)section->decoded_bytes, 1);
    bool good = zstd_codec_unpack(content, (size_t)section->decoded_bytes, stored,
                                  (size_t)section->stored_bytes);
    free(stored);
    if (good) {
        *bytes = content;
        return true;
    }
    free(content);
    return error_set(error, "%s: is damaged: section %s cannot be decompressed",
                     container->path, section_name(section->kind));
}
