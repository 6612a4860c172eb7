/*
 * A memory source for programs in which a clustering may simply use malloc: benchmarks, tests.
 */
#ifndef TSPROF_PLAIN_MEMORY_H
#define TSPROF_PLAIN_MEMORY_H

#include <stdlib.h>

#include "compress/clustering.h"

static inline void *plain_memory_take(void *context, size_t bytes)
{
    (void)context;
    return malloc(bytes);
}

static inline void plain_memory_release(void *context, void *memory, size_t bytes)
{
    (void)context;
    (void)bytes;
    free(memory);
}

static inline struct memory_source plain_memory(void)
{
    return (struct memory_source){plain_memory_take, plain_memory_release, NULL};
}

#endif
