/*
 * A hash table of numbers of things that the caller keeps: finds the one that is like another.
 * Open addressing, never more than half full.
 */
#ifndef TSPROF_INDEX_H
#define TSPROF_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct index {
    uint32_t *slots; /* thing + 1; 0: free */
    size_t mask;
};

/* Room for at most ENTRIES things.  For index_free. */
struct index index_create(size_t entries);
void index_free(struct index *index);

/* Begin a hash with INDEX_HASH and mix in what makes a thing, one after the other. */
#define INDEX_HASH UINT64_C(14695981039346656037)
uint64_t index_hash_number(uint64_t hash, uint64_t number);
uint64_t index_hash_text(uint64_t hash, const char *text);

/*
 * The slot of the thing with HASH for which IS_SAME(CONTEXT, thing) is true; or, with 0 in it,
 * the one where such a thing belongs: the caller enters its number + 1.
 */
uint32_t *index_slot(const struct index *index, uint64_t hash,
                     bool (*is_same)(const void *context, uint32_t thing), const void *context);

#endif
