/* See output.h. */
#include "output.h"

#include "facts.h"
#include "message.h"
#include "quiet.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COPIES_MOST = 10000 };

static int create(struct output *output, const char *directory, int ranks, const char *suffix)
{
    for (int copy = 0; copy < COPIES_MOST; copy++) {
        char name[4000];
        facts_output_name(ranks, suffix, copy, name, sizeof name);
        const char *slash = strrchr(name, '/');
        if (directory)
            snprintf(output->name, sizeof output->name, "%s/%s", directory,
                     slash ? slash + 1 : name);
        else
            snprintf(output->name, sizeof output->name, "%s", name);
        int file = open(output->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

void output_open(struct output *output, int ranks, const char *suffix)
{
    *output = (struct output){.size = FORMAT_HEADER_BYTES};
    output->file = create(output, NULL, ranks, suffix);
    if (output->file >= 0)
        return;
    const char *directory = getenv("TMPDIR");
    directory = directory && *directory ? directory : "/tmp";
    message(1, "cannot create %s: %s; trying %s", output->name, strerror(errno), directory);
    output->file = create(output, directory, ranks, suffix);
    if (output->file < 0)
        message(1, "cannot create %s: %s; the measurement is lost", output->name,
                strerror(errno));
}

static void give_up(struct output *output)
{
    message(1, "cannot write %s: %s", output->name, strerror(errno));
    unlink(output->name);
    close(output->file);
    output->file = -1;
}

static void write_at(struct output *output, uint64_t offset, const void *bytes, size_t size)
{
    const char *at = bytes;
    struct quiet quiet;
    quiet_begin(&quiet);
    while (output->file >= 0 && size > 0) {
        ssize_t written = pwrite(output->file, at, size, (off_t)offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            give_up(output);
            break;
        }
        at += written;
        offset += (uint64_t)written;
        size -= (size_t)written;
    }
    quiet_end(&quiet);
}

void output_section(struct output *output, enum format_section kind, uint32_t location,
                    const void *bytes, size_t size)
{
    write_at(output, output->size, bytes, size);
    encode_u32(&output->map, kind);
    encode_u32(&output->map, format_section_version(kind));
    encode_u32(&output->map, location);
    encode_u32(&output->map, 0);
    encode_u64(&output->map, output->size);
    encode_u64(&output->map, size);
    encode_u64(&output->map, size);
    encode_u32(&output->map, crc32_update(0, bytes, size));
    encode_u32(&output->map, 0);
    output->size += size;
    output->sections++;
}

bool output_close(struct output *output, enum format_state state)
{
    struct encoder header = {0};
    uint64_t map_offset = output->size;
    write_at(output, map_offset, output->map.bytes, output->map.size);
    output->size += output->map.size;
    encode_bytes(&header, FORMAT_MAGIC, FORMAT_MAGIC_BYTES);
    encode_u32(&header, FORMAT_VERSION);
    encode_u32(&header, state);
    encode_u64(&header, output->size);
    encode_u64(&header, map_offset);
    encode_u32(&header, output->sections);
    encode_u32(&header, crc32_update(0, output->map.bytes, output->map.size));
    while (!header.failed && header.size < FORMAT_HEADER_BYTES - 4)
        encode_u32(&header, 0);
    encode_u32(&header, crc32_update(0, header.bytes, header.size));
    if (header.failed || output->map.failed) {
        errno = ENOMEM;
        give_up(output);
    }
    write_at(output, 0, header.bytes, header.size);
    encoder_free(&header);
    encoder_free(&output->map);
    if (output->file >= 0 && close(output->file) != 0) {
        message(1, "cannot write %s: %s", output->name, strerror(errno));
        output->file = -1;
    }
    bool whole = output->file >= 0;
    output->file = -1;
    return whole;
}
