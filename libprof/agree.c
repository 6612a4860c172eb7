/* See agree.h. */
#include "agree.h"

#include "choice.h"
#include "floating.h"
#include "iteration.h"
#include "message.h"
#include "modmap.h"
#include "mpi_calls.h"
#include "phase.h"
#include "seen.h"
#include "team.h"
#include "whereabouts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIKE_MAIN = 2 /* passes that a loop may have more or less than the main one */ };

_Static_assert((int)LOOPS_MOST <= (int)CHOICE_OFFERS_MOST, "what one process offers fits");

/* What was kept, by loop; phase plus one. */
static uint32_t kept_as[LOOPS_MOST];

/* The thread whose loops were looked for, NULL if none's are there. */
static struct thread *seeker(void)
{
    for (struct thread *each = thread_newest; each; each = each->next)
        if (each->seek && !each->stuck && !seek_has_ended())
            return each;
    return NULL;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

/* The same in every process that has the same module. */
static uint64_t mix_place(uint64_t hash, const struct modmap *modules, uint64_t key)
{
    const uintptr_t address = code_address(key);
    const struct module *module = address ? modmap_find(modules, address) : NULL;
    if (!module)
        return mix(hash, address);
    const char *name = *module->build_id ? module->build_id : module->path;
    for (; *name; name++)
        hash = mix(hash, (unsigned char)*name);
    return mix(hash, address - module->base);
}

/*
 * Of the loop whose BORDER came with the call path NODE.  Both count: the call that begins a
 * pass of an inner loop may be the first one in a pass of the loop around it.
 */
static uint64_t key_of(const struct thread *thread, const struct modmap *modules, uint32_t node,
                       uint32_t border)
{
    uint64_t hash = 1;
    for (uint32_t at = node; at != border && at != CCT_ROOT; at = thread->tree.nodes[at].parent)
        hash = mix(hash, 1);
    for (; node != CCT_ROOT; node = thread->tree.nodes[node].parent) {
        const struct node *at = &thread->tree.nodes[node];
        hash = mix_place(mix(hash, at->kind), modules, at->site);
        hash =
            at->kind == NODE_FUNCTION ? mix_place(hash, modules, at->key) : mix(hash, at->key);
    }
    return hash ? hash : 1;
}

/* Passes of loop NUMBER that were cut; 0 where there is nothing to show. */
static uint64_t passes_of(const struct thread *thread, unsigned number)
{
    const struct sought *sought = &thread->seek->sought[number];
    const struct loop *loop = loops_get(&thread->seek->loops, number);
    if (sought->serial == 0 || sought->serial != loop->serial || sought->passes < 2 ||
        !thread->series[seek_series(number)].clustering)
        return 0;
    return clustering_iterations(thread->series[seek_series(number)].clustering);
}

/* Which loop is the one with this serial; LOOPS_MOST if none is. */
static unsigned find_serial(const struct thread *thread, uint32_t serial)
{
    unsigned number = 0;
    while (number < LOOPS_MOST && (serial == 0 || passes_of(thread, number) == 0 ||
                                   loops_get(&thread->seek->loops, number)->serial != serial))
        number++;
    return number;
}

static void offer_own(const struct thread *thread, struct loop_offers *offers,
                      uint64_t keys[LOOPS_MOST])
{
    struct modmap modules;
    modmap_load(&modules);
    for (unsigned i = 0; i < LOOPS_MOST; i++) {
        const struct loop *loop = loops_get(&thread->seek->loops, i);
        keys[i] = passes_of(thread, i) ? key_of(thread, &modules, loop->leaf, loop->border) : 0;
    }
    for (unsigned i = 0; i < LOOPS_MOST; i++) {
        const struct loop *loop = loops_get(&thread->seek->loops, i);
        const struct sought *sought = &thread->seek->sought[i];
        const unsigned around = find_serial(thread, loop->serial_around);
        if (keys[i] == 0)
            continue;
        offers->offers[offers->count++] = (struct loop_offer){
            .key = keys[i],
            .around = around < LOOPS_MOST ? keys[around] : 0,
            .processes = 1,
            .least = passes_of(thread, i),
            .most = passes_of(thread, i),
            .time_ns = (uint64_t)sought->time_ns,
            .begin_ns = (uint64_t)sought->begin_ns,
            .run_least = loop->least,
            .run_most = loop->most,
            .beside = loop->beside,
            .certain = loop->certain,
        };
    }
    modmap_free(&modules);
}

/* The phase that loop NUMBER of those chosen is shown as. */
static int phase_of(uint64_t number)
{
    char name[32] = "main loop";
    if (number > 0)
        snprintf(name, sizeof name, "loop %u", (unsigned)number + 1);
    return phase_register(name, true);
}

/*
 * Whether passes of loop NUMBER are part of passes of a loop that has been kept, or the other
 * way round: a loop that is mostly alone may have been inside another for a while.
 */
static bool overlaps(const struct thread *thread, unsigned number)
{
    const struct sought *sought = thread->seek->sought;
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        if (kept_as[i] > 0 && ((sought[number].within >> i | sought[i].within >> number) & 1))
            return true;
    return false;
}

/* Makes loop NUMBER the series at PLACE among those chosen, of PASSES iterations. */
static void keep(struct thread *thread, unsigned number, uint64_t place, uint64_t passes)
{
    struct series *slot = &thread->series[seek_series(number)];
    int phase = slot->clustering && !overlaps(thread, number) ? phase_of(place) : -1;
    if (phase < 0)
        return;
    struct series *series = &thread->series[thread->series_count++];
    struct clustering *clustering = slot->clustering;
    const uint64_t own = clustering_iterations(clustering);
    slot->clustering = NULL;
    *series = (struct series){.phase = (uint32_t)phase,
                              .shown_as = (uint32_t)phase,
                              .nested_in = -1,
                              .follows = -1,
                              .clustering = clustering};
    clustering_finish(clustering);
    if (passes > own)
        clustering_skip(clustering, passes - own);
    for (uint32_t i = 0; i < clustering_count(clustering); i++) {
        struct cluster_view cluster;
        clustering_view(clustering, i, &cluster);
        profile_move_cells_async(&thread->closed, &thread->outside, &thread->tree,
                                 cluster.cells, cluster.values, cluster.cell_count);
    }
    kept_as[number] = (uint32_t)phase + 1;
}

/*
 * The loop that takes the main one's place on a process that has not got that: of those with as
 * many passes, PASSES, or nearly, the one that took most time; LOOPS_MOST if there is none.
 */
static unsigned find_like(const struct thread *thread, const uint64_t *keys, uint64_t passes)
{
    unsigned best = LOOPS_MOST;
    for (unsigned i = 0; i < LOOPS_MOST; i++) {
        const uint64_t own = keys[i] ? passes_of(thread, i) : 0;
        if (own >= CHOICE_PASSES_LEAST && own + LIKE_MAIN >= passes &&
            own <= passes + LIKE_MAIN &&
            (best == LOOPS_MOST ||
             thread->seek->sought[i].time_ns > thread->seek->sought[best].time_ns))
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

static void collect(struct team *team, struct loop_offers *offers)
{
    const int rounds = team_rounds(team);
    team->doing = "loops";
    for (int round = 0; round < rounds; round++) {
        if (team_child(team, round) < 0)
            continue;
        size_t size;
        struct loop_offers *others = team_receive(team, team_child(team, round), &size);
        if (others && size == sizeof *others)
            choice_merge(offers, others);
        free(others);
    }
    if (team_parent(team) >= 0)
        team_send(team, team_parent(team), offers, sizeof *offers);
}

void agree(struct team *team)
{
    struct loop_offers offers = {.marked = seek_has_ended()};
    struct loop_choice choice = {.count = 0};
    uint64_t keys[LOOPS_MOST] = {0}, more[LIKE_MAIN] = {0};
    struct thread *thread = seeker();
    if (thread) {
        offers.time_ns = (uint64_t)(thread->end_ns - thread->begin_ns);
        offer_own(thread, &offers, keys);
    }
    collect(team, &offers);
    if (team->rank == 0)
        choice_make(&offers, &choice);
    team_broadcast(team, &choice, sizeof choice);
    if (choice.count == 0)
        return;
    unsigned like = LOOPS_MOST;
    if (thread && find_key(keys, choice.loops[0].key) == LOOPS_MOST)
        like = find_like(thread, keys, choice.loops[0].passes);
    for (uint64_t i = 0; like < LOOPS_MOST && i < LIKE_MAIN; i++)
        more[i] = passes_of(thread, like) == choice.loops[0].passes + i + 1;
    team_sum(team, more, NULL, LIKE_MAIN);
    choice.loops[0].passes += more[1] ? 2 : more[0] ? 1 : 0;
    for (uint64_t i = 0; thread && i < choice.count; i++) {
        const unsigned number = find_key(keys, choice.loops[i].key);
        if (number < LOOPS_MOST)
            keep(thread, number, i, choice.loops[i].passes);
        else if (i == 0 && like < LOOPS_MOST)
            keep(thread, like, i, choice.loops[i].passes);
    }
}

unsigned agree_list(const struct thread *thread, struct found_loop *found, unsigned most)
{
    unsigned count = 0, numbers[LOOPS_MOST];
    if (!thread->seek || seek_has_ended())
        return 0;
    for (unsigned i = 0; i < LOOPS_MOST; i++) {
        const struct sought *sought = &thread->seek->sought[i];
        const struct loop *loop = loops_get(&thread->seek->loops, i);
        unsigned at = count;
        if (sought->serial == 0 || sought->serial != loop->serial || sought->passes < 2)
            continue;
        for (; at > 0 && thread->seek->sought[numbers[at - 1]].begin_ns > sought->begin_ns;
             at--)
            numbers[at] = numbers[at - 1];
        numbers[at] = i;
        count++;
    }
    count = count < most ? count : most;
    for (unsigned i = 0; i < count; i++) {
        const struct loop *loop = loops_get(&thread->seek->loops, numbers[i]);
        found[i] =
            (struct found_loop){.border = loop->leaf,
                                .phase = kept_as[numbers[i]] - 1,
                                .passes = thread->seek->sought[numbers[i]].passes,
                                .time_ns = (uint64_t)thread->seek->sought[numbers[i]].time_ns,
                                .certain = loop->certain};
        for (unsigned j = 0; j < count; j++)
            if (loops_get(&thread->seek->loops, numbers[j])->serial == loop->serial_around)
                found[i].around = j + 1;
    }
    return count;
}

void agree_announce(void)
{
    const struct thread *thread = seeker();
    for (unsigned i = 0; thread && i < LOOPS_MOST; i++) {
        if (kept_as[i] == 0)
            continue;
        const struct loop *loop = loops_get(&thread->seek->loops, i);
        const struct node *leaf = &thread->tree.nodes[loop->leaf];
        char place[512];
        whereabouts(code_address(leaf->site), place, sizeof place);
        for (uint32_t s = 0; s < thread->series_count; s++)
            if (thread->series[s].phase == kept_as[i] - 1)
                message(1, "iterations: %llu of \"%s\", border before %s in %s%s",
                        (unsigned long long)clustering_iterations(thread->series[s].clustering),
                        phase_table[kept_as[i] - 1].name,
                        leaf->kind == NODE_MPI ? mpi_call_name((enum mpi_call)leaf->key)
                                               : "a call",
                        place, loop->certain ? "" : " (not certain)");
    }
}
