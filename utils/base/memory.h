/*
 * Memory allocation for the command.  If memory runs out, the command ends with a message and
 * status 1: a tool that reads a file can do nothing better.  The runtime must never use this.
 */
#ifndef TSPROF_MEMORY_H
#define TSPROF_MEMORY_H

#include "common/index.h"

#include <stddef.h>

/* Ends the command with a message and EXIT_DATA. */
_Noreturn void out_of_memory(void);

/* Allocates COUNT items of SIZE bytes, all zero.  Never NULL; release with free(). */
void *allocate(size_t count, size_t size);

/* Resizes MEMORY (from allocate, or NULL) to COUNT items of SIZE bytes; new ones are not
 * cleared. */
void *reallocate(void *memory, size_t count, size_t size);

/* LIST (from allocate, or NULL) with room for one more item of SIZE bytes behind the first
 * COUNT; *ROOM is in items. */
void *grow_list(void *list, size_t count, size_t *room, size_t size);

/* As index_reserve, but ends the command if there is no memory. */
void reserve_index(struct index *index, size_t things);

/* Memory that is released all at once.  Start from all zeros. */
struct memory_pool {
    struct memory_block *blocks;
};

/* Allocates COUNT items of SIZE bytes, all zero, aligned for any type.  They live until
 * memory_pool_free. */
void *memory_pool_allocate(struct memory_pool *pool, size_t count, size_t size);
/* A copy of LENGTH bytes, with a NUL appended; lives until memory_pool_free. */
const char *memory_pool_copy(struct memory_pool *pool, const char *bytes, size_t length);
void memory_pool_free(struct memory_pool *pool);

#endif
