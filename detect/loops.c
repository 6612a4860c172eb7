/* See loops.h, and recogniser.h for how it is built. */
#include "detect/loops.h"

#include "detect/recogniser.h"

#include <string.h>

#define ERA (UINT64_C(1) << 32)

size_t loops_bytes(uint32_t nodes)
{
    return nodes * (sizeof(struct loops_node) + sizeof(struct known)) +
           sizeof(struct loops_rest);
}

void loops_start(struct loops *loops, const struct loops_config *config, void *memory)
{
    struct loops_node *nodes = memory;
    struct known *known = (struct known *)(nodes + config->nodes);
    struct loops_rest *rest = (struct loops_rest *)(known + config->nodes);
    rest->known = known;
    rest->config = *config;
    rest->active = NO_ITEM;
    rest->deepest = DEEPEST;
    *loops = (struct loops){
        .era = ERA, .last = NO_NODE, .innermost = NO_NODE, .nodes = nodes, .rest = rest};
}

/* Counts the passes of the innermost loop that loops_repeat has only noted. */
static void settle(struct loops *loops)
{
    struct loops_rest *rest = loops->rest;
    if (loops->repeats == 0)
        return;
    struct open_pass *pass = &rest->open[rest->open_count - 1];
    rest->passes += loops->repeats;
    pass->number = rest->passes;
    rest->items[pass->item].times += (uint32_t)loops->repeats;
    rest->loops[pass->loop].passes += loops->repeats;
    loops->repeats = 0;
}

const struct loop *loops_get(struct loops *loops, unsigned number)
{
    settle(loops);
    return &loops->rest->loops[number];
}

/* Whether LEAF comes in every pass of the outermost loop, or more often. */
static bool is_regular(struct loops *loops, uint32_t leaf)
{
    const struct loops_rest *rest = loops->rest;
    struct known *node = &loops->rest->known[leaf];
    const uint32_t era = (uint32_t)(loops->era >> 32), pass = rest->items[rest->active].times;
    const bool regular = node->regular_in == era && pass - node->regular <= 1;
    node->regular_in = era;
    node->regular = pass;
    return regular;
}

/*
 * The depth of the innermost frame that has stayed, COMMON or less.  A function that has
 * returned and been called again from the same place looks as if it had stayed; but one call
 * cannot come again within a frame where the machine code has no loop around it, nor after a
 * call that shares no loop with it.  Then the frame that has stayed is the first one further
 * out that may have a loop.
 */
static uint32_t correct(struct loops_rest *rest, uint32_t leaf, uint32_t common)
{
    uint32_t token = site_ancestor(rest, leaf, common + 1), depth = common + 1;
    int count = rest->count, item = NO_ITEM;
    while (count > 0 && rest->items[count - 1].depth > depth)
        count--;
    for (int i = count; i-- > 0 && item == NO_ITEM && rest->items[i].depth == depth;)
        item = rest->items[i].token == token ? i : NO_ITEM;
    if (item == NO_ITEM)
        return common;
    bool anew = false;
    for (int i = item + 1; i < count && !anew; i++)
        anew = site_is_apart(rest, token, rest->items[i].token);
    while (depth > 1 && (anew || site_in_loop(rest, token) == NO)) {
        token = site_parent(rest, token);
        depth--;
        anew = false;
    }
    return site_in_loop(rest, token) == NO ? common : depth - 1;
}

/* Finds the loops that LEAF means something for, after a call path that shares COMMON nodes. */
static void follow_path(struct loops_rest *rest, uint32_t leaf, uint32_t common,
                        uint32_t deepest, unsigned preference)
{
    int count = rest->count;
    common = correct(rest, leaf, common);
    while (count > 0 && rest->items[count - 1].depth > common + 1)
        count--;
    passes_leave(rest, common + 1, site_ancestor(rest, leaf, common + 1));
    items_drop(rest, count);
    uint32_t depth = rest->count ? rest->items[rest->count - 1].depth : 1;
    uint32_t at = site_ancestor(rest, leaf, deepest);
    for (uint32_t i = deepest; i >= depth; i--, at = site_parent(rest, at))
        rest->path[i] = at;
    for (; depth <= deepest; depth++) {
        const uint32_t token = rest->path[depth];
        if (depth == common + 1)
            items_leave(rest, depth, token);
        int item = depth > common + 1 ? NO_ITEM : items_find(rest, depth, token);
        if (item == NO_ITEM)
            items_push(rest, depth, token, leaf, preference);
        else if (depth == common + 1)
            recurrence_arrive(rest, item, leaf, preference);
        else
            items_drop(rest, item + 1);
    }
}

/*
 * What has happened to the passes that were open before this call, when PASSES had been opened
 * in all.
 */
static struct loops_verdict compare(const struct loops_rest *rest, uint64_t passes)
{
    struct loops_verdict verdict = {.keep = 0};
    for (int i = 0; i < rest->open_count; i++) {
        if (rest->open[i].number <= passes)
            verdict.keep++;
        else
            verdict.open[verdict.count++] = rest->open[i].loop;
    }
    return verdict;
}

/* The border of the innermost open pass, if nothing new has come since; else NO_NODE. */
static uint32_t innermost_border(const struct loops_rest *rest)
{
    if (rest->open_count == 0)
        return NO_NODE;
    const struct open_pass *open = &rest->open[rest->open_count - 1];
    return open->item == rest->count - 1 && rest->loops[open->loop].border == open->header
               ? open->header
               : NO_NODE;
}

void loops_ignore(struct loops *loops)
{
    struct loops_rest *rest = loops->rest;
    settle(loops);
    rest->loops[rest->open[rest->open_count - 1].loop].ignored = true;
    passes_close(rest, rest->open_count - 1);
    loops->innermost = innermost_border(rest);
    loops->era += ERA;
}

/* The depth below which half of the calls that meant something differed from those before. */
static uint32_t half_depth(const struct loops_rest *rest)
{
    uint64_t all = 0, deeper = 0;
    uint32_t depth = rest->deepest;
    for (uint32_t i = 0; i <= DEEPEST; i++)
        all += rest->arrivals[i];
    while (depth > 0 && 2 * deeper <= all)
        deeper += rest->arrivals[depth--];
    return depth;
}

unsigned loops_lessen(struct loops *loops, unsigned kept)
{
    struct loops_rest *rest = loops->rest;
    const uint32_t least = kept == LOOPS_NONE ? 0 : site_depth(rest, rest->loops[kept].header);
    settle(loops);
    rest->deepest = half_depth(rest);
    rest->deepest = rest->deepest > least ? rest->deepest : least;
    memset(rest->arrivals, 0, sizeof rest->arrivals);
    int keep = rest->count;
    while (keep > 0 && rest->items[keep - 1].depth > rest->deepest)
        keep--;
    items_drop(rest, keep);
    for (int i = 0; i < LOOPS_MOST; i++)
        if (rest->loops[i].serial && site_depth(rest, rest->loops[i].header) > rest->deepest)
            rest->loops[i].ignored = true;
    if (loops->last != NO_NODE)
        loops->last = site_ancestor(rest, loops->last, rest->deepest);
    loops->innermost = innermost_border(rest);
    loops->era += ERA;
    return (unsigned)rest->open_count;
}

/* The token above LEAF, which is deeper than the search looks. */
static uint32_t token_above(struct loops *loops, uint32_t leaf)
{
    struct loops_node *node = &loops->nodes[leaf];
    if (node->inside >> 32 != loops->era >> 32)
        node->inside = loops->era | site_ancestor(loops->rest, leaf, loops->rest->deepest);
    return (uint32_t)node->inside;
}

/* The verdict that nothing changes. */
static struct loops_verdict go_on(const struct loops *loops)
{
    return (struct loops_verdict){.keep = (uint8_t)loops->rest->open_count};
}

/* The verdict for a call that loops_repeat has dealt with. */
static struct loops_verdict next_pass(struct loops *loops)
{
    const struct loops_rest *rest = loops->rest;
    settle(loops);
    return (struct loops_verdict){.keep = (uint8_t)(rest->open_count - 1),
                                  .count = 1,
                                  .open = {rest->open[rest->open_count - 1].loop}};
}

/*
 * Remembers what LEAF meant after BEFORE, where OPEN passes were open, so that it need not be
 * looked at when it comes there again.
 */
static void remember(struct loops *loops, uint32_t before, uint32_t leaf, int open,
                     const struct loops_verdict *verdict)
{
    struct loops_rest *rest = loops->rest;
    struct loops_node *node = &loops->nodes[leaf];
    if (rest->news)
        loops->era += ERA;
    else if (verdict->count == 1 && verdict->keep == open - 1 && loops->innermost == leaf)
        node->again = loops->era | before;
    else if (rest->active != NO_ITEM && !rest->moved && verdict->keep == open &&
             is_regular(loops, leaf)) {
        node->quiet[1] = node->quiet[0];
        node->quiet[0] = loops->era | before;
    }
}

struct loops_verdict loops_arrive(struct loops *loops, uint32_t leaf, unsigned preference)
{
    struct loops_rest *rest = loops->rest;
    const uint32_t before = loops->last;
    uint32_t token = leaf, depth = site_depth(rest, leaf), common = 0;
    if (depth > rest->deepest) {
        token = token_above(loops, leaf);
        depth = rest->deepest;
        if (token == before || loops_pass(loops, token))
            return go_on(loops);
    }
    if (loops_repeat(loops, token))
        return next_pass(loops);
    settle(loops);
    const uint64_t passes = rest->passes;
    const int open = rest->open_count;
    loops->last = token;
    if (before == token)
        common = depth - 1;
    else if (before != NO_NODE)
        common = site_common_depth(rest, before, token);
    rest->arrivals[common < rest->deepest ? common + 1 : rest->deepest]++;
    rest->news = rest->moved = false;
    if (common < depth)
        follow_path(rest, leaf, common, depth, preference);
    const struct loops_verdict verdict = compare(rest, passes);
    loops->innermost = innermost_border(rest);
    remember(loops, before, token, open, &verdict);
    return verdict;
}
