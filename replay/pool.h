/* Things of one size, which stay where they are and are used again once they were given back.
 */
#ifndef TSPROF_REPLAY_POOL_H
#define TSPROF_REPLAY_POOL_H

#include <stddef.h>

struct pool {
    size_t size; /* of a thing, in bytes; set by the user before the first is taken */
    struct pool_item *free;
    struct pool_block *blocks;
};

/* A thing, all zero; NULL if out of memory. */
void *items_take(struct pool *pool);
void items_give(struct pool *pool, void *item);
/* Frees all of them at once. */
void items_free(struct pool *pool);

#endif
