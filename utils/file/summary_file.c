/* See summary_file.h. */
#include "file/summary_file.h"

#include "assemble/sections.h"
#include "base/base.h"
#include "file/zstd_codec.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void summary_file_begin(struct summary_file *out, int file, const char *path, uint32_t sections)
{
    *out = (struct summary_file){.path = path, .file = file, .sections = sections};
    out->at = FORMAT_HEADER_BYTES + (uint64_t)sections * FORMAT_SECTION_BYTES;
}

static void write_at(struct summary_file *out, uint64_t offset, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0 && !out->reason) {
        ssize_t written = pwrite(out->file, at, size, (off_t)offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            out->reason = written < 0 ? errno : ENOSPC;
            return;
        }
        at += written;
        offset += (uint64_t)written;
        size -= (size_t)written;
    }
}

void summary_file_add(struct summary_file *out, enum format_section kind, uint32_t location,
                      struct encoder *content)
{
    struct sections sections = {.pack = zstd_codec_pack};
    /* The file's mark: with a single writer, any number will do. */
    bool is_location = location != FORMAT_NO_LOCATION;
    sections_add(&sections, kind, is_location ? 0 : location, content);
    sections_encode_map(&sections, out->at, is_location ? location : 0, &out->map);
    if (sections.failed || sections.stored.failed || out->map.failed)
        out_of_memory();
    write_at(out, out->at, sections.stored.bytes, sections.stored.size);
    out->at += sections.stored.size;
    sections_free(&sections);
}

bool summary_file_end(struct summary_file *out, enum format_state state, struct error *error)
{
    struct encoder encoded = {0};
    const struct summary_header header = {
        .state = state, .size = out->at, .entries = out->sections};
    summary_header_encode(&header, &encoded);
    if (encoded.failed)
        out_of_memory();
    write_at(out, FORMAT_HEADER_BYTES, out->map.bytes, out->map.size);
    write_at(out, 0, encoded.bytes, encoded.size);
    encoder_free(&encoded);
    encoder_free(&out->map);
    return !out->reason ||
           error_set(error, "%s: cannot be written: %s", out->path, strerror(out->reason));
}
