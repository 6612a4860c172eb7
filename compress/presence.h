/*
 * Presence: in how many iterations of a cluster each call path occurred, exactly.
 *
 * For files in compress only.  A presence owns one block of memory: the call paths, and behind
 * them the numbers, which are there only once some call path was missing in some iteration.
 * Memory for it is never worth an iteration: if there is none, presence is unknown from then on
 * and takes no memory any more.
 */
#ifndef TSPROF_PRESENCE_H
#define TSPROF_PRESENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compress/account.h"

/* All zeros: nothing occurred. */
struct presence {
    uint32_t *paths;  /* strictly ascending */
    uint32_t *counts; /* for each of them; NULL: they occurred in every iteration */
    uint32_t count;
    uint32_t capacity; /* call paths that fit without new memory */
    bool unknown;
};

/* The most bytes that the presence of one iteration with COUNT call paths takes. */
size_t presence_bytes(size_t count);

/* Initialises *PRESENCE, whatever it held, with the COUNT call paths of one iteration. */
void presence_start(struct presence *presence, struct account *account,
                    const struct path_entry *paths, size_t count);

/* Adds one iteration to PRESENCE, which is of SIZE others. */
void presence_add(struct presence *presence, struct account *account, uint32_t size,
                  const struct path_entry *paths, size_t count);

/* Adds OTHER, of OTHER_SIZE iterations, to PRESENCE, of SIZE; OTHER stays as it is. */
void presence_merge(struct presence *presence, struct account *account, uint32_t size,
                    const struct presence *other, uint32_t other_size);

/* Frees the memory. */
void presence_clear(struct presence *presence, struct account *account);

#endif
