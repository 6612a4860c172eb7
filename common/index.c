/* See index.h. */
#include "common/index.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_FIRST = 16 };

/* Enters a thing that is not there yet. */
static void enter(struct index *index, struct index_slot slot)
{
    size_t at = slot.hash & index->mask;
    while (index->slots[at].number)
        at = (at + 1) & index->mask;
    index->slots[at] = slot;
}

bool index_reserve(struct index *index, size_t things)
{
    size_t size = index->slots ? index->mask + 1 : 0, room = size ? size : SLOTS_FIRST;
    while (room / 2 < things)
        room *= 2;
    if (room == size)
        return true;
    struct index grown = {calloc(room, sizeof *grown.slots), room - 1};
    if (!grown.slots)
        return false;
    for (size_t i = 0; i < size; i++)
        if (index->slots[i].number)
            enter(&grown, index->slots[i]);
    free(index->slots);
    *index = grown;
    return true;
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

uint64_t index_hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * UINT64_C(1099511628211);
    return index_hash_number(hash, size);
}

uint64_t index_hash_text(uint64_t hash, const char *text)
{
    return index_hash_bytes(hash, text, strlen(text));
}

uint32_t *index_slot(const struct index *index, uint64_t hash,
                     bool (*is_same)(const void *context, uint32_t thing), const void *context)
{
    size_t at = (uint32_t)hash & index->mask;
    for (;; at = (at + 1) & index->mask) {
        struct index_slot *slot = &index->slots[at];
        if (slot->number == 0) {
            slot->hash = (uint32_t)hash;
            return &slot->number;
        }
        if (slot->hash == (uint32_t)hash && is_same(context, slot->number - 1))
            return &slot->number;
    }
}
