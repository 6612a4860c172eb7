/*
 * Ranges of addresses, which may overlap, and whose they are: which of them hold an address is
 * found without looking at all, unless some span most of the others.  Any context that may use
 * malloc.
 */
#ifndef TSPROF_RANGES_H
#define TSPROF_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct range {
    uint64_t begin;
    uint64_t end; /* behind it */
    uint32_t number;
};

struct ranges {
    struct range *items;
    uint64_t *reach; /* the highest end of this one and those before it, once sorted */
    size_t count;
    size_t capacity;
};

/* Adds one, of NUMBER; false when there is no memory. */
bool ranges_add(struct ranges *ranges, uint64_t begin, uint64_t end, uint32_t number);

/* Once, after all have been added and before any is looked for; false when there is no memory.
 */
bool ranges_sort(struct ranges *ranges);

/*
 * Fills FOUND with the numbers of the ranges that hold ADDRESS, ascending.  Returns how many
 * there are; of more than MOST those that begin first are missing.
 */
size_t ranges_find(const struct ranges *ranges, uint64_t address, uint32_t *found, size_t most);

/* Leaves it as one to which none was added. */
void ranges_free(struct ranges *ranges);

#endif
