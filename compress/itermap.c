/*
 * The map from iterations to clusters.  See itermap.h.
 *
 * The rooms it is built from: labels (maplabels.h) stand for clusters, pages (mappage.h) hold
 * them, the writer (mapwriter.h) finds runs and patterns in them, and sweeps (mapsweep.h) keep
 * labels few and pages small.  Iterations are, in their order, in
 *
 *     pages | the writer's pattern | the writer's block | unmapped at the end
 */
#include "compress/itermap.h"

#include "compress/maplabels.h"
#include "compress/mapmemory.h"
#include "compress/mappage.h"
#include "compress/mapsaving.h"
#include "compress/mapsweep.h"
#include "compress/mapwriter.h"

_Static_assert(ITERMAP_LABEL_NONE == (int)LABEL_NONE, "the same label");
_Static_assert(ITERMAP_LABEL_UNMAPPED == (int)LABEL_UNMAPPED, "the same label");

enum {
    /*
     * A sweep begins after so many labels were merged away, plus so many for each page.  Then
     * each new cluster pays for a fraction of a page's visit.
     */
    SWEEP_LABELS = 512,
    SWEEP_LABELS_PAGE = 4,
    MOST_SWEEPS = 4,    /* at this many times as many a sweep has to hurry */
    FIRST_RETRY = 1024, /* iterations after the map was full */
};

struct itermap {
    struct map_memory memory;
    struct labels labels;
    struct page_list pages;
    struct map_sweep sweep;
    uint64_t iterations;
    uint64_t unmapped;
    uint64_t waiting; /* unmapped iterations at the end, in no page */
    uint64_t retry;   /* look for room when so many are waiting */
    size_t room_at;   /* or when the map holds no more bytes than this */
    struct map_writer tail;
};

/* Pages get larger as the map does, so that a small one wastes little. */
static uint32_t page_size(const struct itermap *map, uint32_t bytes)
{
    uint32_t size = PAGE_LEAST, least = (bytes + (uint32_t)sizeof(struct page) + 7) & ~7u;
    size_t left = map_memory_left(&map->memory);
    while (size < PAGE_MOST && (size < map->pages.bytes || size < least))
        size *= 2;
    if (size > left && left >= least)
        size = (uint32_t)left & ~7u;
    return size;
}

static struct page *add_page(void *context, uint32_t bytes)
{
    struct itermap *map = context;
    struct page_list *pages = &map->pages;
    if (pages->bytes >= PAGE_MOST)
        sweep_prepare(&map->sweep);
    uint32_t size = page_size(map, bytes);
    struct page *page = map_memory_take(&map->memory, size);
    if (!page)
        return NULL;
    page_start(page, size);
    if (pages->last)
        pages->last->next = page;
    else
        pages->first = page;
    pages->last = page;
    pages->count++;
    pages->bytes += size;
    return page;
}

struct itermap *itermap_create(struct account *account, size_t bound)
{
    struct map_memory memory = {.account = account, .bound = bound ? bound : SIZE_MAX};
    struct itermap *map = map_memory_take(&memory, sizeof(*map));
    if (!map)
        return NULL;
    map->memory = memory;
    map->labels = (struct labels){.memory = &map->memory};
    map->pages = (struct page_list){0};
    map->sweep = (struct map_sweep){
        .memory = &map->memory,
        .labels = &map->labels,
        .pages = &map->pages,
        .tail = &map->tail,
    };
    map->iterations = map->unmapped = map->waiting = map->retry = 0;
    map->room_at = 0;
    map->tail.labels = &map->labels;
    map->tail.source = (struct page_source){add_page, map};
    map->tail.side = 0;
    writer_start(&map->tail, NULL);
    if (labels_start(&map->labels))
        return map;
    itermap_destroy(map);
    return NULL;
}

void itermap_destroy(struct itermap *map)
{
    if (!map)
        return;
    struct map_memory memory = map->memory;
    map->labels.memory = map->sweep.memory = &memory;
    for (struct page *page = map->pages.first, *next; page; page = next) {
        next = page->next;
        map_memory_give_back(&memory, page, page->size);
    }
    sweep_clear(&map->sweep);
    labels_clear(&map->labels);
    map_memory_give_back(&memory, map, sizeof(*map));
}

uint32_t itermap_label(struct itermap *map, uint32_t owner)
{
    return labels_add(&map->labels, owner);
}

void itermap_own(struct itermap *map, uint32_t label, uint32_t owner)
{
    if (label != LABEL_UNMAPPED)
        labels_at(&map->labels, label)->link = owner;
}

uint32_t itermap_merge(struct itermap *map, uint32_t a, uint32_t b, uint32_t owner)
{
    uint32_t label = a == LABEL_UNMAPPED ? b : a;
    if (a != LABEL_UNMAPPED && b != LABEL_UNMAPPED)
        label = labels_join(&map->labels, a, b);
    if (label != LABEL_UNMAPPED)
        itermap_own(map, label, owner);
    return label;
}

/* Whether memory is getting short: then sweeps come more often. */
static bool is_short_of(const struct map_memory *memory)
{
    return map_memory_left(memory) < memory->bound / 4;
}

static void sweep(struct itermap *map)
{
    bool is_short = is_short_of(&map->memory);
    uint32_t labels = SWEEP_LABELS + SWEEP_LABELS_PAGE * map->pages.count;
    if (map->sweep.active)
        mapsweep_step(&map->sweep);
    else if (map->labels.merged.count > (is_short ? labels / 16 : labels))
        mapsweep_begin(&map->sweep, MOST_SWEEPS * labels, is_short);
}

/* COUNT iterations, and all that follow, have to wait for room. */
static void begin_waiting(struct itermap *map, uint64_t count)
{
    size_t held = map->memory.held, freed = map->memory.bound / 16;
    map->waiting = count;
    map->unmapped += count;
    map->retry = FIRST_RETRY;
    map->room_at = held > freed ? held - freed : 0;
}

/* Whether there is room again: if so, iterations need not wait any more. */
static bool end_waiting(struct itermap *map)
{
    if (map->waiting < map->retry && map->memory.held > map->room_at)
        return false;
    map->retry = map->waiting * 2;
    map->waiting -= writer_add_many(&map->tail, LABEL_UNMAPPED, map->waiting);
    return map->waiting == 0;
}

bool itermap_append_many(struct itermap *map, uint32_t label, uint64_t count)
{
    uint64_t unmapped = map->unmapped, added;
    map->iterations += count;
    if (map->waiting > 0 && !end_waiting(map)) {
        map->waiting += count;
        map->unmapped += count;
    } else {
        added = writer_add_many(&map->tail, label, count);
        if (label == LABEL_UNMAPPED)
            map->unmapped += added;
        if (added < count)
            begin_waiting(map, count - added);
    }
    sweep(map);
    return map->unmapped == unmapped;
}

bool itermap_append(struct itermap *map, uint32_t label)
{
    return itermap_append_many(map, label, 1);
}

uint64_t itermap_iterations(const struct itermap *map)
{
    return map->iterations;
}

uint64_t itermap_unmapped(const struct itermap *map)
{
    return map->unmapped;
}

size_t itermap_memory(const struct itermap *map)
{
    return map->memory.held;
}

void itermap_start(const struct itermap *map, struct itermap_cursor *cursor, uint64_t first)
{
    const struct page *page = map->pages.first;
    uint64_t before = first;
    for (; page && before >= page->iterations; page = page->next)
        before -= page->iterations;
    *cursor = (struct itermap_cursor){.map = map, .at = first};
    reader_start(&cursor->reader, page);
    while (page && before > 0 && reader_more(&cursor->reader)) {
        uint64_t count = before < cursor->reader.left ? before : cursor->reader.left;
        reader_skip(&cursor->reader, count);
        before -= count;
    }
}

/* The number of next iterations in pages that have the same label; 0 if there are none. */
static uint64_t next_in_pages(struct page_reader *reader, uint32_t *label)
{
    while (reader->page && !reader_more(reader))
        reader_start(reader, reader->page->next);
    if (!reader->page)
        return 0;
    *label = reader_label(reader);
    uint64_t count = reader->cycle == 1 ? reader->left : 1;
    reader_skip(reader, count);
    return count;
}

/*
 * The number of next iterations that have the same label and are in no page yet, from iteration
 * SINCE on.
 */
static uint64_t next_in_tail(const struct itermap *map, uint64_t since, uint32_t *label)
{
    const struct map_writer *tail = &map->tail;
    uint64_t length = tail->length, count = tail->count;
    if (since < length) {
        uint64_t back = (length - since + count) % tail->period;
        *label = tail->pattern[(tail->phase + tail->period - back) % tail->period];
        return tail->period == 1 ? length - since : 1;
    }
    since -= length;
    if (since < count) {
        *label = tail->block[since];
        return 1;
    }
    since -= count;
    *label = LABEL_UNMAPPED;
    return since < map->waiting ? map->waiting - since : 0;
}

static uint64_t next_piece(struct itermap_cursor *cursor, uint32_t *owner)
{
    const struct itermap *map = cursor->map;
    uint64_t paged = map->iterations - map->waiting - map->tail.length - map->tail.count;
    uint32_t label = LABEL_UNMAPPED;
    uint64_t count = next_in_pages(&cursor->reader, &label);
    if (count == 0 && cursor->at < map->iterations)
        count = next_in_tail(map, cursor->at - paged, &label);
    if (count > 0)
        *owner = labels_at(&map->labels, labels_root(&map->labels, label))->link;
    return count;
}

bool itermap_next(struct itermap_cursor *cursor, struct itermap_run *run)
{
    struct itermap_cursor ahead = *cursor;
    uint32_t owner = ITERMAP_NONE;
    uint64_t count;
    run->first = cursor->at;
    run->length = 0;
    while ((count = next_piece(&ahead, &owner)) > 0) {
        if (run->length == 0)
            run->owner = owner;
        if (owner != run->owner)
            break;
        run->length += count;
        ahead.at += count;
        *cursor = ahead;
    }
    return run->length > 0;
}

uint32_t itermap_owner(const struct itermap *map, uint64_t iteration)
{
    struct itermap_cursor cursor;
    uint32_t owner = ITERMAP_NONE;
    itermap_start(map, &cursor, iteration);
    next_piece(&cursor, &owner);
    return owner;
}

void itermap_save(const struct itermap *map, const struct itermap_names *names,
                  struct encoder *out)
{
    const struct map_saving saving = {.labels = &map->labels, .names = names, .out = out};
    for (const struct page *page = map->pages.first; page; page = page->next)
        mapsaving_page(&saving, page);
    mapsaving_tail(&saving, &map->tail, map->waiting);
    mapsaving_end(&saving);
}
