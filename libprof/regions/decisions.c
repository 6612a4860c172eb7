/* See decisions.h. */
#include "regions/decisions.h"

/* A place whose function was forgotten: searches go on behind it.  No code is at address 0. */
enum { PLACE_FREE = 0, PLACE_GONE = 1 };

enum { PLACES_LEAST = 64 };

struct decisions *decisions_create(struct arena *arena, size_t functions)
{
    size_t count = PLACES_LEAST;
    while (count < 2 * functions)
        count *= 2;
    const size_t bytes = sizeof(struct decisions) + sizeof(uint64_t) * count;
    if (!budget_draw_async(bytes))
        return NULL;
    struct decisions *decisions = arena_take_async(arena, bytes);
    if (decisions)
        decisions->last = (uint32_t)count - 1;
    else
        budget_return_async(bytes);
    return decisions;
}

static uint32_t home_of(const struct decisions *decisions, uintptr_t function)
{
    return (uint32_t)(decisions_home_async(decisions, function) - decisions->places);
}

enum decision decisions_find_async(const struct decisions *decisions, uintptr_t function)
{
    for (uint32_t i = home_of(decisions, function);; i = (i + 1) & decisions->last) {
        const uint64_t word = __atomic_load_n(&decisions->places[i], __ATOMIC_RELAXED);
        if (word == PLACE_FREE)
            return DECISION_NONE;
        if (word == decisions_word(function, false))
            return DECISION_KEPT;
        if (word == decisions_word(function, true))
            return DECISION_LEFT_OUT;
    }
}

bool decisions_add(struct decisions *decisions, uintptr_t function, bool left_out)
{
    uint32_t i = home_of(decisions, function);
    while (decisions->places[i] > PLACE_GONE)
        i = (i + 1) & decisions->last;
    if (decisions->places[i] == PLACE_FREE) {
        if (decisions->used > decisions->last / 2)
            return false;
        decisions->used++;
    }
    __atomic_store_n(&decisions->places[i], decisions_word(function, left_out),
                     __ATOMIC_RELAXED);
    return true;
}

void decisions_forget(struct decisions *decisions, uintptr_t low, uintptr_t high)
{
    for (size_t i = 0; i <= decisions->last; i++) {
        const uintptr_t function = (uintptr_t)(decisions->places[i] >> 1);
        if (decisions->places[i] > PLACE_GONE && function >= low && function < high)
            __atomic_store_n(&decisions->places[i], PLACE_GONE, __ATOMIC_RELAXED);
    }
}

struct decisions *decisions_enlarge(const struct decisions *decisions, struct arena *arena)
{
    struct decisions *larger = decisions_create(arena, decisions->last + (size_t)1);
    for (size_t i = 0; larger && i <= decisions->last; i++)
        if (decisions->places[i] > PLACE_GONE)
            decisions_add(larger, (uintptr_t)(decisions->places[i] >> 1),
                          decisions->places[i] & 1);
    return larger;
}
