/*
 * Memory of the command.  Running out ends the command with a message and status 1: a tool that
 * reads a file has nothing better to do.  Never to be used in the runtime.
 */
#ifndef TSPROF_MEMORY_H
#define TSPROF_MEMORY_H

#include "common/index.h"

#include <stddef.h>

/* Ends the command with a message. */
_Noreturn void out_of_memory(void);

/* COUNT items of SIZE bytes, all zero, never NULL; give back with free(). */
void *allocate(size_t count, size_t size);

/* MEMORY (from allocate, or NULL) with room for COUNT items; new room is not cleared. */
void *reallocate(void *memory, size_t count, size_t size);

/* Makes room for THINGS in INDEX, as index_reserve does. */
void reserve_index(struct index *index, size_t things);

/* Memory that is given back all at once.  Start from all zeros. */
struct memory_pool {
    struct memory_block *blocks;
};

/* COUNT items of SIZE bytes, all zero, aligned for any type; lives until memory_pool_free. */
void *memory_pool_allocate(struct memory_pool *pool, size_t count, size_t size);
/* A terminated copy of LENGTH bytes. */
const char *memory_pool_copy(struct memory_pool *pool, const char *bytes, size_t length);
void memory_pool_free(struct memory_pool *pool);

#endif
