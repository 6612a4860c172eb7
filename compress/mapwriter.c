/* From labels to segments.  See mapwriter.h. */
#include "compress/mapwriter.h"

#include <string.h>

/* Fewer iterations than this are not worth the rest of a page. */
enum { LEAST_PACKED = 16 };

/* The most bytes of a segment of LEAST_PACKED iterations, or of a pattern, with its labels. */
enum {
    LEAST_PACKED_ROOM = 16 + LEAST_PACKED * 6,
    PATTERN_ROOM = 16 + MAX_PERIOD * 6,
};

uint32_t page_relabel(struct page *page, const struct labels *labels, unsigned side)
{
    uint32_t different = 0;
    for (uint32_t place = 0; place < page->labels; place++) {
        uint32_t root = labels_root(labels, *page_label(page, place));
        struct label *label = labels_at(labels, root);
        *page_label(page, place) = root;
        if (label->at[side] < place && *page_label(page, label->at[side]) == root)
            continue;
        label->at[side] = (uint16_t)place;
        different++;
    }
    return different;
}

void writer_relabel(struct map_writer *writer)
{
    if (writer->page)
        page_relabel(writer->page, writer->labels, writer->side);
    for (uint32_t i = 0; i < writer->period; i++)
        writer->pattern[i] = labels_root(writer->labels, writer->pattern[i]);
    for (uint32_t i = 0; i < writer->count; i++)
        writer->block[i] = labels_root(writer->labels, writer->block[i]);
}

void writer_start(struct map_writer *writer, struct page *page)
{
    writer->page = page;
    writer->length = 0;
    writer->exceptions = writer->trail = writer->count = 0;
    writer->in_page = page && page->pattern != NOWHERE;
    writer->period = writer->in_page ? page->period : 0;
    writer->phase = writer->in_page ? page->phase : 0;
    for (uint32_t i = 0; i < writer->period; i++)
        writer->pattern[i] = *page_label(page, page_pattern_place(page, i));
    if (page)
        page_relabel(page, writer->labels, writer->side);
}

static bool next_page(struct map_writer *writer, uint32_t bytes)
{
    struct page *page = NULL;
    if (writer->source.next)
        page = writer->source.next(writer->source.context, bytes);
    if (!page)
        return false;
    writer->page = page;
    writer->in_page = false;
    return true;
}

/*
 * The place of LABEL in the page's table, where it is added if it is missing; NOWHERE if there
 * is no room.
 */
static uint32_t place_of(struct map_writer *writer, uint32_t label)
{
    struct page *page = writer->page;
    uint16_t *at = &labels_at(writer->labels, label)->at[writer->side];
    if (*at < page->labels && *page_label(page, *at) == label)
        return *at;
    if (page_room(page) < sizeof(uint32_t))
        return NOWHERE;
    *at = (uint16_t)page->labels++;
    *page_label(page, *at) = label;
    return *at;
}

/* Writes the iterations that follow the pattern as a segment of their own. */
static bool put_pattern(struct map_writer *writer)
{
    struct page *page = writer->page;
    uint32_t labels = page->labels, period = writer->period;
    uint16_t places[MAX_PERIOD];
    for (uint32_t i = 0; i < period; i++) {
        uint32_t place = place_of(writer, writer_pattern_label(writer, i));
        places[i] = (uint16_t)place;
        if (place == NOWHERE) {
            page->labels = labels;
            return false;
        }
    }
    if (page_add_pattern(page, places, period, writer->length))
        return true;
    page->labels = labels;
    return false;
}

/* Writes the iterations that follow the pattern. */
static bool write_pattern(struct map_writer *writer)
{
    if (writer->length == 0)
        return true;
    bool written = writer->in_page && page_add_again(writer->page, writer->length);
    if (!written)
        written = writer->page && !writer->in_page && put_pattern(writer);
    if (!written)
        written = next_page(writer, PATTERN_ROOM) && put_pattern(writer);
    if (!written)
        return false;
    writer->in_page = true;
    writer->length = 0;
    return true;
}

struct places {
    uint32_t count; /* of the block's labels, from its first one on */
    unsigned width; /* bits of each */
    uint16_t of[MAP_BLOCK];
};

/*
 * Finds the places of the first labels in the block, up to COUNT or as many as there is room
 * for.
 */
static void find_places(struct map_writer *writer, uint32_t count, struct places *places)
{
    struct page *page = writer->page;
    uint32_t head = packed_bytes(count, 0);
    places->count = places->width = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t labels = page->labels, place = place_of(writer, writer->block[i]);
        unsigned width = place == NOWHERE ? 0 : bits_for(place + 1);
        width = width < places->width ? places->width : width;
        if (place == NOWHERE || head + (i + 1) * width / 8 >= page_room(page)) {
            page->labels = labels;
            return;
        }
        places->of[i] = (uint16_t)place;
        places->width = width;
        places->count = i + 1;
    }
}

/* How many of the first places are the same from FROM on. */
static uint32_t run_length(const struct places *places, uint32_t from)
{
    uint32_t length = 1;
    while (from + length < places->count && places->of[from + length] == places->of[from])
        length++;
    return length;
}

/* Writes PLACES as runs if that takes less room than packed. */
static bool put_runs(struct page *page, const struct places *places)
{
    uint32_t bytes = 0, length, most = packed_bytes(places->count, places->width);
    for (uint32_t i = 0; i < places->count && bytes <= most; i += length)
        bytes += run_bytes(length = run_length(places, i), places->of[i]);
    if (bytes > most)
        return false;
    for (uint32_t i = 0; i < places->count; i += length)
        page_add_run(page, places->of[i], length = run_length(places, i));
    return true;
}

/* Writes the block's first labels, COUNT or as many as the page has room for; returns how many,
 * 0 if it is better to begin a new page. */
static uint32_t put_labels(struct map_writer *writer, uint32_t count)
{
    struct page *page = writer->page;
    uint32_t labels = page->labels;
    struct places places;
    find_places(writer, count, &places);
    if (places.count < count && places.count < LEAST_PACKED) {
        page->labels = labels;
        return 0;
    }
    if (!put_runs(page, &places))
        page_add_packed(page, places.of, places.count, places.width);
    return places.count;
}

/* Writes the first COUNT labels of the block, which leave it. */
static bool write_labels(struct map_writer *writer, uint32_t count)
{
    bool room = true;
    while (count > 0 && room) {
        uint32_t written = writer->page ? put_labels(writer, count) : 0;
        writer->count -= written;
        memmove(writer->block, writer->block + written, writer->count * sizeof(*writer->block));
        count -= written;
        if (count > 0)
            room = next_page(writer, LEAST_PACKED_ROOM);
    }
    return room;
}

/*
 * The longest end of the block that follows a pattern, and its period; 0 if there is none.  A
 * string of n characters has the smallest period n - f(n), where f is the failure function of
 * D. Knuth, J. Morris, V. Pratt, "Fast Pattern Matching in Strings", 1977; here, backwards.
 */
static uint32_t find_pattern(const struct map_writer *writer, uint32_t *period)
{
    uint16_t failure[MAP_BLOCK];
    uint32_t found = 0, count = writer->count;
    const uint32_t *last = writer->block + count - 1;
    failure[0] = 0;
    for (uint32_t i = 1; i < count; i++) {
        uint32_t border = failure[i - 1];
        while (border > 0 && last[-(int32_t)border] != last[-(int32_t)i])
            border = failure[border - 1];
        border += last[-(int32_t)border] == last[-(int32_t)i];
        failure[i] = (uint16_t)border;
        uint32_t length = i + 1, shift = length - border;
        if (length >= LEAST_PATTERN && shift <= MAX_PERIOD && 2 * shift <= length) {
            found = length;
            *period = shift;
        }
    }
    return found;
}

static bool forget_pattern(struct map_writer *writer)
{
    if (!write_pattern(writer))
        return false;
    writer->period = 0;
    writer->in_page = false;
    return true;
}

/* Empties the block: its end may become the pattern, the rest is written. */
static bool close_block(struct map_writer *writer)
{
    uint32_t period = 0, length;
    if (writer->count == 0)
        return true;
    if (!forget_pattern(writer))
        return false;
    length = find_pattern(writer, &period);
    if (!write_labels(writer, writer->count - length))
        return false;
    memcpy(writer->pattern, writer->block, period * sizeof(*writer->pattern));
    writer->length = length;
    writer->period = period;
    writer->phase = period > 0 ? length % period : 0;
    writer->count = writer->trail = writer->exceptions = 0;
    return true;
}

/* Continues the pattern: the labels in the block before its trail were exceptions. */
static void resume_pattern(struct map_writer *writer)
{
    if (!write_pattern(writer) || !write_labels(writer, writer->count - writer->trail))
        return;
    writer->length = writer->trail;
    writer->count = writer->trail = 0;
}

/* Whether LABEL is what the pattern has next. */
static bool is_next(struct map_writer *writer, uint32_t label)
{
    uint32_t *next = &writer->pattern[writer->phase];
    if (*next != label && labels_root(writer->labels, *next) == label)
        *next = label;
    return *next == label;
}

static void pass_next(struct map_writer *writer)
{
    if (++writer->phase == writer->period)
        writer->phase = 0;
}

static void add_to_block(struct map_writer *writer, uint32_t label)
{
    writer->block[writer->count++] = label;
    if (writer->period == 0)
        return;
    writer->trail = is_next(writer, label) ? writer->trail + 1 : 0;
    pass_next(writer);
    if (writer->trail == LEAST_PATTERN)
        resume_pattern(writer);
}

/*
 * Forgets the pattern if there might be a better one.  There is none if the last iterations
 * followed this one for as long as two periods: see writer_follows.
 */
static bool allow_exception(struct map_writer *writer)
{
    if (writer->length >= 2 * MAX_PERIOD)
        writer->exceptions = 0;
    if (writer->exceptions == MOST_EXCEPTIONS && !forget_pattern(writer))
        return false;
    writer->exceptions++;
    return true;
}

bool writer_add(struct map_writer *writer, uint32_t label)
{
    if (writer->count == MAP_BLOCK && !close_block(writer))
        return false;
    if (writer->period > 0 && writer->count == 0) {
        if (is_next(writer, label)) {
            pass_next(writer);
            writer->length++;
            return true;
        }
        if (!allow_exception(writer))
            return false;
    }
    add_to_block(writer, label);
    return true;
}

/*
 * The newest `length` iterations have the pattern's period, and of these the newest ADDED that
 * of the sequence.  Where both hold for as many iterations as the two periods together, the two
 * never part (N. Fine, H. Wilf, "Uniqueness Theorems for Periodic Functions", 1965).
 */
bool writer_follows(const struct map_writer *writer, uint64_t added, uint32_t cycle)
{
    uint64_t both = added < writer->length ? added : writer->length;
    return cycle > 0 && writer->period > 0 && writer->count == 0 &&
           both >= (uint64_t)cycle + writer->period;
}

void writer_follow(struct map_writer *writer, uint64_t count)
{
    writer->length += count;
    writer->phase = (uint32_t)((writer->phase + count) % writer->period);
}

uint64_t writer_add_many(struct map_writer *writer, uint32_t label, uint64_t count)
{
    for (uint64_t added = 0; added < count; added++) {
        if (writer_follows(writer, added, 1)) {
            writer_follow(writer, count - added);
            break;
        }
        if (!writer_add(writer, label))
            return added;
    }
    return count;
}

bool writer_finish(struct map_writer *writer)
{
    return close_block(writer) && write_pattern(writer);
}
