/*
 * What a recogniser knows of call paths, each of which is a call site below its caller's path:
 * how they lie in the call tree, and which loops the machine code has around them.  See
 * recogniser.h.
 */
#include "detect/recogniser.h"

#include <string.h>

enum { AROUND_TRIES = 16 };

uint32_t site_common_depth(struct loops_rest *rest, uint32_t a, uint32_t b)
{
    uint32_t depth_a = site_depth(rest, a), depth_b = site_depth(rest, b);
    for (; depth_a > depth_b; depth_a--)
        a = site_parent(rest, a);
    for (; depth_b > depth_a; depth_b--)
        b = site_parent(rest, b);
    for (; a != b; depth_a--) {
        a = site_parent(rest, a);
        b = site_parent(rest, b);
    }
    return depth_a;
}

static bool is_same(const struct around *a, const struct around *b)
{
    return a->count == b->count &&
           (a->count <= 0 ||
            memcmp(a->loops, b->loops, (size_t)a->count * sizeof *a->loops) == 0);
}

/* The index at which WANTED is kept, plus one; 0 if there is no room for it. */
static uint16_t remember_around(struct loops_rest *rest, const struct around *wanted)
{
    uint64_t hash = (uint64_t)(wanted->count + 1);
    for (int i = 0; i < wanted->count; i++)
        hash = (hash ^ wanted->loops[i]) * UINT64_C(0x9E3779B97F4A7C15);
    for (uint64_t i = 0; i < AROUND_TRIES; i++) {
        const uint64_t at = ((hash >> 32) + i) % AROUNDS_MOST;
        struct around *around = &rest->arounds[at];
        if (!around->used)
            *around = *wanted;
        if (is_same(around, wanted))
            return (uint16_t)(at + 1);
    }
    return 0;
}

const struct around *site_around(struct loops_rest *rest, uint32_t token)
{
    enum { NO_ROOM = AROUNDS_MOST + 1 };
    static const struct around nothing = {.count = -1};
    struct known *node = &rest->known[token];
    if (node->around == 0 && rest->config.loops_around) {
        struct around around = {.used = true};
        around.count = rest->config.loops_around(rest->config.context, token, around.loops);
        if (around.count == LOOPS_LATER || around.count == LOOPS_SOON) {
            rest->late = true;
            rest->soon = around.count == LOOPS_SOON;
            return &nothing;
        }
        node->around = remember_around(rest, &around);
        if (node->around == 0)
            node->around = NO_ROOM;
    }
    if (node->around == 0 || node->around == NO_ROOM)
        return &nothing;
    return &rest->arounds[node->around - 1];
}

struct code_way site_way(struct loops_rest *rest, uint32_t from, uint32_t token)
{
    const struct code_way way = rest->config.way
                                    ? rest->config.way(rest->config.context, from, token)
                                    : (struct code_way){.known = false};
    rest->late = rest->late || way.late;
    return way;
}

bool site_is_in(struct loops_rest *rest, uint32_t token, uint64_t entry)
{
    const struct around *around = site_around(rest, token);
    for (int i = 0; i < around->count; i++)
        if (around->loops[i] == entry)
            return true;
    return false;
}

bool site_is_in_loop(struct loops_rest *rest, uint32_t function)
{
    enum { NO = 1, YES };
    uint8_t *outer = &rest->known[function].outer;
    if (*outer == 0) {
        *outer = NO;
        for (uint32_t at = function; at != 0 && *outer == NO; at = site_parent(rest, at)) {
            const int count = site_around(rest, at)->count;
            /* What calls the outermost function is never known, and has no loop. */
            if (count > 0 || (count < 0 && site_parent(rest, at) != 0))
                *outer = YES;
        }
    }
    return *outer == YES;
}
