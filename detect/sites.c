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

/* The loops that the machine code has around the calls of TOKEN. */
static const struct around *look_around(struct loops_rest *rest, uint32_t token)
{
    enum { NO_ROOM = AROUNDS_MOST + 1 };
    static const struct around nothing = {.count = -1};
    struct known *node = &rest->known[token];
    if (node->around == 0 && rest->config.loops_around) {
        struct around around = {.used = true};
        around.count = rest->config.loops_around(rest->config.context, token, around.loops);
        node->around = remember_around(rest, &around);
        if (node->around == 0)
            node->around = NO_ROOM;
    }
    if (node->around == 0 || node->around == NO_ROOM)
        return &nothing;
    return &rest->arounds[node->around - 1];
}

enum answer site_in_loop(struct loops_rest *rest, uint32_t token)
{
    const int count = look_around(rest, token)->count;
    return count < 0 ? UNKNOWN : count ? YES : NO;
}

enum answer site_in_loop_of(struct loops_rest *rest, uint32_t token, uint32_t sibling)
{
    const struct around *inner = look_around(rest, token), *other;
    if (inner->count <= 0 || token == sibling)
        return inner->count < 0 ? UNKNOWN : YES;
    other = look_around(rest, sibling);
    for (int i = 0; i < other->count; i++)
        if (other->loops[i] == inner->loops[0])
            return YES;
    return other->count < 0 ? UNKNOWN : NO;
}

bool site_is_apart(struct loops_rest *rest, uint32_t token, uint32_t sibling)
{
    const struct around *one = look_around(rest, token), *other = look_around(rest, sibling);
    for (int i = 0; i < one->count; i++)
        for (int j = 0; j < other->count; j++)
            if (one->loops[i] == other->loops[j])
                return false;
    return one->count >= 0 && other->count >= 0;
}
