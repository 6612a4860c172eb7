/* See section_reader.h. */
#include "file/section_reader.h"

#include <inttypes.h>
#include <string.h>

bool reader_open(struct reader *reader, unsigned char **bytes,
                 const struct container *container, const struct section *section,
                 struct summary *summary, struct error *error)
{
    if (!container_read(container, section, bytes, error))
        return false;
    *reader = (struct reader){.in = {*bytes, (size_t)section->decoded_bytes, 0, false},
                              .summary = summary,
                              .section = section_name(section->kind),
                              .version = section->version,
                              .error = error};
    return true;
}

bool reader_fault(struct reader *reader, uint64_t index, const char *what)
{
    if (!reader->faulty)
        error_set(reader->error, "%s: is damaged: section %s, item %" PRIu64 " %s",
                  reader->summary->path, reader->section, index, what);
    reader->faulty = true;
    return false;
}

bool reader_fault_of_decoder(struct reader *reader)
{
    if (!reader->faulty)
        error_set(reader->error, "%s: is damaged: section %s ends before its content does",
                  reader->summary->path, reader->section);
    reader->faulty = true;
    return false;
}

void *reader_items(struct reader *reader, size_t count, size_t size)
{
    return memory_pool_allocate(&reader->summary->pool, count, size);
}

size_t reader_count(struct reader *reader, size_t item_bytes)
{
    uint64_t count = decode_count(&reader->in, item_bytes);
    if (count >= SUMMARY_NONE) {
        reader_fault(reader, count, "is more than this tsprof can count");
        return 0;
    }
    return reader_is_good(reader) ? (size_t)count : 0;
}

size_t reader_count_few(struct reader *reader, size_t item_bytes, size_t most)
{
    size_t count = reader_count(reader, item_bytes);
    if (count <= most)
        return count;
    reader_fault(reader, most, "is one too many");
    return 0;
}

bool reader_expect(struct reader *reader, size_t count, size_t item_bytes)
{
    if (count > (reader->in.size - reader->in.at) / item_bytes)
        reader->in.failed = true;
    return reader_is_good(reader);
}

const char *reader_text(struct reader *reader, uint64_t index)
{
    size_t length;
    const char *bytes = decode_string(&reader->in, &length);
    if (memchr(bytes, '\0', length))
        reader_fault(reader, index, "has a text with a zero byte");
    return memory_pool_copy(&reader->summary->pool, bytes, length);
}

uint32_t reader_index(struct reader *reader, uint64_t index, size_t count, const char *what)
{
    uint64_t value = decode_varint(&reader->in);
    if (reader_is_good(reader) && value >= count)
        reader_fault(reader, index, what);
    return reader->faulty ? 0 : (uint32_t)value;
}

uint32_t reader_ref(struct reader *reader, uint64_t index, size_t count, const char *what)
{
    uint64_t value = decode_varint(&reader->in);
    if (reader_is_good(reader) && value > count)
        reader_fault(reader, index, what);
    return reader->faulty || value == 0 ? SUMMARY_NONE : (uint32_t)(value - 1);
}

int64_t reader_duration(struct reader *reader, uint64_t index)
{
    uint64_t value = decode_varint(&reader->in);
    if (value > INT64_MAX)
        reader_fault(reader, index, "has an impossible duration");
    return reader->faulty ? 0 : (int64_t)value;
}
