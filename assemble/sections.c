/* See sections.h. */
#include "assemble/sections.h"

#include "common/crc32.h"

#include <stdlib.h>
#include <string.h>

enum {
    PACKED_LEAST = 64, /* a zstd frame has some twenty bytes of overhead */
    SKIPPABLE_MAGIC = 0x184D2A50,
    SKIPPABLE_HEADER = 8
};

struct section_entry {
    enum format_section kind;
    uint32_t location;
    enum format_encoding encoding;
    uint32_t crc;
    uint64_t at; /* offset in `stored` */
    uint64_t stored;
    uint64_t decoded;
};

/*
 * Appends bytes that decoders skip, where a frame is so small that readers would not believe
 * its content size (FORMAT_RATIO_MOST).
 */
static void pad(struct encoder *out, size_t begin, size_t decoded)
{
    size_t least = (decoded + FORMAT_RATIO_MOST - 1) / FORMAT_RATIO_MOST;
    if (out->size - begin >= least)
        return;
    size_t missing = least - (out->size - begin);
    size_t zeros = missing > SKIPPABLE_HEADER ? missing - SKIPPABLE_HEADER : 0;
    encode_u32(out, SKIPPABLE_MAGIC);
    encode_u32(out, (uint32_t)zeros);
    unsigned char *room = encode_room(out, zeros);
    if (room)
        memset(room, 0, zeros);
}

/* Appends CONTENT as a zstd frame; false, with nothing appended, if that saves nothing. */
static bool add_packed(struct sections *sections, const struct encoder *content)
{
    struct encoder *out = &sections->stored;
    const size_t begin = out->size;
    if (!sections->pack || content->size < PACKED_LEAST)
        return false;
    unsigned char *room = encode_room(out, content->size);
    if (!room)
        return false;
    size_t size = sections->pack(room, content->size, content->bytes, content->size);
    out->size = begin + size;
    if (size > 0)
        pad(out, begin, content->size);
    if (size > 0 && !out->failed && out->size - begin < content->size)
        return true;
    out->size = begin;
    return false;
}

/* Makes room for one more entry: the list grows whenever its length reaches a power of two. */
static struct section_entry *add_entry(struct sections *sections)
{
    size_t count = sections->count;
    if ((count & (count - 1)) == 0) {
        struct section_entry *grown =
            realloc(sections->entries, (count ? 2 * count : 1) * sizeof *grown);
        if (!grown)
            return NULL;
        sections->entries = grown;
    }
    return &sections->entries[sections->count++];
}

void sections_add(struct sections *sections, enum format_section kind, uint32_t location,
                  struct encoder *content)
{
    const size_t begin = sections->stored.size;
    struct section_entry *entry = content->failed ? NULL : add_entry(sections);
    if (entry) {
        bool packed = add_packed(sections, content);
        if (!packed)
            encode_bytes(&sections->stored, content->bytes, content->size);
        *entry = (struct section_entry){
            .kind = kind,
            .location = location,
            .encoding = packed ? ENCODING_ZSTD : ENCODING_STORED,
            .at = begin,
            .stored = sections->stored.size - begin,
            .decoded = content->size,
        };
    }
    if (!entry || sections->stored.failed)
        sections->failed = true;
    else if (entry->stored > 0)
        entry->crc = crc32_update(0, sections->stored.bytes + begin, (size_t)entry->stored);
    encoder_free(content);
}

void sections_encode_map(const struct sections *sections, uint64_t offset,
                         uint32_t first_location, struct encoder *out)
{
    for (size_t i = 0; i < sections->count; i++) {
        const struct section_entry *entry = &sections->entries[i];
        const size_t begin = out->size;
        encode_u32(out, entry->kind);
        encode_u32(out, format_section_version(entry->kind));
        encode_u32(out, entry->location == FORMAT_NO_LOCATION
                            ? FORMAT_NO_LOCATION
                            : first_location + entry->location);
        encode_u32(out, entry->encoding);
        encode_u64(out, offset + entry->at);
        encode_u64(out, entry->stored);
        encode_u64(out, entry->decoded);
        encode_u32(out, entry->crc);
        if (!out->failed)
            encode_u32(out, crc32_update(0, out->bytes + begin, out->size - begin));
    }
}

void sections_free(struct sections *sections)
{
    encoder_free(&sections->stored);
    free(sections->entries);
    *sections = (struct sections){.pack = sections->pack};
}

void summary_header_encode(const struct summary_header *header, struct encoder *out)
{
    const size_t begin = out->size;
    encode_bytes(out, FORMAT_MAGIC, FORMAT_MAGIC_BYTES);
    encode_u32(out, FORMAT_VERSION);
    encode_u32(out, header->state);
    encode_u64(out, header->size);
    encode_u64(out, header->mark);
    encode_u32(out, header->entries);
    while (!out->failed && out->size - begin < FORMAT_HEADER_BYTES - 4)
        encode_u32(out, 0);
    if (!out->failed)
        encode_u32(out, crc32_update(0, out->bytes + begin, out->size - begin));
}
