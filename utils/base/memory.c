/* Memory that is there or ends the command.  See memory.h. */
#include "base/memory.h"

#include "base/error.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES ((size_t)64 << 10)
#define ALIGNMENT   _Alignof(max_align_t)

struct pool_block {
    struct pool_block *next;
    size_t used, size; /* of what follows the block's header */
    max_align_t bytes[];
};

void out_of_memory(void)
{
    /* Not complain(), which takes memory. */
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

static struct pool_block *add_block(struct pool *pool, size_t bytes)
{
    size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    struct pool_block *block = allocate(1, sizeof *block + size);
    block->size = size;
    block->next = pool->blocks;
    pool->blocks = block;
    return block;
}

void *pool_allocate(struct pool *pool, size_t count, size_t size)
{
    size_t bytes = (total_bytes(count, size) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct pool_block *block = pool->blocks;
    if (!block || block->size - block->used < bytes)
        block = add_block(pool, bytes);
    void *memory = (char *)block->bytes + block->used;
    block->used += bytes;
    return memory;
}

const char *pool_copy(struct pool *pool, const char *bytes, size_t length)
{
    char *copy = pool_allocate(pool, length + 1, 1);
    memcpy(copy, bytes, length);
    return copy;
}

void pool_free(struct pool *pool)
{
    while (pool->blocks) {
        struct pool_block *next = pool->blocks->next;
        free(pool->blocks);
        pool->blocks = next;
    }
}
