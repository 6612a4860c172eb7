/*
 * A hash table that finds a thing by its content.  The caller keeps the things and numbers
 * them; the table holds the numbers.  Open addressing, at most half full.
 *
 * Program context; memory from malloc.  A number fits into 32 bits and is not UINT32_MAX.
 */
#ifndef TSPROF_INDEX_H
#define TSPROF_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct index_slot {
    uint32_t number; /* number of the thing, plus 1; 0: the slot is free */
    uint32_t hash;
};

/* Start from all zeros; end with index_free. */
struct index {
    struct index_slot *slots;
    size_t mask; /* slots - 1 */
};

/*
 * Makes room for THINGS in all, including those already there.  False if out of memory; then
 * the index is unchanged.  Invalidates what index_slot has returned.
 */
bool index_reserve(struct index *index, size_t things);
void index_free(struct index *index);

/*
 * Start a hash with INDEX_HASH, and mix in everything that identifies a thing, one after the
 * other.
 */
#define INDEX_HASH UINT64_C(14695981039346656037)
uint64_t index_hash_number(uint64_t hash, uint64_t number);
uint64_t index_hash_text(uint64_t hash, const char *text);
uint64_t index_hash_bytes(uint64_t hash, const void *bytes, size_t size);

/*
 * Finds the thing with HASH for which IS_SAME(CONTEXT, thing) is true.  Returns a pointer to
 * its number plus 1, or, if there is no such thing, to a 0: a caller that adds the thing stores
 * its number plus 1 there, and must have reserved room for it.
 */
uint32_t *index_slot(const struct index *index, uint64_t hash,
                     bool (*is_same)(const void *context, uint32_t thing), const void *context);

#endif
