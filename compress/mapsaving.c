/* See mapsaving.h. */
#include "compress/mapsaving.h"

#include "common/part_format.h"

_Static_assert((int)SEGMENT_RUN == PART_SEGMENT_RUN, "the same kinds");
_Static_assert((int)SEGMENT_PACKED == PART_SEGMENT_PACKED, "the same kinds");
_Static_assert((int)SEGMENT_PATTERN == PART_SEGMENT_PATTERN, "the same kinds");
_Static_assert((int)SEGMENT_AGAIN == PART_SEGMENT_AGAIN, "the same kinds");
_Static_assert((int)MAX_PERIOD == PART_PERIOD_MOST, "no pattern is longer");

enum { LABELS_AT_ONCE = 256 }; /* between two pauses */

static void encode_label(const struct map_saving *saving, uint32_t label)
{
    const uint32_t root = labels_root(saving->labels, label);
    const uint32_t owner = labels_at(saving->labels, root)->link;
    encode_varint(saving->out, saving->names->name(saving->names->context, owner));
}

static void encode_head(const struct map_saving *saving, uint64_t count, enum segment_kind kind)
{
    encode_varint(saving->out, count << 2 | kind);
}

void mapsaving_page(const struct map_saving *saving, const struct page *page)
{
    if (page->iterations == 0)
        return;
    encode_varint(saving->out, page->iterations);
    encode_varint(saving->out, page->labels);
    for (uint32_t place = 0; place < page->labels; place++) {
        if (place % LABELS_AT_ONCE == LABELS_AT_ONCE - 1)
            encoder_pause_async(saving->out);
        encode_label(saving, *page_label(page, place));
    }
    encode_bytes(saving->out, page->bytes, page->used);
    encoder_pause_async(saving->out);
}

/* Writes the pattern, whose labels have the first places. */
static void encode_pattern(const struct map_saving *saving, const struct map_writer *writer)
{
    encode_head(saving, writer->length, SEGMENT_PATTERN);
    encode_varint(saving->out, writer->period);
    for (uint32_t place = 0; place < writer->period; place++) {
        const uint8_t bytes[] = {(uint8_t)place, (uint8_t)(place >> 8)};
        encode_bytes(saving->out, bytes, sizeof bytes);
    }
}

/* Writes iterations of their own, whose labels have the places from FIRST on. */
static void encode_each(const struct map_saving *saving, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        encode_head(saving, 1, SEGMENT_RUN);
        encode_varint(saving->out, first + i);
    }
}

/* Every iteration in the block has a place of its own: they are few. */
void mapsaving_tail(const struct map_saving *saving, const struct map_writer *writer,
                    uint64_t waiting)
{
    const uint32_t period = writer->length > 0 ? writer->period : 0;
    const uint64_t since = writer->length + writer->count;
    if (since + waiting == 0)
        return;
    encode_varint(saving->out, since + waiting);
    encode_varint(saving->out, period + writer->count + (waiting > 0));
    for (uint32_t i = 0; i < period; i++)
        encode_label(saving, writer_pattern_label(writer, i));
    for (uint32_t i = 0; i < writer->count; i++)
        encode_label(saving, writer->block[i]);
    if (waiting > 0)
        encode_label(saving, LABEL_UNMAPPED);
    if (period > 0)
        encode_pattern(saving, writer);
    encode_each(saving, period, writer->count);
    if (waiting > 0) {
        encode_head(saving, waiting, SEGMENT_RUN);
        encode_varint(saving->out, period + writer->count);
    }
    encoder_pause_async(saving->out);
}

void mapsaving_end(const struct map_saving *saving)
{
    encode_varint(saving->out, 0);
}
