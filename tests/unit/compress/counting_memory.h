/*
 * A memory source for tests of compress/: counts what is held, checks that blocks come back
 * with the size they were taken with, and fails on demand.
 */
#ifndef TSPROF_COUNTING_MEMORY_H
#define TSPROF_COUNTING_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compress/clustering.h"

#define COUNTING_HEAD 16 /* before each block: its size */

struct counting_memory {
    size_t held; /* bytes */
    uint64_t requests;
    uint64_t failures;
    uint64_t fail_from;   /* the first request that fails, counted from 1; 0: none */
    uint64_t fail_to;     /* the last one */
    size_t limit;         /* requests fail that would make it hold more bytes; 0: none do */
    uint32_t fail_one_in; /* of so many requests one fails at random; 0: none does */
    uint64_t random;      /* the state of that chance, any number at first */
    bool wrong_size;      /* a block came back with another size */
};

static inline bool counting_fails(struct counting_memory *memory, size_t bytes)
{
    uint64_t request = ++memory->requests;
    memory->random = memory->random * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (memory->fail_from && request >= memory->fail_from && request <= memory->fail_to) ||
           (memory->limit && memory->held + bytes > memory->limit) ||
           (memory->fail_one_in && (memory->random >> 33) % memory->fail_one_in == 0);
}

static inline void *counting_allocate(void *context, size_t bytes)
{
    struct counting_memory *memory = context;
    if (counting_fails(memory, bytes)) {
        memory->failures++;
        return NULL;
    }
    char *block = malloc(COUNTING_HEAD + bytes);
    memcpy(block, &bytes, sizeof(bytes));
    memset(block + COUNTING_HEAD, 0xa5, bytes); /* nobody may rely on zeroes */
    memory->held += bytes;
    return block + COUNTING_HEAD;
}

static inline void counting_release(void *context, void *released, size_t bytes)
{
    struct counting_memory *memory = context;
    char *block = (char *)released - COUNTING_HEAD;
    size_t taken;
    memcpy(&taken, block, sizeof(taken));
    memory->wrong_size |= taken != bytes;
    memory->held -= taken;
    free(block);
}

static inline struct memory_source counting_source(struct counting_memory *memory)
{
    return (struct memory_source){counting_allocate, counting_release, memory};
}

#endif
