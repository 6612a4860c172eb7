/*
 * Hash tables by addresses of code, in which what is known of neighbouring addresses lies in
 * the same page of memory: a table has room for large programs, and of small ones, or while a
 * program does one thing, few of its pages are ever touched.  The first touch of a page takes
 * as long as thousands of instructions.  Any context.
 */
#ifndef TSPROF_NEARBY_H
#define TSPROF_NEARBY_H

#include <stddef.h>
#include <stdint.h>

/* A table. */
struct nearby {
    size_t groups;   /* of entries, */
    size_t each;     /* of so many, about a page */
    unsigned region; /* each 2^region bytes of code share a group */
};

static inline uint64_t nearby_mix(uint64_t value)
{
    return value * UINT64_C(0x9E3779B97F4A7C15) >> 32;
}

/*
 * The entry of TABLE where one with KEY, which is about code at ADDRESS, is to be looked for
 * first.
 */
static inline size_t nearby_first(const struct nearby *table, uintptr_t address, uint64_t key)
{
    return nearby_mix(address >> table->region) % table->groups * table->each +
           nearby_mix(key) % table->each;
}

#endif
