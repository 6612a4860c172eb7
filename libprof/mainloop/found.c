/* See found.h. */
#include "mainloop/found.h"

#include "calls/calls.h"
#include "host/host.h"
#include "iterations/iterations.h"
#include "mainloop/candidate.h"
#include "mainloop/named.h"
#include "trace/trace.h"
#include "unwind/unwind.h"

#include <stdio.h>

/* By loop number: 1 + the phase that it is shown as; 0: it is not shown. */
static uint32_t kept_as[LOOPS_MOST];

/* By loop number: its place among the chosen loops, if it is shown. */
static uint8_t kept_in[LOOPS_MOST];

/* By place among the chosen loops: processes that looked for loops and show none there. */
static uint64_t absent_in[CHOICE_LOOPS_MOST];

static char slices_text[160];

/* The names of the phases of the chosen loops, by place. */
static const char *const loop_names[] = {"main loop", "loop 2", "loop 3", "loop 4",
                                         "loop 5",    "loop 6", "loop 7", "loop 8"};
_Static_assert(sizeof loop_names / sizeof loop_names[0] == CHOICE_LOOPS_MOST,
               "all have a name");

static const char slices_name[] = "time slices";

struct thread *found_thread(void)
{
    for (struct thread *each = thread_newest; each; each = each->next)
        if (each->search && !each->stuck && !timeline_is_marked_async())
            return each;
    return NULL;
}

/* The number of the loop with this serial; LOOPS_MOST if there is none with passes to show. */
static unsigned find_serial(const struct thread *thread, uint32_t serial)
{
    unsigned number = 0;
    while (number < LOOPS_MOST && (serial == 0 || candidate_passes_async(thread, number) == 0 ||
                                   loops_get(&thread->search->loops, number)->serial != serial))
        number++;
    return number;
}

bool found_is_offered_async(const struct thread *thread, unsigned number)
{
    return candidate_passes_async(thread, number) > 0 &&
           (named_is_set_async() || !candidate_is_erratic_async(thread, number));
}

void found_offer_async(const struct thread *thread, const uint64_t keys[LOOPS_MOST],
                       struct loop_offers *offers)
{
    for (unsigned i = 0; i < LOOPS_MOST; i++) {
        const struct loop *loop = loops_get(&thread->search->loops, i);
        const struct candidate *candidate = &thread->search->candidates[i];
        const unsigned around = find_serial(thread, loop->serial_around);
        if (keys[i] == 0)
            continue;
        offers->offers[offers->count++] = (struct loop_offer){
            .key = keys[i],
            .around = around < LOOPS_MOST ? keys[around] : 0,
            .processes = 1,
            .least = candidate_passes_async(thread, i),
            .most = candidate_passes_async(thread, i),
            .time_ns = (uint64_t)candidate->time_ns,
            .begin_ns = (uint64_t)candidate->begin_ns,
            .run_least = loop->least,
            .run_most = loop->most,
            .beside = loop->beside,
            .certain = loop->certain,
            .missed = loop->missed,
        };
    }
}

/*
 * Whether passes of loop NUMBER lie within passes of a loop in KEPT, which is a set, or the
 * other way round.  Even a loop that is outermost most of the time may have been inside another
 * for a while.
 */
static bool overlaps(const struct thread *thread, unsigned number, uint32_t kept)
{
    const struct candidate *candidate = thread->search->candidates;
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        if (kept >> i & 1 &&
            ((candidate[number].within >> i | candidate[i].within >> number) & 1))
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

/*
 * Moves the clustering of SLOT into a new series of THREAD with ITERATIONS iterations of PHASE,
 * and takes what is in it out of the profile of what lies outside iterations.
 */
static void show(struct thread *thread, struct series *slot, uint32_t phase,
                 uint64_t iterations)
{
    struct series *series = &thread->iterations->series[thread->iterations->series_count++];
    struct clustering *clustering = slot->clustering;
    const uint64_t own = clustering_iterations(clustering);
    slot->clustering = NULL;
    trace_show_series(thread, (uint32_t)(slot - thread->iterations->series), phase);
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

void found_keep(struct thread *thread, unsigned number, uint64_t place, uint64_t passes)
{
    struct series *slot = &thread->iterations->series[search_series(number)];
    int phase = slot->clustering && !overlaps(thread, number, all_kept())
                    ? phase_register(loop_names[place], true)
                    : -1;
    if (phase < 0)
        return;
    show(thread, slot, (uint32_t)phase, passes);
    kept_as[number] = (uint32_t)phase + 1;
    kept_in[number] = (uint8_t)place;
}

bool found_is_kept(uint64_t place)
{
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        if (kept_as[i] && kept_in[i] == place)
            return true;
    return false;
}

void found_note_absent(uint64_t place, uint64_t processes)
{
    absent_in[place] = processes;
}

/* How many processes do not show loop NUMBER, if this one does. */
static uint64_t absent_of(unsigned number)
{
    return kept_as[number] ? absent_in[kept_in[number]] : 0;
}

/* Writes the text that found_slices returns. */
static void word_slices(enum slices_reason reason, uint64_t permille)
{
    static const char *const reasons[] = {
        [SLICES_NO_LOOP] = "no loop that calls MPI was seen",
        [SLICES_RECURSION] = "the loop that takes most time is part of a recursion",
        [SLICES_FEW_PASSES] = "no loop that was seen had more than three passes",
        [SLICES_LITTLE_TIME] = "of the loops that were seen none took more than",
        [SLICES_NOT_NAMED] = "the loop that TSPROF_ITERATION names was not seen",
    };
    _Static_assert(CHOICE_PASSES_LEAST == 4, "as the text says");
    int length = snprintf(slices_text, sizeof slices_text, "of %g s, since %s",
                          (double)SLICES_NS / 1e9, reasons[reason]);
    if (reason == SLICES_LITTLE_TIME)
        snprintf(slices_text + length, sizeof slices_text - (size_t)length,
                 " %.1f %% of the time", (double)permille / 10);
}

void found_keep_slices(struct thread *thread, uint64_t count, enum slices_reason reason,
                       uint64_t permille)
{
    int phase =
        thread && slices_count_async(thread) > 0 ? phase_register(slices_name, true) : -1;
    word_slices(reason, permille);
    if (phase >= 0)
        show(thread, &thread->iterations->series[SEARCH_SLICES], (uint32_t)phase, count);
}

const char *found_slices(void)
{
    return slices_text;
}

/* Without MPI_Init and what came before, which may take longer than all the rest. */
uint64_t found_time_until_async(const struct thread *thread, int64_t ns)
{
    ns -= thread->begin_ns + thread->search->before_ns;
    return ns > 0 ? (uint64_t)ns : 0;
}

/* Chooses the loops that this process would show alone.  Their keys are 1 + their numbers. */
static void choose_alone_async(const struct thread *thread, struct loop_choice *choice)
{
    /*
     * Static, because a handler's stack may be small, and only one thread is searched for
     * loops.
     */
    static struct loop_offers offers;
    uint64_t keys[LOOPS_MOST];
    offers = (struct loop_offers){.time_ns = found_time_until_async(thread, thread->last_ns),
                                  .processes = 1,
                                  .named = named_is_set_async(),
                                  .sliced = slices_count_async(thread) >= SLICES_LEAST};
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        keys[i] = found_is_offered_async(thread, i) ? i + UINT64_C(1) : 0;
    found_offer_async(thread, keys, &offers);
    choice_make(&offers, choice);
}

static bool may_propose(const struct thread *thread)
{
    return thread->searching && !timeline_is_marked_async();
}

void found_prepare(const struct thread *thread)
{
    struct loop_choice choice;
    if (!may_propose(thread))
        return;
    choose_alone_async(thread, &choice);
    for (uint64_t i = 0; i < choice.count; i++)
        phase_propose(loop_names[i]);
    if (choice.count == 0 && slices_count_async(thread) >= SLICES_LEAST)
        phase_propose(slices_name);
}

/* Adds the series of THREAD in SLOT to PROPOSAL under the name PHASE. */
static void propose_async(const struct thread *thread, const struct series *slot,
                          const char *phase, struct proposal *proposal)
{
    const int number = phase_find_async(phase);
    if (number < 0)
        return;
    struct series *series = &proposal->series[proposal->count++];
    *series = *slot;
    series->phase = series->shown_as = (uint32_t)number;
    trace_propose_series_async(thread, (uint32_t)(slot - thread->iterations->series),
                               (uint32_t)number);
}

void found_propose_async(const struct thread *thread, struct proposal *proposal)
{
    struct loop_choice choice;
    uint32_t kept = 0;
    proposal->count = 0;
    trace_propose_none_async(thread);
    if (!may_propose(thread))
        return;
    choose_alone_async(thread, &choice);
    for (uint64_t i = 0; i < choice.count; i++) {
        const unsigned number = (unsigned)choice.loops[i].key - 1;
        if (overlaps(thread, number, kept))
            continue;
        kept |= UINT32_C(1) << number;
        propose_async(thread, &thread->iterations->series[search_series(number)], loop_names[i],
                      proposal);
    }
    if (choice.count == 0 && slices_count_async(thread) >= SLICES_LEAST)
        propose_async(thread, &thread->iterations->series[SEARCH_SLICES], slices_name,
                      proposal);
}

/* Where the code of LOOP is entered, in bytes from its function's start; 0: not known. */
static uint64_t offset_of(const struct thread *thread, const struct loop *loop)
{
    const struct node *function = &thread->tree.nodes[thread->tree.nodes[loop->header].parent];
    return loop->entry && function->kind == NODE_FUNCTION
               ? loop->entry - code_address(function->key)
               : 0;
}

/* Finds the numbers of all loops of THREAD that were cut, by their begin; returns how many. */
static unsigned sort_found(const struct thread *thread, unsigned numbers[LOOPS_MOST])
{
    const struct candidate *candidates = thread->search->candidates;
    unsigned count = 0;
    for (unsigned i = 0; i < LOOPS_MOST; i++) {
        const struct candidate *candidate = &candidates[i];
        unsigned at = count;
        if (candidate->serial == 0 || candidate->passes < 2 ||
            candidate->serial != loops_get(&thread->search->loops, i)->serial)
            continue;
        for (; at > 0 && candidates[numbers[at - 1]].begin_ns > candidate->begin_ns; at--)
            numbers[at] = numbers[at - 1];
        numbers[at] = i;
        count++;
    }
    return count;
}

static bool is_certain(const struct thread *thread, unsigned number)
{
    const struct loop *loop = loops_get(&thread->search->loops, number);
    return loop->certain && !loop->missed && !(thread->search->doubtful >> number & 1);
}

static struct found_loop describe(const struct thread *thread, unsigned number)
{
    const struct candidate *candidate = &thread->search->candidates[number];
    const struct loop *loop = loops_get(&thread->search->loops, number);
    return (struct found_loop){.border = loop->leaf,
                               .function = thread->tree.nodes[loop->header].parent,
                               .offset = offset_of(thread, loop),
                               .phase = kept_as[number] - 1,
                               .passes = candidate->passes,
                               .time_ns = (uint64_t)candidate->time_ns,
                               .absent = absent_of(number),
                               .certain = is_certain(thread, number),
                               /* The last passes may have made no calls. */
                               .partly = loop->partly || (loop->counted && loop->spared)};
}

unsigned found_list(const struct thread *thread, struct found_loop *found, unsigned most)
{
    unsigned numbers[LOOPS_MOST];
    if (!thread->search || timeline_is_marked_async())
        return 0;
    unsigned count = sort_found(thread, numbers);
    count = count < most ? count : most;
    for (unsigned i = 0; i < count; i++) {
        const struct loop *loop = loops_get(&thread->search->loops, numbers[i]);
        found[i] = describe(thread, numbers[i]);
        for (unsigned j = 0; j < count; j++)
            if (loops_get(&thread->search->loops, numbers[j])->serial == loop->serial_around)
                found[i].around = j + 1;
    }
    return count;
}

/* Writes the source place where the call NODE was made into TEXT, which has SIZE bytes. */
static void describe_callers(const struct cct *tree, uint32_t node, char *text, size_t size)
{
    struct called_from callers[8]; /* more than a binding and what it calls ever need */
    size_t count = 0;
    for (uint32_t at = node; count < sizeof callers / sizeof callers[0]; count++) {
        const struct node *call = &tree->nodes[at];
        at = call->parent;
        if (tree->nodes[at].kind != NODE_FUNCTION)
            break;
        callers[count] =
            (struct called_from){code_address(tree->nodes[at].key), code_address(call->site)};
    }
    source_place_shown(callers, count, text, size);
}

/* The part of the time that passes of loop NUMBER took. */
static double share_of(const struct thread *thread, unsigned number)
{
    const int64_t time_ns = thread->end_ns - thread->begin_ns;
    return time_ns > 0 ? (double)thread->search->candidates[number].time_ns / (double)time_ns
                       : 0;
}

/* Writes ", not found on 2 ranks" into TEXT if ABSENT is 2; nothing if it is 0. */
static void word_absent(uint64_t absent, char *text, size_t size)
{
    *text = '\0';
    if (absent > 0)
        snprintf(text, size, ", not found on %llu rank%s", (unsigned long long)absent,
                 absent == 1 ? "" : "s");
}

/* Adds to the line that ends the run what loop SERIES of THREAD is, if it was found. */
static void announce_loop(const struct thread *thread, const struct series *series)
{
    for (unsigned i = 0; i < LOOPS_MOST; i++) {
        if (kept_as[i] != series->phase + 1)
            continue;
        const struct loop *loop = loops_get(&thread->search->loops, i);
        const struct node *leaf = &thread->tree.nodes[loop->leaf];
        char place[200]; /* a name of a template may be longer than the line */
        char absent[64];
        word_absent(absent_of(i), absent, sizeof absent);
        describe_callers(&thread->tree, loop->leaf, place, sizeof place);
        last_line_add(
            "%llu iterations of \"%s\", %.0f %% of the time, border before %s in %s%s%s",
            (unsigned long long)clustering_iterations(series->clustering),
            phase_table[series->phase].name, 100 * share_of(thread, i),
            leaf->kind == NODE_MPI ? mpi_call_name_async((enum mpi_call)leaf->key) : "a call",
            place, absent, is_certain(thread, i) && absent_of(i) == 0 ? "" : ", not certain");
    }
}

void found_announce(void)
{
    const struct thread *thread = message_is_shown(1) ? found_thread() : NULL;
    if (*slices_text && thread && thread->iterations->series_count > 0)
        last_line_add(
            "%llu slices %s; TSPROF_ITERATION can name others",
            (unsigned long long)clustering_iterations(thread->iterations->series[0].clustering),
            slices_text);
    else if (thread && absent_in[0] == 1 && thread->iterations->series_count == 0)
        last_line_add("\"%s\" not found on this rank, not certain", loop_names[0]);
    else if (thread && absent_in[0] > 1 && thread->iterations->series_count == 0)
        last_line_add("\"%s\" not found on this and %llu other ranks, not certain",
                      loop_names[0], (unsigned long long)absent_in[0] - 1);
    else if (thread && named_is_set_async() && thread->iterations->series_count == 0)
        message(1, "TSPROF_ITERATION: the loop that it names was not seen");
    for (uint32_t i = 0; thread && i < thread->iterations->series_count; i++)
        announce_loop(thread, &thread->iterations->series[i]);
}
