/* See chunks.h. */
#include "trace/chunks.h"

#include "host/host.h"
#include "trace/chunk_file.h"

enum {
    /*
     * Chunks that a store gets at a time: making their place in the file takes some 20 us.  The
     * fewer are left, the fewer it gets, so that those of many threads all get some.
     */
    HANDFUL = 16,
    HANDFULS_LEFT = 32,
    /* The last part of all is for stores that have FEW: threads that come late. */
    RESERVED_PART = 16,
    FEW = 4
};

static struct arena arena, link_arena;
static struct chunk_links *links;
static uint32_t most, given;

bool chunks_start(size_t bytes)
{
    most = (uint32_t)(bytes / EVENT_CHUNK_BYTES);
    given = 0;
    if (arena_create_async(&arena, EVENT_FILE_CHUNKS_AT + (size_t)most * EVENT_CHUNK_BYTES) !=
            0 ||
        arena_create_async(&link_arena, (size_t)most * sizeof *links) != 0)
        most = 0;
    links = (void *)link_arena.base;
    return most > 0;
}

struct event_chunk *chunk_at_async(uint32_t number)
{
    return (void *)(arena.base + EVENT_FILE_CHUNKS_AT + (size_t)number * EVENT_CHUNK_BYTES);
}

struct chunk_links *chunk_links_async(uint32_t number)
{
    return &links[number];
}

struct event_series *chunk_series_async(unsigned thread)
{
    struct event_series *series = (void *)(arena.base + EVENT_FILE_SERIES_AT);
    return thread < EVENT_FILE_THREADS ? &series[thread * EVENT_FILE_SERIES] : NULL;
}

struct event_lost *chunk_lost_async(unsigned thread)
{
    struct event_lost *lost = (void *)(arena.base + EVENT_FILE_LOST_AT);
    return thread < EVENT_FILE_THREADS ? &lost[thread * EVENT_FILE_SERIES] : NULL;
}

int64_t *chunk_ended_async(unsigned thread)
{
    int64_t *ended = (void *)(arena.base + EVENT_FILE_ENDED_AT);
    return thread < EVENT_FILE_THREADS ? &ended[thread] : NULL;
}

uint32_t chunks_count_async(void)
{
    return __atomic_load_n(&given, __ATOMIC_RELAXED);
}

char *chunks_image_async(void)
{
    return arena.base;
}

size_t chunks_image_bytes_async(void)
{
    return EVENT_FILE_CHUNKS_AT + (size_t)chunks_count_async() * EVENT_CHUNK_BYTES;
}

static uint32_t handful_async(uint32_t left)
{
    const uint32_t part = left / HANDFULS_LEFT;
    return part > HANDFUL ? HANDFUL : part > 0 ? part : 1;
}

/* Gets chunks for STORE that nobody has used; false if there are none. */
static bool restock_async(struct chunk_store *store)
{
    const uint32_t limit = store->got < FEW ? most : most - most / RESERVED_PART;
    uint32_t first = __atomic_load_n(&given, __ATOMIC_RELAXED), end;
    do {
        if (first >= limit)
            return false;
        end = first + handful_async(limit - first);
    } while (!__atomic_compare_exchange_n(&given, &first, end, true, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    store->fresh = first;
    store->end = end;
    store->got += end - first;
    chunk_file_reach_async((char *)chunk_at_async(first), (char *)chunk_at_async(end));
    return true;
}

uint32_t chunk_take_async(struct chunk_store *store)
{
    if (store->free) {
        const uint32_t number = store->free - 1;
        store->free = links[number].newer;
        return number;
    }
    if (store->fresh == store->end && !restock_async(store))
        return CHUNK_NONE;
    return store->fresh++;
}

void chunk_give_back_async(struct chunk_store *store, uint32_t number)
{
    chunk_at_async(number)->owner = EVENT_STREAM_NONE;
    links[number].newer = store->free;
    store->free = number + 1;
}
