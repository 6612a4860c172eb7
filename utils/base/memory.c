/* Memory allocation that cannot fail.  See memory.h. */
#include "base/memory.h"

#include "base/error.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES ((size_t)64 << 10)
#define ALIGNMENT   _Alignof(max_align_t)

struct memory_block {
    struct memory_block *next;
    size_t used, size; /* of `bytes` */
    max_align_t bytes[];
};

void out_of_memory(void)
{
    /* Not complain(), which allocates memory. */
    fputs("tsprof: out of memory\n", stderr);
    exit(EXIT_DATA);
}

static size_t total_bytes(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX)
        out_of_memory();
    return bytes ? bytes : 1;
}

void *allocate(size_t count, size_t size)
{
    void *memory = calloc(1, total_bytes(count, size));
    if (!memory)
        out_of_memory();
    return memory;
}

void *reallocate(void *memory, size_t count, size_t size)
{
    void *moved = realloc(memory, total_bytes(count, size));
    if (!moved)
        out_of_memory();
    return moved;
}

void *grow_list(void *list, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return list;
    *room = *room ? 2 * *room : 16;
    return reallocate(list, *room, size);
}

void reserve_index(struct index *index, size_t things)
{
    if (!index_reserve(index, things))
        out_of_memory();
}

static struct memory_block *add_block(struct memory_pool *pool, size_t bytes)
{
    size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    struct memory_block *block = allocate(1, sizeof *block + size);
    block->size = size;
    block->next = pool->blocks;
    pool->blocks = block;
    return block;
}

void *memory_pool_allocate(struct memory_pool *pool, size_t count, size_t size)
{
    size_t bytes = (total_bytes(count, size) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct memory_block *block = pool->blocks;
    if (!block || block->size - block->used < bytes)
        block = add_block(pool, bytes);
    void *memory = (char *)block->bytes + block->used;
    block->used += bytes;
    return memory;
}

const char *memory_pool_copy(struct memory_pool *pool, const char *bytes, size_t length)
{
    char *copy = memory_pool_allocate(pool, length + 1, 1);
    memcpy(copy, bytes, length);
    return copy;
}

void memory_pool_free(struct memory_pool *pool)
{
    while (pool->blocks) {
        struct memory_block *next = pool->blocks->next;
        free(pool->blocks);
        pool->blocks = next;
    }
}
