/*
 * Ranges of addresses, which may overlap, each with a number.  Finds the ranges that hold an
 * address by binary search, without visiting all, unless some range spans most of the others.
 * Any context in which malloc may be used.
 */
#ifndef TSPROF_RANGES_H
#define TSPROF_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct range {
    uint64_t begin;
    uint64_t end; /* one past the last address */
    uint32_t number;
};

struct ranges {
    struct range *items;
    uint64_t *reach; /* highest end up to and including this one, once sorted */
    size_t count;
    size_t capacity;
};

/* Adds a range with NUMBER; false if out of memory. */
bool ranges_add(struct ranges *ranges, uint64_t begin, uint64_t end, uint32_t number);

/*
 * Prepares for ranges_find.  To be called once, after all ranges have been added; false if
 * out of memory.
 */
bool ranges_sort(struct ranges *ranges);

/*
 * Fills FOUND with the numbers of the ranges that hold ADDRESS, ascending.  Returns how many
 * there are.  If there are more than MOST, those that begin first are missing.
 */
size_t ranges_find(const struct ranges *ranges, uint64_t address, uint32_t *found, size_t most);

/* Frees the memory, and leaves RANGES empty. */
void ranges_free(struct ranges *ranges);

#endif
