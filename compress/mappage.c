/* Pages of a map: the encoding of segments.  See mappage.h. */
#include "compress/mappage.h"

#include <string.h>

enum { PLACE_BYTES = 2 }; /* of a place in a pattern */

void page_start(struct page *page, uint32_t size)
{
    *page = (struct page){.size = size, .last = NOWHERE, .pattern = NOWHERE};
}

static uint32_t varint_bytes(uint64_t value)
{
    uint32_t bytes = 1;
    while (value >>= 7)
        bytes++;
    return bytes;
}

static void put_varint(struct page *page, uint64_t value)
{
    for (; value > 127; value >>= 7)
        page->bytes[page->used++] = (uint8_t)(value | 128);
    page->bytes[page->used++] = (uint8_t)value;
}

static uint64_t get_varint(const struct page *page, uint32_t *at)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = page->bytes[(*at)++];
        value |= (uint64_t)(byte & 127) << shift;
        shift += 7;
    } while (byte & 128);
    return value;
}

static uint64_t head_of(uint64_t count, enum segment_kind kind)
{
    return count << 2 | kind;
}

static uint32_t head_bytes(uint64_t count)
{
    return varint_bytes(head_of(count, 0));
}

uint32_t run_bytes(uint64_t count, uint32_t place)
{
    return head_bytes(count) + varint_bytes(place);
}

uint32_t packed_bytes(uint64_t count, unsigned width)
{
    return head_bytes(count) + 1 + (uint32_t)((count * width + 7) / 8);
}

uint32_t pattern_bytes(uint64_t count, uint32_t period)
{
    return head_bytes(count) + varint_bytes(period) + period * PLACE_BYTES;
}

/* COUNT iterations more, whose segment was or will be written. */
static void pass(struct page *page, uint64_t count)
{
    page->iterations += count;
    if (page->pattern != NOWHERE)
        page->phase = (uint32_t)((page->phase + count) % page->period);
}

static void begin_segment(struct page *page, uint64_t count, enum segment_kind kind)
{
    page->last = page->used;
    put_varint(page, head_of(count, kind));
}

bool page_add_run(struct page *page, uint32_t place, uint64_t count)
{
    if (run_bytes(count, place) > page_room(page))
        return false;
    begin_segment(page, count, SEGMENT_RUN);
    put_varint(page, place);
    pass(page, count);
    return true;
}

bool page_add_packed(struct page *page, const uint16_t *places, uint32_t count, unsigned width)
{
    uint64_t bits = 0;
    unsigned held = 0;
    if (packed_bytes(count, width) > page_room(page))
        return false;
    begin_segment(page, count, SEGMENT_PACKED);
    page->bytes[page->used++] = (uint8_t)width;
    for (uint32_t i = 0; i < count; i++) {
        bits |= (uint64_t)places[i] << held;
        for (held += width; held >= 8; held -= 8, bits >>= 8)
            page->bytes[page->used++] = (uint8_t)bits;
    }
    if (held > 0)
        page->bytes[page->used++] = (uint8_t)bits;
    pass(page, count);
    return true;
}

/* Behind the bits there is a table of labels, so that three bytes may be read always. */
static uint32_t packed_place(const struct page *page, uint64_t bit, unsigned width)
{
    const uint8_t *byte = &page->bytes[bit / 8];
    uint32_t value = byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16;
    return value >> bit % 8 & ((1u << width) - 1);
}

bool page_add_pattern(struct page *page, const uint16_t *places, uint32_t period,
                      uint64_t count)
{
    if (pattern_bytes(count, period) > page_room(page))
        return false;
    begin_segment(page, count, SEGMENT_PATTERN);
    put_varint(page, period);
    page->pattern = page->last;
    page->period = period;
    page->phase = 0;
    for (uint32_t i = 0; i < period; i++) {
        page->bytes[page->used++] = (uint8_t)places[i];
        page->bytes[page->used++] = (uint8_t)(places[i] >> 8);
    }
    pass(page, count);
    return true;
}

/* Makes the last segment, of the pattern, longer. */
static bool extend_last(struct page *page, uint64_t count)
{
    uint32_t after = page->last, end;
    uint64_t head = get_varint(page, &after);
    uint32_t old_bytes = after - page->last, bytes = head_bytes((head >> 2) + count);
    if (bytes - old_bytes > page_room(page))
        return false;
    end = page->used + bytes - old_bytes;
    memmove(&page->bytes[page->last + bytes], &page->bytes[after], page->used - after);
    page->used = page->last;
    put_varint(page, head + head_of(count, 0));
    page->used = end;
    pass(page, count);
    return true;
}

bool page_add_again(struct page *page, uint64_t count)
{
    unsigned last = page->bytes[page->last] & 3;
    if (last == SEGMENT_PATTERN || last == SEGMENT_AGAIN)
        return extend_last(page, count);
    if (head_bytes(count) > page_room(page))
        return false;
    begin_segment(page, count, SEGMENT_AGAIN);
    pass(page, count);
    return true;
}

static uint32_t pattern_place(const struct page *page, uint32_t first, uint32_t index)
{
    const uint8_t *bytes = &page->bytes[first + index * PLACE_BYTES];
    return bytes[0] | (uint32_t)bytes[1] << 8;
}

uint32_t page_pattern_place(const struct page *page, uint32_t index)
{
    uint32_t first = page->pattern;
    get_varint(page, &first);
    get_varint(page, &first);
    return pattern_place(page, first, index);
}

void reader_start(struct page_reader *reader, const struct page *page)
{
    *reader = (struct page_reader){.page = page};
}

/* Sets what is special to the kind of the segment whose head was read. */
static void open_segment(struct page_reader *reader)
{
    const struct page *page = reader->page;
    switch (reader->kind) {
    case SEGMENT_RUN:
        reader->place = (uint32_t)get_varint(page, &reader->at);
        reader->cycle = 1;
        break;
    case SEGMENT_PACKED:
        reader->width = page->bytes[reader->at++];
        reader->bit = (uint64_t)reader->at * 8;
        reader->at += (uint32_t)((reader->left * reader->width + 7) / 8);
        reader->cycle = reader->width == 0;
        break;
    case SEGMENT_PATTERN:
        reader->period = (uint32_t)get_varint(page, &reader->at);
        reader->pattern = reader->at;
        reader->phase = 0;
        reader->at += reader->period * PLACE_BYTES;
        reader->cycle = reader->period;
        break;
    case SEGMENT_AGAIN:
        reader->cycle = reader->period;
        break;
    }
}

bool reader_more(struct page_reader *reader)
{
    if (reader->left > 0)
        return true;
    if (reader->at == reader->page->used)
        return false;
    uint64_t head = get_varint(reader->page, &reader->at);
    reader->kind = (enum segment_kind)(head & 3);
    reader->left = head >> 2;
    open_segment(reader);
    return true;
}

uint32_t reader_label(const struct page_reader *reader)
{
    uint32_t place = reader->place;
    if (reader->kind == SEGMENT_PACKED)
        place = packed_place(reader->page, reader->bit, reader->width);
    else if (reader->kind != SEGMENT_RUN)
        place = pattern_place(reader->page, reader->pattern, reader->phase);
    return *page_label(reader->page, place);
}

void reader_skip(struct page_reader *reader, uint64_t count)
{
    reader->left -= count;
    reader->bit += count * reader->width;
    if (reader->period > 0)
        reader->phase = (uint32_t)((reader->phase + count) % reader->period);
}
