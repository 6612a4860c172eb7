/*
 * Calls that cannot be looked at as deep as they are, since answers about the code are late:
 * what may be missed for that reason.  See recogniser.h.
 */
#include "detect/recogniser.h"

/* Whether passes of a loop with the header TOKEN may be missed, since answers were late. */
static bool late_has_missed(const struct loops_rest *rest, uint32_t token)
{
    uint32_t at = site_parent(rest, token);
    if (rest->known[at].late_call)
        return true;
    while (at != 0 && !rest->known[at].late)
        at = site_parent(rest, at);
    return rest->known[at].late;
}

/* Marks loop NUMBER if it may have been missed, for which CALLS may be the only reason. */
static void mark(struct loops_rest *rest, unsigned number, struct late_calls *calls)
{
    struct loop *loop = &rest->loops[number];
    if (!loop->serial || !late_has_missed(rest, loop->header))
        return;
    calls->missed |= (uint16_t)(!loop->missed << number);
    calls->partly |= (uint16_t)(!loop->partly << number);
    loop->partly = loop->missed = true;
}

void late_add(struct loops_rest *rest, unsigned number)
{
    struct late_calls *calls = &rest->late_calls;
    calls->missed &= (uint16_t) ~(1u << number);
    calls->partly &= (uint16_t) ~(1u << number);
    mark(rest, number, calls);
}

/* LEAF, of the function that is looked at, has come; false: it is not the function's. */
static bool add(struct late_calls *calls, uint32_t node, uint32_t leaf)
{
    if (calls->node != node || calls->are_there)
        return false;
    /* If it has been left and called again, nothing is known of what was between. */
    if (calls->is_left || calls->count == LATE_MOST)
        calls->node = 0;
    else
        calls->leaves[calls->count++] = leaf;
    return true;
}

void late_note(struct loops_rest *rest, uint32_t leaf, uint32_t depth)
{
    const uint32_t node = site_ancestor(rest, leaf, depth);
    struct known *known = &rest->known[node],
                 *above = depth > 0 ? &rest->known[site_parent(rest, node)] : NULL;
    struct late_calls calls = {.node = node,
                               .leaves = {leaf},
                               .count = 1,
                               .is_first_above = above && !above->late_call};
    if ((node != 0 && add(&rest->late_calls, node, leaf)) || known->late)
        return;
    known->late = true;
    if (above)
        above->late_call = true;
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        mark(rest, i, &calls);
    /* Of one function at a time it is known what has come meanwhile. */
    if (rest->soon && rest->late_calls.node == 0)
        rest->late_calls = calls;
}

void late_come(struct loops_rest *rest, uint32_t token, uint32_t leaf)
{
    if (rest->late_calls.node != 0 && !add(&rest->late_calls, token, leaf))
        rest->late_calls.is_left = true;
}

void late_look(struct loops_rest *rest, uint32_t before, uint32_t common)
{
    struct late_calls *calls = &rest->late_calls;
    if (calls->node != 0 && (before != calls->node || common < site_depth(rest, before)))
        calls->is_left = true;
}

/*
 * Whether the function has stayed between two calls, FROM and TO, though others that it has
 * called may have been called again.  *ROUND becomes true if a pass of a loop in any of them
 * has, or may have, begun.
 */
static bool has_stayed(struct loops_rest *rest, uint32_t from, uint32_t to, bool *round)
{
    const uint32_t least = site_depth(rest, rest->late_calls.node);
    uint32_t depth =
        1 + (from == to ? site_depth(rest, to) - 1 : site_common_depth(rest, from, to));
    for (; depth > least; depth--) {
        const struct code_way way =
            site_way(rest, site_ancestor(rest, from, depth), site_ancestor(rest, to, depth));
        *round = *round || !way.known || way.crossed || way.unseen || way.same;
        if (!way.known || way.possible)
            return way.known;
    }
    return false;
}

/* Loops that may not have been missed after all. */
static void unmark(struct loops_rest *rest, const struct late_calls *calls)
{
    for (unsigned i = 0; i < LOOPS_MOST; i++) {
        struct loop *loop = &rest->loops[i];
        if (!loop->serial || late_has_missed(rest, loop->header))
            continue;
        loop->missed = loop->missed && !(calls->missed >> i & 1);
        loop->partly = loop->partly && !(calls->partly >> i & 1);
    }
}

static bool is_below(struct loops_rest *rest, uint32_t leaf, uint32_t node)
{
    const uint32_t depth = site_depth(rest, node);
    return site_depth(rest, leaf) > depth && site_ancestor(rest, leaf, depth) == node;
}

void late_end(struct loops_rest *rest, uint32_t leaf)
{
    struct late_calls *calls = &rest->late_calls;
    if (calls->node != 0 && !calls->is_left && is_below(rest, leaf, calls->node))
        add(calls, calls->node, leaf);
    calls->are_there = true;
}

/* Takes back what was marked: no pass of a loop around the function was missed, nor one inside
 * unless there was a ROUND. */
static void take_back(struct loops_rest *rest, const struct late_calls *calls, bool round)
{
    if (calls->is_first_above)
        rest->known[site_parent(rest, calls->node)].late_call = false;
    rest->known[calls->node].late = round;
    unmark(rest, calls);
}

bool late_check(struct loops_rest *rest)
{
    struct late_calls *calls = &rest->late_calls;
    if (calls->node == 0 || !calls->are_there)
        return false;
    const bool is_last = calls->checked + 1 >= calls->count;
    if (is_last)
        take_back(rest, calls, calls->round);
    else if (has_stayed(rest, calls->leaves[calls->checked], calls->leaves[calls->checked + 1],
                        &calls->round))
        calls->checked++;
    else
        calls->node = 0;
    if (is_last)
        calls->node = 0;
    return true;
}
