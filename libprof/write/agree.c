/* See agree.h. */
#include "write/agree.h"

#include "host/floating.h"
#include "iterations/iteration.h"
#include "host/message.h"
#include "host/modmap.h"
#include "calls/mpi_calls.h"
#include "iterations/phase.h"
#include "unwind/seen.h"
#include "mainloop/sought.h"
#include "write/team.h"
#include "host/whereabouts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIKE_MAIN = 2 /* passes that a loop may have more or less than the main one */ };

_Static_assert((int)LOOPS_MOST <= (int)CHOICE_OFFERS_MOST, "what one process offers fits");

/* What was kept, by loop; phase plus one. */
static uint32_t kept_as[LOOPS_MOST];

/* What a process says to the one that chooses. */
struct said {
    struct loop_offers loops;
    uint64_t slices;       /* the most that one has had */
    uint64_t recursive_ns; /* the longest time in a loop that is not offered */
};

/* Why there are slices. */
enum reason { NO_LOOP, RECURSION, FEW_PASSES, LITTLE_TIME };

/* What has been chosen: loops, or else slices, or nothing. */
struct chosen {
    struct loop_choice loops;
    uint64_t slices;
    uint64_t reason;   /* enum reason */
    uint64_t permille; /* of the time in the loop that takes most of it */
};

static char slices_text[160];

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

/* Which loop is the one with this serial; LOOPS_MOST if none is. */
static unsigned find_serial(const struct thread *thread, uint32_t serial)
{
    unsigned number = 0;
    while (number < LOOPS_MOST && (serial == 0 || sought_passes(thread, number) == 0 ||
                                   loops_get(&thread->seek->loops, number)->serial != serial))
        number++;
    return number;
}

/* The longest time in a loop of THREAD that is not worth a key. */
static uint64_t erratic_ns(const struct thread *thread)
{
    int64_t longest_ns = 0;
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        if (sought_passes(thread, i) && sought_is_erratic_async(thread, i) &&
            thread->seek->sought[i].time_ns > longest_ns)
            longest_ns = thread->seek->sought[i].time_ns;
    return (uint64_t)longest_ns;
}

/* Whether loop NUMBER may be shown, for what is known of it here. */
static bool is_offered_async(const struct thread *thread, unsigned number)
{
    return sought_passes(thread, number) > 0 && !sought_is_erratic_async(thread, number);
}

/* Keys that are the same in all processes. */
static void find_keys(const struct thread *thread, uint64_t keys[LOOPS_MOST])
{
    struct modmap modules;
    modmap_load(&modules);
    for (unsigned i = 0; i < LOOPS_MOST; i++) {
        const struct loop *loop = loops_get(&thread->seek->loops, i);
        keys[i] = is_offered_async(thread, i)
                      ? key_of(thread, &modules, loop->leaf, loop->border)
                      : 0;
    }
    modmap_free(&modules);
}

/* Offers the loops found on THREAD, those that have a key. */
static void offer_async(const struct thread *thread, const uint64_t keys[LOOPS_MOST],
                        struct loop_offers *offers)
{
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
            .least = sought_passes(thread, i),
            .most = sought_passes(thread, i),
            .time_ns = (uint64_t)sought->time_ns,
            .begin_ns = (uint64_t)sought->begin_ns,
            .run_least = loop->least,
            .run_most = loop->most,
            .beside = loop->beside,
            .certain = loop->certain,
        };
    }
}

/* The phases of the loops that were chosen, in their order. */
static const char *const loop_names[] = {"main loop", "loop 2", "loop 3", "loop 4",
                                         "loop 5",    "loop 6", "loop 7", "loop 8"};
_Static_assert(sizeof loop_names / sizeof loop_names[0] == CHOICE_LOOPS_MOST,
               "all have a name");

static const char slices_name[] = "time slices";

/*
 * Whether passes of loop NUMBER are part of passes of a loop in KEPT, a set, or the other way
 * round: a loop that is mostly alone may have been inside another for a while.
 */
static bool overlaps(const struct thread *thread, unsigned number, uint32_t kept)
{
    const struct sought *sought = thread->seek->sought;
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        if (kept >> i & 1 && ((sought[number].within >> i | sought[i].within >> number) & 1))
            return true;
    return false;
}

static uint32_t all_kept(void)
{
    uint32_t kept = 0;
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        kept |= (uint32_t)(kept_as[i] > 0) << i;
    return kept;
}

/* Makes what is gathered in SLOT the next series of THREAD: ITERATIONS of PHASE. */
static void show(struct thread *thread, struct series *slot, uint32_t phase,
                 uint64_t iterations)
{
    struct series *series = &thread->series[thread->series_count++];
    struct clustering *clustering = slot->clustering;
    const uint64_t own = clustering_iterations(clustering);
    slot->clustering = NULL;
    *series = (struct series){.phase = phase,
                              .shown_as = phase,
                              .nested_in = -1,
                              .follows = -1,
                              .clustering = clustering};
    clustering_finish(clustering);
    if (iterations > own)
        clustering_skip(clustering, iterations - own);
    for (uint32_t i = 0; i < clustering_count(clustering); i++) {
        struct cluster_view cluster;
        clustering_view(clustering, i, &cluster);
        profile_move_cells_async(&thread->closed, &thread->outside, &thread->tree,
                                 cluster.cells, cluster.values, cluster.cell_count);
    }
}

/* Makes loop NUMBER the series at PLACE among those chosen, of PASSES iterations. */
static void keep(struct thread *thread, unsigned number, uint64_t place, uint64_t passes)
{
    struct series *slot = &thread->series[seek_series(number)];
    int phase = slot->clustering && !overlaps(thread, number, all_kept())
                    ? phase_register(loop_names[place], true)
                    : -1;
    if (phase < 0)
        return;
    show(thread, slot, (uint32_t)phase, passes);
    kept_as[number] = (uint32_t)phase + 1;
}

/* Shows the slices of THREAD, NULL if there is none, as COUNT iterations. */
static void keep_slices(struct thread *thread, uint64_t count)
{
    int phase = thread && slices_count(thread) > 0 ? phase_register(slices_name, true) : -1;
    if (phase >= 0)
        show(thread, &thread->series[SEEK_SLICES], (uint32_t)phase, count);
}

/*
 * The loop that takes the main one's place on a process that has not got that: of those with as
 * many passes, PASSES, or nearly, the one that took most time; LOOPS_MOST if there is none.
 */
static unsigned find_like(const struct thread *thread, const uint64_t *keys, uint64_t passes)
{
    unsigned best = LOOPS_MOST;
    for (unsigned i = 0; i < LOOPS_MOST; i++) {
        const uint64_t own = keys[i] ? sought_passes(thread, i) : 0;
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

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void collect(struct team *team, struct said *said)
{
    const int rounds = team_rounds(team);
    team->doing = "loops";
    for (int round = 0; round < rounds; round++) {
        if (team_child(team, round) < 0)
            continue;
        size_t size;
        struct said *other = team_receive(team, team_child(team, round), &size);
        if (other && size == sizeof *other) {
            choice_merge(&said->loops, &other->loops);
            said->slices = larger(said->slices, other->slices);
            said->recursive_ns = larger(said->recursive_ns, other->recursive_ns);
        }
        free(other);
    }
    if (team_parent(team) >= 0)
        team_send(team, team_parent(team), said, sizeof *said);
}

/* Chooses for all: what all have SAID. */
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
    chosen->reason = said->recursive_ns > longest_ns ? RECURSION
                     : loops->count == 0             ? NO_LOOP
                     : most < CHOICE_PASSES_LEAST    ? FEW_PASSES
                                                     : LITTLE_TIME;
    chosen->permille = loops->time_ns ? longest_ns * 1000 / loops->time_ns : 0;
}

/* Words for the slices that were chosen. */
static void word_slices(const struct chosen *chosen)
{
    static const char *const reasons[] = {
        [NO_LOOP] = "no loop that calls MPI was seen",
        [RECURSION] = "the loop that takes most time is part of a recursion",
        [FEW_PASSES] = "no loop that was seen had more than three passes",
        [LITTLE_TIME] = "of the loops that were seen none took more than",
    };
    int length = snprintf(slices_text, sizeof slices_text, "of %g s, since %s",
                          (double)SLICES_NS / 1e9, reasons[chosen->reason]);
    if (chosen->reason == LITTLE_TIME)
        snprintf(slices_text + length, sizeof slices_text - (size_t)length,
                 " %.1f %% of the time", (double)chosen->permille / 10);
}

const char *agree_slices(void)
{
    return slices_text;
}

/* Shows the loops that were chosen; KEYS are those of THREAD's, if there is one. */
static void keep_loops(struct team *team, struct thread *thread, const uint64_t *keys,
                       struct loop_choice *choice)
{
    uint64_t more[LIKE_MAIN] = {0};
    unsigned like = LOOPS_MOST;
    if (thread && find_key(keys, choice->loops[0].key) == LOOPS_MOST)
        like = find_like(thread, keys, choice->loops[0].passes);
    for (uint64_t i = 0; like < LOOPS_MOST && i < LIKE_MAIN; i++)
        more[i] = sought_passes(thread, like) == choice->loops[0].passes + i + 1;
    team_sum(team, more, NULL, LIKE_MAIN);
    choice->loops[0].passes += more[1] ? 2 : more[0] ? 1 : 0;
    for (uint64_t i = 0; thread && i < choice->count; i++) {
        const unsigned number = find_key(keys, choice->loops[i].key);
        if (number < LOOPS_MOST)
            keep(thread, number, i, choice->loops[i].passes);
        else if (i == 0 && like < LOOPS_MOST)
            keep(thread, like, i, choice->loops[i].passes);
    }
}

/* The time up to NS in which loops were looked for: MPI_Init may take longer than all the rest.
 */
static uint64_t time_until_async(const struct thread *thread, int64_t ns)
{
    ns -= thread->begin_ns + thread->seek->before_ns;
    return ns > 0 ? (uint64_t)ns : 0;
}

void agree(struct team *team)
{
    static bool agreed;
    struct said said = {.loops.marked = seek_has_ended()};
    struct chosen chosen = {.slices = 0};
    uint64_t keys[LOOPS_MOST] = {0};
    struct thread *thread = seeker();
    if (agreed)
        return;
    agreed = true;
    if (thread) {
        said.loops.time_ns = time_until_async(thread, thread->end_ns);
        said.slices = slices_count(thread);
        said.recursive_ns = erratic_ns(thread);
        find_keys(thread, keys);
        offer_async(thread, keys, &said.loops);
    }
    collect(team, &said);
    if (team->rank == 0)
        choose(&said, &chosen);
    team_broadcast(team, &chosen, sizeof chosen);
    if (chosen.loops.count > 0) {
        keep_loops(team, thread, keys, &chosen.loops);
    } else if (chosen.slices > 0) {
        word_slices(&chosen);
        keep_slices(thread, chosen.slices);
    }
}

void agree_alone(void)
{
    struct team team = team_alone(0);
    struct floating floating;
    floating_begin(&floating);
    agree(&team);
    floating_end(&floating);
}

/* What THREAD's process would choose alone; keys are numbers of loops plus one. */
static void choose_alone_async(const struct thread *thread, struct loop_choice *choice)
{
    /* Only one thread is looked at, and a handler's stack is small. */
    static struct loop_offers offers;
    uint64_t keys[LOOPS_MOST];
    offers = (struct loop_offers){.time_ns = time_until_async(thread, thread->last_ns)};
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        keys[i] = is_offered_async(thread, i) ? i + UINT64_C(1) : 0;
    offer_async(thread, keys, &offers);
    choice_make(&offers, choice);
}

static bool may_propose(const struct thread *thread)
{
    return thread->seeking && !seek_has_ended();
}

void agree_prepare(const struct thread *thread)
{
    struct loop_choice choice;
    if (!may_propose(thread))
        return;
    choose_alone_async(thread, &choice);
    for (uint64_t i = 0; i < choice.count; i++)
        phase_propose(loop_names[i]);
    if (choice.count == 0 && slices_count(thread) >= SLICES_LEAST)
        phase_propose(slices_name);
}

/* Adds what is gathered in SLOT to the PROPOSAL, as PHASE. */
static void propose_async(const struct thread *thread, const struct series *slot,
                          const char *phase, struct proposal *proposal)
{
    struct profile *less = &thread->seek->slices.ending;
    const int number = phase_find_async(phase);
    if (number < 0)
        return;
    struct series *series = &proposal->series[proposal->count++];
    *series = *slot;
    series->phase = series->shown_as = (uint32_t)number;
    for (uint32_t i = 0; i < clustering_count(slot->clustering); i++) {
        struct cluster_view cluster;
        uint32_t node = 0;
        clustering_view(slot->clustering, i, &cluster);
        for (size_t n = 0; n < cluster.cell_count; n++) {
            node = profile_node_of_cell_async(&thread->tree, node, cluster.cells[n]);
            int64_t *cell = &profile_cells_async(
                less, &thread->tree, node)[cluster.cells[n] - thread->tree.nodes[node].cell];
            *cell = (int64_t)((uint64_t)*cell - (uint64_t)cluster.values[n]);
        }
    }
}

void agree_propose_async(const struct thread *thread, struct proposal *proposal)
{
    struct loop_choice choice;
    uint32_t kept = 0;
    proposal->count = 0;
    if (!may_propose(thread) || !thread->seek->slices.ending.values)
        return;
    struct profile *less = &thread->seek->slices.ending;
    profile_clear_async(less);
    proposal->less = less;
    choose_alone_async(thread, &choice);
    for (uint64_t i = 0; i < choice.count; i++) {
        const unsigned number = (unsigned)choice.loops[i].key - 1;
        if (overlaps(thread, number, kept))
            continue;
        kept |= UINT32_C(1) << number;
        propose_async(thread, &thread->series[seek_series(number)], loop_names[i], proposal);
    }
    if (choice.count == 0 && slices_count(thread) >= SLICES_LEAST)
        propose_async(thread, &thread->series[SEEK_SLICES], slices_name, proposal);
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

/* Where the call NODE was made, in TEXT of SIZE bytes. */
static void describe_callers(const struct cct *tree, uint32_t node, char *text, size_t size)
{
    struct called_from callers[8]; /* more than there are bindings inside each other */
    size_t count = 0;
    for (uint32_t at = node; count < sizeof callers / sizeof callers[0]; count++) {
        const struct node *call = &tree->nodes[at];
        at = call->parent;
        if (tree->nodes[at].kind != NODE_FUNCTION)
            break;
        callers[count] =
            (struct called_from){code_address(tree->nodes[at].key), code_address(call->site)};
    }
    whereabouts_shown(callers, count, text, size);
}

/* Says what SERIES of THREAD is, if it is one of a loop that was found. */
static void announce_loop(const struct thread *thread, const struct series *series)
{
    for (unsigned i = 0; i < LOOPS_MOST; i++) {
        if (kept_as[i] != series->phase + 1)
            continue;
        const struct loop *loop = loops_get(&thread->seek->loops, i);
        const struct node *leaf = &thread->tree.nodes[loop->leaf];
        char place[512];
        describe_callers(&thread->tree, loop->leaf, place, sizeof place);
        message(1, "iterations: %llu of \"%s\", border before %s in %s%s",
                (unsigned long long)clustering_iterations(series->clustering),
                phase_table[series->phase].name,
                leaf->kind == NODE_MPI ? mpi_call_name((enum mpi_call)leaf->key) : "a call",
                place, loop->certain ? "" : " (not certain)");
    }
}

void agree_announce(void)
{
    const struct thread *thread = message_is_shown(1) ? seeker() : NULL;
    if (*slices_text && thread && thread->series_count > 0)
        message(
            1,
            "iterations: %llu slices %s; TSPROF_ITERATION can name others (doc/iterations.md)",
            (unsigned long long)clustering_iterations(thread->series[0].clustering),
            slices_text);
    for (uint32_t i = 0; thread && i < thread->series_count; i++)
        announce_loop(thread, &thread->series[i]);
}
