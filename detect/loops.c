/* See loops.h, and recogniser.h for how it is built. */
#include "detect/loops.h"

#include "detect/recogniser.h"

#include <string.h>

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
    *loops = (struct loops){.era = ERA,
                            .last = NO_NODE,
                            .innermost = NO_NODE,
                            .nodes = nodes,
                            .pairs = rest->pairs,
                            .rest = rest};
    loops->watched = &loops->stays;
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
    if (pass->item != NO_ITEM)
        rest->items[pass->item].times += (uint32_t)loops->repeats;
    rest->loops[pass->loop].passes += loops->repeats;
    if (rest->loops[pass->loop].leaf == pass->began)
        rest->loops[pass->loop].votes += (uint32_t)loops->repeats;
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
 * Whether the function whose calls are at DEPTH, in a loop of which a pass is open, has been
 * called again since.
 */
static bool is_called_again(struct loops_rest *rest, uint32_t leaf, uint32_t depth)
{
    for (int i = passes_above(rest, depth); i < rest->open_count; i++) {
        const struct open_pass *open = &rest->open[i];
        if (open->depth != depth || !open->word ||
            !rest->config.is_called_again(rest->config.context, open->loop,
                                          site_ancestor(rest, leaf, depth - 1)))
            continue;
        rest->loops[open->loop].called_again = true;
        return true;
    }
    return false;
}

/*
 * The depth of the innermost frame that has stayed between BEFORE and LEAF, which share COMMON
 * nodes.  A function that has returned and been called again from the same place looks as if it
 * had stayed; but not if its code has no way from the one call to the other.  If it has one,
 * the stack may tell.
 */
static uint32_t stayed(struct loops_rest *rest, uint32_t before, uint32_t leaf, uint32_t common)
{
    for (uint32_t depth = common + 1; depth > 0; depth--) {
        const struct code_way way = site_way(rest, site_ancestor(rest, before, depth),
                                             site_ancestor(rest, leaf, depth));
        rest->apart = way.apart;
        if (way.known ? way.possible && !is_called_again(rest, leaf, depth)
                      : depth > 1 || common == 0)
            return depth - 1;
        rest->jumped = rest->jumped || (way.known && !way.possible);
    }
    return common;
}

/* Notes the path of LEAF from DEPTH to DEEPEST. */
static void note_path(struct loops_rest *rest, uint32_t leaf, uint32_t depth, uint32_t deepest)
{
    uint32_t at = site_ancestor(rest, leaf, deepest);
    for (uint32_t i = deepest; i >= depth; i--, at = site_parent(rest, at))
        rest->path[i] = at;
}

/* What the call at DEPTH means, of a function whose code was not read. */
static void guess(struct loops_rest *rest, uint32_t leaf, uint32_t depth, bool stayed_there,
                  unsigned preference)
{
    const uint32_t token = rest->path[depth];
    const int item = stayed_there ? items_find(rest, depth, token) : NO_ITEM;
    if (item == NO_ITEM)
        items_push(rest, depth, token, leaf, preference);
    else
        recurrence_arrive(rest, item, leaf);
}

/* Drops the items of frames from DEPTH on. */
static void leave_frames(struct loops_rest *rest, uint32_t depth)
{
    int count = rest->count;
    while (count > 0 && rest->items[count - 1].depth >= depth)
        count--;
    rest->guessed = rest->guessed || count < rest->count;
    items_drop(rest, count);
}

/*
 * How deep the path from DEPTH to DEEPEST can be looked at: to where what the code has around
 * the calls on it is there.
 */
static uint32_t ready_depth(struct loops_rest *rest, uint32_t depth, uint32_t deepest)
{
    for (uint32_t at = depth; at <= deepest && !rest->late; at++) {
        site_around(rest, rest->path[at]);
        if (rest->late)
            deepest = at - 1;
    }
    return deepest;
}

/* Closes the open passes from AT on, of runs that may go on. */
static void interrupt(struct loops_rest *rest, int at)
{
    for (int i = at; i < rest->open_count; i++)
        rest->loops[rest->open[i].loop].interrupted = true;
    passes_close(rest, at);
}

/*
 * Finds the loops that LEAF means something for, after BEFORE, which shares COMMON nodes.
 * Returns to what depth, DEEPEST unless more cannot be told yet; 0, and nothing is done, if
 * nothing can.
 */
static uint32_t follow_path(struct loops_rest *rest, uint32_t before, uint32_t leaf,
                            uint32_t common, uint32_t deepest, unsigned preference)
{
    /* BEFORE may be what leads to LEAF: of what was further in then nothing is known. */
    const bool first = before == NO_NODE || common == site_depth(rest, before);
    rest->apart = false;
    const uint32_t depth = (first ? common : stayed(rest, before, leaf, common)) + 1;
    note_path(rest, leaf, depth, deepest);
    /* If it is not known which functions have stayed, passes of any loop may be missed. */
    deepest = rest->late ? 0 : ready_depth(rest, depth, deepest);
    if (rest->late)
        late_note(rest, leaf, deepest);
    if (deepest < depth)
        return 0;
    rest->began = rest->path[deepest];
    if (rest->apart)
        interrupt(rest, passes_above(rest, depth + 1));
    passes_close(rest, passes_above(rest, depth + 1));
    leave_frames(rest, depth + 1);
    for (uint32_t at = depth; at <= deepest; at++) {
        const bool there = at == depth && !first;
        if (site_around(rest, rest->path[at])->count < 0) {
            guess(rest, leaf, at, there, preference);
        } else if (there) {
            leave_frames(rest, depth);
            coded_go_on(rest, site_ancestor(rest, before, depth), depth, leaf);
        } else {
            coded_enter(rest, at, leaf);
        }
    }
    return deepest;
}

/*
 * What has happened to the passes that were open before this call, when PASSES had been opened
 * in all.
 */
static struct loops_verdict compare(const struct loops_rest *rest, uint64_t passes)
{
    struct loops_verdict verdict = {.keep = 0};
    for (int i = 0; i < rest->open_count; i++) {
        if (rest->open[i].silent)
            continue;
        if (rest->open[i].number <= passes)
            verdict.keep++;
        else {
            verdict.unseen[verdict.count] = rest->open[i].unseen;
            verdict.open[verdict.count++] = rest->open[i].loop;
        }
    }
    return verdict;
}

/*
 * Notes the call that began the innermost open pass, unless an item has come since, and what
 * tells that the functions which have open passes have stayed.
 */
static void note_innermost(struct loops *loops)
{
    const struct loops_rest *rest = loops->rest;
    const struct open_pass *open = rest->open_count ? &rest->open[rest->open_count - 1] : NULL;
    const bool last = open && (open->item == NO_ITEM || open->item == rest->count - 1);
    loops->innermost = last && !open->silent ? open->began : NO_NODE;
    loops->watched = &loops->stays;
    for (int i = rest->open_count; i-- > 0 && loops->watched == &loops->stays;) {
        if (!rest->open[i].word)
            continue;
        loops->watched = rest->open[i].word;
        loops->stays = rest->open[i].stays;
    }
}

void loops_ignore(struct loops *loops)
{
    struct loops_rest *rest = loops->rest;
    int at = rest->open_count - 1;
    settle(loops);
    while (rest->open[at].silent)
        at--;
    struct loop *loop = &rest->loops[rest->open[at].loop];
    rest->open[at].silent = loop->ignored = loop->partly = true;
    note_innermost(loops);
    loops->era += ERA;
}

bool loops_spare(struct loops *loops)
{
    struct loops_rest *rest = loops->rest;
    bool spares = false;
    for (int i = 0; i < LOOPS_MOST; i++) {
        struct loop *loop = &rest->loops[i];
        if (!loop->serial || !loop->counted || loop->spared || loop->ignored)
            continue;
        loop->spared = spares = true;
    }
    if (spares)
        loops->era += ERA;
    return spares;
}

void loops_spare_not(struct loops *loops, unsigned number)
{
    loops->rest->loops[number].spared = false;
    loops->era += ERA;
}

/* The depth below which half of the calls that meant something differed from those before. */
static uint32_t half_depth(const struct loops_rest *rest)
{
    uint64_t all = 0, deeper = 0;
    uint32_t depth = rest->deepest;
    for (uint32_t i = 0; i <= DEEPEST; i++)
        all += rest->arrivals[i];
    /* Of so few nothing can be told. */
    if (all < ARRIVALS_LEAST)
        return depth;
    while (depth > 0 && 2 * deeper <= all)
        deeper += rest->arrivals[depth--];
    return depth;
}

/* The depth to which calls must be looked at for the loops in KEPT, which is a set. */
static uint32_t needed_depth(const struct loops_rest *rest, uint32_t kept)
{
    uint32_t depth = 0;
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        if (kept >> i & 1 && rest->loops[i].needs > depth)
            depth = rest->loops[i].needs;
    return depth;
}

/* Looks no deeper than DEPTH from now on; see loops_lessen. */
static unsigned look_to(struct loops *loops, uint32_t depth)
{
    struct loops_rest *rest = loops->rest;
    const uint32_t before = rest->deepest;
    settle(loops);
    rest->deepest = depth;
    memset(rest->arrivals, 0, sizeof rest->arrivals);
    if (rest->deepest == before)
        return (unsigned)passes_told(rest, rest->open_count);
    int keep = rest->count;
    while (keep > 0 && rest->items[keep - 1].depth > rest->deepest)
        keep--;
    items_drop(rest, keep);
    interrupt(rest, passes_above(rest, rest->deepest + 1));
    /* No passes differ less deep, and 0 would say that nothing was missed. */
    const uint32_t looked = rest->deepest > 0 ? rest->deepest : 1;
    for (int i = 0; i < LOOPS_MOST; i++) {
        struct loop *loop = &rest->loops[i];
        if (!loop->serial)
            continue;
        if (loop->looked == 0 || looked < loop->looked)
            loop->looked = looked;
        if (site_depth(rest, loop->header) > rest->deepest) {
            loop->deep = loop->deep || !loop->ignored;
            loop->ignored = loop->partly = true;
        } else if (loop->needs > rest->deepest) {
            /* Where it calls one function again and again, its calls look like one. */
            loop->partly = loop->missed = true;
        }
    }
    if (loops->last != NO_NODE)
        loops->last = site_ancestor(rest, loops->last, rest->deepest);
    note_innermost(loops);
    loops->era += ERA;
    return (unsigned)passes_told(rest, rest->open_count);
}

unsigned loops_lessen(struct loops *loops, uint32_t kept)
{
    const uint32_t half = half_depth(loops->rest), least = needed_depth(loops->rest, kept);
    return look_to(loops, half > least ? half : least);
}

unsigned loops_look_away(struct loops *loops)
{
    return look_to(loops, 0);
}

bool loops_is_waiting(const struct loops *loops)
{
    return loops->rest->waiting;
}

void loops_try_again(struct loops *loops)
{
    loops->rest->waiting = false;
    loops->era += ERA;
}

bool loops_is_checking(const struct loops *loops)
{
    return loops->rest->late_calls.node != 0 && loops->rest->late_calls.are_there;
}

void loops_arrive_in_time(struct loops *loops, uint32_t leaf)
{
    late_end(loops->rest, leaf);
    loops_try_again(loops);
}

void loops_deepen(struct loops *loops)
{
    struct loops_rest *rest = loops->rest;
    settle(loops);
    for (unsigned i = 0; i < LOOPS_MOST; i++) {
        struct loop *loop = &rest->loops[i];
        loop->ignored = loop->ignored && !loop->deep;
        loop->deep = false;
    }
    rest->deepest = DEEPEST;
    memset(rest->arrivals, 0, sizeof rest->arrivals);
    /* What is found from now on may have had passes before. */
    rest->refused = true;
    loops->era += ERA;
}

/*
 * LEAF, or the token above it, if it is deeper than the search looks, or the code further in
 * could not be read yet.
 */
static uint32_t token_of(struct loops *loops, uint32_t leaf)
{
    struct loops_node *node = &loops->nodes[leaf];
    if (node->inside >> 32 == loops->era >> 32)
        return (uint32_t)node->inside;
    if (site_depth(loops->rest, leaf) <= loops->rest->deepest)
        return leaf;
    node->inside = loops->era | site_ancestor(loops->rest, leaf, loops->rest->deepest);
    return (uint32_t)node->inside;
}

/* The verdict that nothing changes. */
static struct loops_verdict go_on(const struct loops *loops)
{
    return (struct loops_verdict){
        .keep = (uint8_t)passes_told(loops->rest, loops->rest->open_count)};
}

/* The verdict for a call that loops_repeat has dealt with. */
static struct loops_verdict next_pass(struct loops *loops)
{
    const struct loops_rest *rest = loops->rest;
    settle(loops);
    return (struct loops_verdict){.keep = (uint8_t)(passes_told(rest, rest->open_count) - 1),
                                  .count = 1,
                                  .open = {rest->open[rest->open_count - 1].loop}};
}

/*
 * Whether LEAF, which has meant nothing now, will mean nothing when it comes there again. Loops
 * in code depend on nothing else.
 */
static bool is_certain(struct loops *loops, uint32_t leaf)
{
    const struct loops_rest *rest = loops->rest;
    return !rest->guessed ||
           (rest->active != NO_ITEM && !rest->moved && is_regular(loops, leaf));
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
    else if (rest->counted)
        return;
    else if (verdict->count == 1 && verdict->keep == open - 1 && loops->innermost == leaf) {
        if (!counted_is_due(rest, &rest->open[rest->open_count - 1]))
            node->again = loops->era | before;
    } else if (verdict->count == 0 && verdict->keep == open && is_certain(loops, leaf)) {
        const uint64_t after = loops->era | before;
        node->quiet[1] = node->quiet[0];
        node->quiet[0] = after;
        *loops_pair(loops, after, leaf) = (struct loops_pair){.after = after, .leaf = leaf};
    }
}

/*
 * Whether LEAF, which may begin a pass as it did before, is looked at in full, because the
 * count of its loop may tell more by now.
 */
static bool is_looked_at_again(const struct loops *loops, uint32_t leaf)
{
    struct loops_rest *rest = loops->rest;
    if (leaf != loops->innermost)
        return false;
    const struct open_pass *open = &rest->open[rest->open_count - 1];
    return (open->has_count ||
            rest->known[site_parent(rest, rest->loops[open->loop].header)].counting) &&
           ++rest->repeated % COUNTED_SOMETIMES == 0;
}

/* Until loops_try_again LEAF means no more than TOKEN above it. */
static void take_token_for(struct loops *loops, uint32_t leaf, uint32_t token)
{
    loops->nodes[leaf].inside = loops->era | token;
    loops->rest->waiting = true;
}

/*
 * The call LEAF, which shares COMMON nodes with the one BEFORE, cannot be looked at yet: as if
 * it had not been made.
 */
static struct loops_verdict skip(struct loops *loops, uint32_t before, uint32_t leaf,
                                 uint32_t common)
{
    loops->last = before;
    if (before != NO_NODE && common == site_depth(loops->rest, before))
        take_token_for(loops, leaf, before);
    return go_on(loops);
}

struct loops_verdict loops_arrive(struct loops *loops, uint32_t leaf, unsigned preference)
{
    struct loops_rest *rest = loops->rest;
    const uint32_t before = loops->last;
    const uint32_t token = token_of(loops, leaf), depth = site_depth(rest, token);
    uint32_t common = 0;
    late_check(rest);
    if (token != leaf && (token == before || loops_pass(loops, token))) {
        late_come(rest, token, leaf);
        return go_on(loops);
    }
    rest->sampling = is_looked_at_again(loops, token);
    if (!rest->sampling && loops_repeat(loops, token)) {
        late_come(rest, token, leaf);
        return next_pass(loops);
    }
    settle(loops);
    const uint64_t passes = rest->passes;
    const int open = passes_told(rest, rest->open_count);
    loops->last = token;
    if (before == token)
        common = depth - 1;
    else if (before != NO_NODE)
        common = site_common_depth(rest, before, token);
    late_look(rest, before, common);
    rest->differs = common < rest->deepest ? common + 1 : rest->deepest;
    rest->arrivals[rest->differs]++;
    rest->news = rest->moved = rest->guessed = rest->counted = rest->jumped = rest->told =
        rest->late = rest->soon = false;
    rest->began = token;
    const uint32_t followed =
        common < depth ? follow_path(rest, before, leaf, common, depth, preference) : depth;
    if (followed == 0)
        return skip(loops, before, leaf, common);
    const struct loops_verdict verdict = compare(rest, passes);
    note_innermost(loops);
    if (followed == depth) {
        remember(loops, before, token, open, &verdict);
        return verdict;
    }
    /* It is not remembered what the call means, but what is remembered may be so no longer. */
    if (rest->news)
        loops->era += ERA;
    loops->last = rest->began;
    take_token_for(loops, leaf, loops->last);
    return verdict;
}
