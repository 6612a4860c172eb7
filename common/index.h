/*
 * A hash table of the numbers of things that the caller keeps: finds the one that is like
 * another.  Open addressing, never more than half full.
 *
 * Program context; memory from malloc.  The number of a thing fits into 32 bits and is not
 * UINT32_MAX.
 */
#ifndef TSPROF_INDEX_H
#define TSPROF_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct index_slot {
    uint32_t number; /* of a thing, plus 1; 0: the slot is free */
    uint32_t hash;
};

/* Start from all zeros; end with index_free. */
struct index {
    struct index_slot *slots;
    size_t mask; /* slots - 1 */
};

/*
 * Makes room for THINGS in all, those that are there included.  False without memory; then the
 * index is what it was.  Slots found before move.
 */
bool index_reserve(struct index *index, size_t things);
void index_free(struct index *index);

/* Begin a hash with INDEX_HASH and mix in what makes a thing, one after the other. */
#define INDEX_HASH UINT64_C(14695981039346656037)
uint64_t index_hash_number(uint64_t hash, uint64_t number);
uint64_t index_hash_text(uint64_t hash, const char *text);
uint64_t index_hash_bytes(uint64_t hash, const void *bytes, size_t size);

/*
 * Finds the thing with HASH for which IS_SAME(CONTEXT, thing) is true.  Returns where its
 * number plus 1 stands, or a 0 if there is none: a caller that adds the thing enters its number
 * plus 1 there.  Room for it must have been reserved.
 */
uint32_t *index_slot(const struct index *index, uint64_t hash,
                     bool (*is_same)(const void *context, uint32_t thing), const void *context);

#endif
