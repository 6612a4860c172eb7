/* See index.h. */
#include "base/index.h"

#include "base/memory.h"

#include <stdlib.h>

struct index index_create(size_t entries)
{
    size_t size = 16;
    while (size / 2 < entries)
        size *= 2;
    return (struct index){allocate(size, sizeof(uint32_t)), size - 1};
}

void index_free(struct index *index)
{
    free(index->slots);
    *index = (struct index){0};
}

uint64_t index_hash_number(uint64_t hash, uint64_t number)
{
    hash = (hash ^ number) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

uint64_t index_hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return index_hash_number(hash, 0);
}

uint32_t *index_slot(const struct index *index, uint64_t hash,
                     bool (*is_same)(const void *context, uint32_t thing), const void *context)
{
    size_t at = (size_t)hash & index->mask;
    while (index->slots[at] != 0 && !is_same(context, index->slots[at] - 1))
        at = (at + 1) & index->mask;
    return &index->slots[at];
}
