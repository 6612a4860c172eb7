/*
 * What was decided for each function: whether it is left out.  A table that threads read
 * without a lock, and that one of them at a time changes.
 */
#ifndef TSPROF_DECISIONS_H
#define TSPROF_DECISIONS_H

#include "host/host.h"

#include <stdbool.h>
#include <stdint.h>

enum decision { DECISION_NONE, DECISION_KEPT, DECISION_LEFT_OUT };

/*
 * Open addressing; at most half of it is used.  A place holds a function's address, shifted by
 * one, and 1 more if it is left out.
 */
struct decisions {
    uint32_t last; /* the number of the last place; the number of places is a power of two */
    uint32_t used; /* places that were ever used */
    uint64_t places[];
};

/* A table with room for FUNCTIONS at least, in ARENA; NULL if there is no memory. */
struct decisions *decisions_create(struct arena *arena, size_t functions);

static inline const uint64_t *decisions_home_async(const struct decisions *decisions,
                                                   uintptr_t function)
{
    return &decisions->places[(uint32_t)(function * UINT64_C(0x9E3779B97F4A7C15) >> 32) &
                              decisions->last];
}

/* What a place holds for FUNCTION. */
static inline uint64_t decisions_word(uintptr_t function, bool left_out)
{
    return (uint64_t)function << 1 | left_out;
}

/* What was decided for FUNCTION.  Any thread, any context. */
enum decision decisions_find_async(const struct decisions *decisions, uintptr_t function);

/*
 * Adds the decision for FUNCTION, for which there is none.  False, without a change, if there
 * is no room.  One thread at a time, as what follows.
 */
bool decisions_add(struct decisions *decisions, uintptr_t function, bool left_out);

/* Forgets the functions from LOW up to HIGH, which do not run any more. */
void decisions_forget(struct decisions *decisions, uintptr_t low, uintptr_t high);

/* A copy with room for twice as many, in ARENA; NULL without memory. */
struct decisions *decisions_enlarge(const struct decisions *decisions, struct arena *arena);

#endif
