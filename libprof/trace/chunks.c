/* See chunks.h. */
#include "trace/chunks.h"

#include "host/host.h"

enum { HANDFUL = 64 /* chunks that a store gets at a time */ };

static struct arena arena;
static uint32_t most, given;

bool chunks_start(size_t bytes)
{
    most = (uint32_t)(bytes / EVENT_CHUNK_BYTES);
    given = 0;
    if (arena_create_async(&arena, (size_t)most * EVENT_CHUNK_BYTES) != 0)
        most = 0;
    return most > 0;
}

struct event_chunk *chunk_at_async(uint32_t number)
{
    return (void *)(arena.base + (size_t)number * EVENT_CHUNK_BYTES);
}

uint32_t chunks_count_async(void)
{
    const uint32_t count = __atomic_load_n(&given, __ATOMIC_RELAXED);
    return count < most ? count : most;
}

size_t chunks_bytes_async(void)
{
    return (size_t)chunks_count_async() * EVENT_CHUNK_BYTES;
}

/* Gets chunks for STORE that nobody has used; false if there are none. */
static bool restock_async(struct chunk_store *store)
{
    if (chunks_count_async() == most)
        return false;
    const uint32_t first = __atomic_fetch_add(&given, HANDFUL, __ATOMIC_RELAXED);
    if (first >= most) {
        __atomic_store_n(&given, most, __ATOMIC_RELAXED);
        return false;
    }
    store->fresh = first;
    store->end = most - first < HANDFUL ? most : first + HANDFUL;
    return true;
}

uint32_t chunk_take_async(struct chunk_store *store)
{
    if (store->free) {
        const uint32_t number = store->free - 1;
        store->free = chunk_at_async(number)->newer;
        return number;
    }
    if (store->fresh == store->end && !restock_async(store))
        return CHUNK_NONE;
    return store->fresh++;
}

void chunk_give_back_async(struct chunk_store *store, uint32_t number)
{
    struct event_chunk *chunk = chunk_at_async(number);
    chunk->owner = EVENT_STREAM_NONE;
    chunk->newer = store->free;
    store->free = number + 1;
}
