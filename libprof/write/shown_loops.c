/* See shown_loops.h. */
#include "write/shown_loops.h"

#include "arch/arch.h"
#include "host/host.h"
#include "library/library.h"
#include "mainloop/mainloop.h"
#include "unwind/unwind.h"

#include <stdlib.h>

enum {
    LIKE_MAIN = 2,  /* a loop like the main one has up to this many passes more or fewer */
    LIKE_SURE = 16, /* with fewer passes than these that may be chance */
};

_Static_assert((int)LOOPS_MOST <= (int)CHOICE_OFFERS_MOST, "what one process offers fits");

/* What a process sends up the tree, merged with what came from below. */
struct said {
    struct loop_offers loops;
    uint64_t slices;       /* the most that one process has */
    uint64_t recursive_ns; /* the longest time in a loop that is not offered */
};

/* What has been chosen: loops, or else slices, or nothing. */
struct chosen {
    struct loop_choice loops;
    uint64_t slices;
    uint64_t reason;   /* enum slices_reason */
    uint64_t permille; /* of the time in the loop that takes most of it */
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

/* Mixes ADDRESS into HASH: the same in every process that has the same module. */
static uint64_t mix_address(uint64_t hash, const struct modmap *modules, uintptr_t address)
{
    const struct module *module = address ? modmap_find(modules, address) : NULL;
    if (!module)
        return mix(hash, address);
    const char *name = *module->build_id ? module->build_id : module->path;
    for (; *name; name++)
        hash = mix(hash, (unsigned char)*name);
    return mix(hash, address - module->base);
}

/* Mixes a place in the code into HASH. */
static uint64_t mix_place(uint64_t hash, const struct modmap *modules, uint64_t key)
{
    return mix_address(hash, modules, code_address(key));
}

/* Mixes the call path NODE into HASH. */
static uint64_t mix_path(uint64_t hash, const struct thread *thread,
                         const struct modmap *modules, uint32_t node)
{
    for (; node != CCT_ROOT; node = thread->tree.nodes[node].parent) {
        const struct node *at = &thread->tree.nodes[node];
        hash = mix_place(mix(hash, at->kind), modules, at->site);
        hash =
            at->kind == NODE_FUNCTION ? mix_place(hash, modules, at->key) : mix(hash, at->key);
    }
    return hash;
}

/*
 * The key of LOOP: of the function that has it and where its code begins.  If the code was not
 * read, of its border and the call path that came with it.  Both, since the call that begins a
 * pass of an inner loop may also be the first in a pass of the loop around it.
 */
static uint64_t key_of(const struct thread *thread, const struct modmap *modules,
                       const struct loop *loop)
{
    uint64_t hash = 1;
    if (loop->entry) {
        hash = mix_address(hash, modules, (uintptr_t)loop->entry);
        hash = mix_path(hash, thread, modules, thread->tree.nodes[loop->header].parent);
    } else {
        for (uint32_t at = loop->leaf; at != loop->border && at != CCT_ROOT;
             at = thread->tree.nodes[at].parent)
            hash = mix(hash, 1);
        hash = mix_path(hash, thread, modules, loop->leaf);
    }
    return hash ? hash : 1;
}

/* The longest time in an erratic loop of THREAD: those get no key. */
static uint64_t erratic_ns(const struct thread *thread)
{
    int64_t longest_ns = 0;
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        if (candidate_passes_async(thread, i) && candidate_is_erratic_async(thread, i) &&
            thread->search->candidates[i].time_ns > longest_ns)
            longest_ns = thread->search->candidates[i].time_ns;
    return (uint64_t)longest_ns;
}

/* Finds keys for the loops of THREAD that are the same in all processes. */
static void find_keys(const struct thread *thread, uint64_t keys[LOOPS_MOST])
{
    struct modmap modules;
    modmap_load(&modules);
    for (unsigned i = 0; i < LOOPS_MOST; i++) {
        const struct loop *loop = loops_get(&thread->search->loops, i);
        keys[i] = found_is_offered_async(thread, i) ? key_of(thread, &modules, loop) : 0;
    }
    modmap_free(&modules);
}

/*
 * The loop that is shown on a process that does not have the main loop: of those with PASSES
 * passes, or nearly, the one that took most time.  LOOPS_MOST if there is none.
 */
static unsigned find_like(const struct thread *thread, const uint64_t *keys, uint64_t passes)
{
    unsigned best = LOOPS_MOST;
    for (unsigned i = 0; i < LOOPS_MOST; i++) {
        const uint64_t own = keys[i] ? candidate_passes_async(thread, i) : 0;
        if (own >= CHOICE_PASSES_LEAST && own + LIKE_MAIN >= passes &&
            own <= passes + LIKE_MAIN &&
            (best == LOOPS_MOST ||
             thread->search->candidates[i].time_ns > thread->search->candidates[best].time_ns))
            best = i;
    }
    return best;
}

static unsigned find_key(const uint64_t *keys, uint64_t key)
{
    unsigned number = 0;
    while (number < LOOPS_MOST && keys[number] != key)
        number++;
    return number;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void collect(struct rank_tree *ranks, struct said *said)
{
    const int rounds = rank_tree_rounds(ranks);
    ranks->doing = "loops";
    for (int round = 0; round < rounds; round++) {
        if (rank_tree_child(ranks, round) < 0)
            continue;
        size_t size;
        struct said *other = rank_tree_receive(ranks, rank_tree_child(ranks, round), &size);
        if (other && size == sizeof *other) {
            choice_merge(&said->loops, &other->loops);
            said->slices = larger(said->slices, other->slices);
            said->recursive_ns = larger(said->recursive_ns, other->recursive_ns);
        }
        free(other);
    }
    if (rank_tree_parent(ranks) >= 0)
        rank_tree_send(ranks, rank_tree_parent(ranks), said, sizeof *said);
}

/* Chooses for all processes, from what all have SAID.  At rank 0. */
static void choose(const struct said *said, struct chosen *chosen)
{
    const struct loop_offers *loops = &said->loops;
    uint64_t longest_ns = 0, most = 0;
    choice_make(loops, &chosen->loops);
    if (chosen->loops.count > 0 || loops->marked || said->slices < SLICES_LEAST)
        return;
    for (uint64_t i = 0; i < loops->count; i++) {
        const struct loop_offer *loop = &loops->offers[i];
        longest_ns = larger(longest_ns, loop->time_ns);
        most = larger(most, loop->most);
    }
    chosen->slices = said->slices;
    chosen->reason = loops->named                      ? SLICES_NOT_NAMED
                     : said->recursive_ns > longest_ns ? SLICES_RECURSION
                     : loops->count == 0               ? SLICES_NO_LOOP
                     : most < CHOICE_PASSES_LEAST      ? SLICES_FEW_PASSES
                                                       : SLICES_LITTLE_TIME;
    /* Rounded up, so that it is true that none took more. */
    chosen->permille = 1 + (loops->time_ns ? longest_ns * 1000 / loops->time_ns : 0);
}

/*
 * Tells how many processes looked for loops but do not show each of those that were chosen:
 * what these saw was another loop, or none.  IS_CHANCE: what this process, which IS_SEARCHED,
 * shows in place of the main loop may be like it by chance.
 */
static void count_absent(struct rank_tree *ranks, bool is_searched, bool is_chance,
                         uint64_t count)
{
    enum { AT_ONCE = RANK_TREE_SUMS_MOST };
    for (uint64_t i = 0; i < count; i += AT_ONCE) {
        uint64_t absent[AT_ONCE] = {0};
        for (uint64_t n = 0; n < AT_ONCE && i + n < count; n++)
            absent[n] = is_searched && (!found_is_kept(i + n) || (is_chance && i + n == 0));
        rank_tree_sum(ranks, absent, NULL, AT_ONCE);
        for (uint64_t n = 0; n < AT_ONCE && i + n < count; n++)
            found_note_absent(i + n, absent[n]);
    }
}

/*
 * Keeps the passes of the loops that were chosen as iterations.  KEYS are those of the loops of
 * THREAD, if there is one.
 */
static void keep_loops(struct rank_tree *ranks, struct thread *thread, const uint64_t *keys,
                       struct loop_choice *choice)
{
    uint64_t more[LIKE_MAIN] = {0};
    unsigned like = LOOPS_MOST;
    if (thread && find_key(keys, choice->loops[0].key) == LOOPS_MOST)
        like = find_like(thread, keys, choice->loops[0].passes);
    for (uint64_t i = 0; like < LOOPS_MOST && i < LIKE_MAIN; i++)
        more[i] = candidate_passes_async(thread, like) == choice->loops[0].passes + i + 1;
    rank_tree_sum(ranks, more, NULL, LIKE_MAIN);
    choice->loops[0].passes += more[1] ? 2 : more[0] ? 1 : 0;
    for (uint64_t i = 0; thread && i < choice->count; i++) {
        const unsigned number = find_key(keys, choice->loops[i].key);
        if (number < LOOPS_MOST)
            found_keep(thread, number, i, choice->loops[i].passes);
        else if (i == 0 && like < LOOPS_MOST)
            found_keep(thread, like, i, choice->loops[i].passes);
    }
    count_absent(ranks, thread, like < LOOPS_MOST && choice->loops[0].passes < LIKE_SURE,
                 choice->count);
}

void shown_loops_agree(struct rank_tree *ranks)
{
    static bool agreed;
    struct said said = {.loops.marked = timeline_is_marked_async()};
    struct chosen chosen = {.slices = 0};
    uint64_t keys[LOOPS_MOST] = {0};
    struct thread *thread = found_thread();
    if (agreed)
        return;
    agreed = true;
    if (thread) {
        said.loops.time_ns = found_time_until_async(thread, thread->end_ns);
        said.loops.processes = 1;
        said.slices = slices_count_async(thread);
        said.loops.named = named_is_set_async();
        said.loops.sliced = said.slices >= SLICES_LEAST;
        said.recursive_ns = erratic_ns(thread);
        find_keys(thread, keys);
        found_offer_async(thread, keys, &said.loops);
    }
    collect(ranks, &said);
    if (ranks->rank == 0)
        choose(&said, &chosen);
    rank_tree_broadcast(ranks, &chosen, sizeof chosen);
    if (chosen.loops.count > 0) {
        keep_loops(ranks, thread, keys, &chosen.loops);
    } else if (chosen.slices > 0) {
        found_keep_slices(thread, chosen.slices, (enum slices_reason)chosen.reason,
                          chosen.permille);
    }
}

void shown_loops_agree_alone(void)
{
    struct rank_tree ranks = rank_tree_alone(0);
    struct floating floating;
    floating_begin(&floating);
    shown_loops_agree(&ranks);
    floating_end(&floating);
}
