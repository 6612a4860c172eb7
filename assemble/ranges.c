/* See ranges.h. */
#include "assemble/ranges.h"

#include <stdlib.h>

enum { CAPACITY_FIRST = 64 };

bool ranges_add(struct ranges *ranges, uint64_t begin, uint64_t end, uint32_t number)
{
    if (ranges->count == ranges->capacity) {
        size_t capacity = ranges->capacity ? 2 * ranges->capacity : CAPACITY_FIRST;
        struct range *grown = reallocarray(ranges->items, capacity, sizeof *grown);
        if (!grown)
            return false;
        ranges->items = grown;
        ranges->capacity = capacity;
    }
    ranges->items[ranges->count++] = (struct range){begin, end, number};
    return true;
}

static int compare_begins(const void *a, const void *b)
{
    const struct range *left = a, *right = b;
    return left->begin < right->begin ? -1 : left->begin > right->begin;
}

bool ranges_sort(struct ranges *ranges)
{
    uint64_t reach = 0;
    ranges->reach = calloc(ranges->count ? ranges->count : 1, sizeof *ranges->reach);
    if (!ranges->reach)
        return false;
    if (ranges->count)
        qsort(ranges->items, ranges->count, sizeof *ranges->items, compare_begins);
    for (size_t i = 0; i < ranges->count; i++) {
        if (ranges->items[i].end > reach)
            reach = ranges->items[i].end;
        ranges->reach[i] = reach;
    }
    return true;
}

/* The number of ranges that begin at ADDRESS or before. */
static size_t begun_at(const struct ranges *ranges, uint64_t address)
{
    size_t from = 0, to = ranges->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (ranges->items[middle].begin <= address)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left < right ? -1 : left > right;
}

size_t ranges_find(const struct ranges *ranges, uint64_t address, uint32_t *found, size_t most)
{
    size_t count = 0;
    for (size_t i = begun_at(ranges, address); i-- > 0 && ranges->reach[i] > address;)
        if (ranges->items[i].end > address && count++ < most)
            found[count - 1] = ranges->items[i].number;
    size_t filled = count < most ? count : most;
    if (filled > 1)
        qsort(found, filled, sizeof *found, compare_numbers);
    return count;
}

void ranges_free(struct ranges *ranges)
{
    free(ranges->items);
    free(ranges->reach);
    *ranges = (struct ranges){0};
}
