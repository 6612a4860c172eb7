/* Reading the container of a summary file, which may hold anything.  See container.h. */
#include "container.h"

#include "codec.h"
#include "memory.h"

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
                                        [SECTION_TOPOLOGIES] = "TOPOLOGIES"};
    return kind >= SECTION_RUN && kind <= SECTION_TOPOLOGIES ? names[kind] : "unknown";
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
    /* A named pipe must not hold the command up before it is recognised as one. */
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

/* Where the section map is, as the header says. */
struct map_place {
    uint64_t offset;
    uint32_t count;
    uint32_t crc;
};

static bool read_header(struct container *container, struct map_place *map, struct error *error)
{
    const char *path = container->path;
    unsigned char header[FORMAT_HEADER_BYTES] = {0};
    uint64_t there = container->bytes < sizeof header ? container->bytes : sizeof header;
    struct decoder in = {header, sizeof header, FORMAT_MAGIC_BYTES, false};
    if (!read_at(container, header, there, 0, error) || !check_magic(container, header, error))
        return false;
    uint32_t version = decode_u32(&in);
    if (there < sizeof header)
        return error_set(error, "%s: is cut off after %" PRIu64 " bytes", path, there);
    if (version != FORMAT_VERSION)
        return error_set(error, "%s: has format version %u; this tsprof reads version %u only",
                         path, version, FORMAT_VERSION);
    uint32_t state = decode_u32(&in);
    uint64_t bytes = decode_u64(&in);
    map->offset = decode_u64(&in);
    map->count = decode_u32(&in);
    map->crc = decode_u32(&in);
    in.at = CRC_OFFSET;
    if (decode_u32(&in) != crc32_update(0, header, CRC_OFFSET))
        return error_set(error, "%s: is damaged: the checksum of its header is wrong", path);
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

/* True if SIZE bytes at OFFSET lie inside the file. */
static bool is_inside(const struct container *container, uint64_t offset, uint64_t size)
{
    return offset <= container->bytes && size <= container->bytes - offset;
}

static bool decode_section(const struct container *container, struct decoder *in,
                           struct section *section, struct error *error)
{
    section->kind = decode_u32(in);
    section->version = decode_u32(in);
    section->location = decode_u32(in);
    section->encoding = decode_u32(in);
    section->offset = decode_u64(in);
    section->stored_bytes = decode_u64(in);
    section->decoded_bytes = decode_u64(in);
    section->crc = decode_u32(in);
    decode_u32(in);
    if (!is_inside(container, section->offset, section->stored_bytes))
        return error_set(error, "%s: is damaged: section %s lies outside of the file",
                         container->path, section_name(section->kind));
    return true;
}

static bool read_map(struct container *container, const struct map_place *map,
                     struct error *error)
{
    uint64_t size = (uint64_t)map->count * FORMAT_SECTION_BYTES;
    if (!is_inside(container, map->offset, size))
        return error_set(error, "%s: is damaged: its section map lies outside of the file",
                         container->path);
    unsigned char *bytes = allocate((size_t)size, 1);
    struct decoder in = {bytes, (size_t)size, 0, false};
    bool good = read_at(container, bytes, size, map->offset, error);
    if (good && crc32_update(0, bytes, (size_t)size) != map->crc)
        good = error_set(error, "%s: is damaged: the checksum of its section map is wrong",
                         container->path);
    container->sections = allocate(map->count, sizeof *container->sections);
    container->section_count = map->count;
    for (size_t i = 0; good && i < map->count; i++)
        good = decode_section(container, &in, &container->sections[i], error);
    free(bytes);
    return good;
}

bool container_open(struct container *container, const char *path, struct error *error)
{
    struct map_place map = {0};
    *container = (struct container){.path = path, .file = -1};
    if (open_file(container, error) && read_header(container, &map, error) &&
        read_map(container, &map, error))
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

bool container_read(const struct container *container, const struct section *section,
                    unsigned char **bytes, struct error *error)
{
    const char *path = container->path, *name = section_name(section->kind);
    if (section->version != format_section_version(section->kind))
        return error_set(error,
                         "%s: section %s has version %u; this tsprof reads version %u only",
                         path, name, section->version, format_section_version(section->kind));
    if (section->encoding != 0 || section->decoded_bytes != section->stored_bytes)
        return error_set(error,
                         "%s: section %s has encoding %u; this tsprof reads encoding 0 only",
                         path, name, section->encoding);
    unsigned char *content = allocate((size_t)section->stored_bytes, 1);
    bool good = read_at(container, content, section->stored_bytes, section->offset, error);
    if (good && crc32_update(0, content, (size_t)section->stored_bytes) != section->crc)
        good =
            error_set(error, "%s: is damaged: the checksum of section %s is wrong", path, name);
    if (!good) {
        free(content);
        content = NULL;
    }
    *bytes = content;
    return good;
}
