/*
 * Memory of a map from iterations to clusters: an account with a bound.
 *
 * For itermap.c and the files that it is built from.
 */
#ifndef TSPROF_MAPMEMORY_H
#define TSPROF_MAPMEMORY_H

#include <stddef.h>

#include "compress/account.h"

struct map_memory {
    struct account *account;
    size_t held;  /* bytes */
    size_t bound; /* bytes that may be held */
};

/* Bytes that may still be taken. */
static inline size_t map_memory_left(const struct map_memory *memory)
{
    return memory->held < memory->bound ? memory->bound - memory->held : 0;
}

/* As account_take; also NULL where the bound would be exceeded. */
static inline void *map_memory_take(struct map_memory *memory, size_t bytes)
{
    void *taken = bytes > map_memory_left(memory) ? NULL : account_take(memory->account, bytes);
    if (taken)
        memory->held += bytes;
    return taken;
}

static inline void map_memory_give_back(struct map_memory *memory, void *taken, size_t bytes)
{
    if (!taken)
        return;
    account_give_back(memory->account, taken, bytes);
    memory->held -= bytes;
}

#endif
