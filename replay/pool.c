/* See pool.h. */
#include "replay/pool.h"

#include <stdlib.h>
#include <string.h>

enum { ITEMS_AT_ONCE = 128, ALIGNMENT = sizeof(max_align_t) };

struct pool_item {
    struct pool_item *next;
};

struct pool_block {
    struct pool_block *next;
    max_align_t items[];
};

static size_t rounded(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void grow(struct pool *pool)
{
    const size_t size = rounded(pool->size);
    struct pool_block *block = malloc(sizeof *block + ITEMS_AT_ONCE * size);
    if (!block)
        return;
    block->next = pool->blocks;
    pool->blocks = block;
    for (size_t i = 0; i < ITEMS_AT_ONCE; i++)
        items_give(pool, (char *)block->items + i * size);
}

void *items_take(struct pool *pool)
{
    if (!pool->free)
        grow(pool);
    struct pool_item *item = pool->free;
    if (!item)
        return NULL;
    pool->free = item->next;
    return memset(item, 0, pool->size);
}

void items_give(struct pool *pool, void *item)
{
    struct pool_item *given = item;
    given->next = pool->free;
    pool->free = given;
}

void items_free(struct pool *pool)
{
    while (pool->blocks) {
        struct pool_block *next = pool->blocks->next;
        free(pool->blocks);
        pool->blocks = next;
    }
    pool->free = NULL;
}
