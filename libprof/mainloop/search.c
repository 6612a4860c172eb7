/* See search.h. */
#include "mainloop/search.h"

#include "arch/arch.h"
#include "calls/calls.h"
#include "counters/counters.h"
#include "host/host.h"
#include "iterations/iterations.h"
#include "mainloop/candidate.h"
#include "mainloop/doubt.h"
#include "mainloop/found.h"
#include "mainloop/named.h"
#include "trace/trace.h"
#include "unwind/unwind.h"

#include <string.h>

enum {
    PREFERENCE_NONE,
    PREFERENCE_LOCAL,
    PREFERENCE_TRANSFER,
    PREFERENCE_COMPLETION,
    PREFERENCE_COLLECTIVE,
    STRIDE_MOST = 1 << 16,
    ALIGNED_EXTRA = 256 /* enough for aligning the blocks in the arena */
};

_Static_assert((int)SEARCH_SLICES >= 0, "there are series for all loops, and for slices");

uint8_t search_preferences[CALL_COUNT];

/* Whether a program makes CALL again and again while it waits. */
static bool is_poll(enum mpi_call call)
{
    switch (call) {
    case CALL_MPI_Iprobe:
    case CALL_MPI_Improbe:
    case CALL_MPI_Test:
    case CALL_MPI_Testall:
    case CALL_MPI_Testany:
    case CALL_MPI_Testsome:
    case CALL_MPI_Request_get_status:
        return true;
    default:
        return false;
    }
}

static uint8_t preference_of(enum mpi_call call)
{
    const char *group = mpi_call_group_async(call);
    if (is_poll(call))
        return PREFERENCE_NONE;
    if (strcmp(group, "COLL") == 0)
        return PREFERENCE_COLLECTIVE;
    if (call == CALL_MPI_Waitall)
        return PREFERENCE_COMPLETION;
    return strcmp(group, "P2P") == 0 || strcmp(group, "RMA") == 0 ? PREFERENCE_TRANSFER
                                                                  : PREFERENCE_LOCAL;
}

static uint32_t parent_of(const void *context, uint32_t node)
{
    const struct thread *thread = context;
    return thread->tree.nodes[node].parent;
}

static int loops_around(const void *context, uint32_t node, uint64_t *around)
{
    const struct thread *thread = context;
    const uintptr_t address = code_address(thread->tree.nodes[node].site);
    return address ? loop_code_around(thread->search->code, address, around) : -1;
}

/* Whether NODE is of a function's part that lies apart: its cold part, or a handler. */
static bool is_piece(const struct thread *thread, uint32_t number)
{
    const struct node *node = &thread->tree.nodes[number];
    return node->kind == NODE_FUNCTION &&
           loop_code_is_piece(thread->search->code, code_address(node->key));
}

static bool is_direct_call(uintptr_t address)
{
    uintptr_t target;
    return arch_is_call_async((const unsigned char *)address + 1 - ARCH_CALL_BYTES, &target);
}

/*
 * Whether TO, called at the same ADDRESS in the code as FROM, is not another call, but what the
 * first one has led to without returning: another piece of the function, or one that it has
 * jumped to in its end.  In a tree what was called comes before that.
 */
static bool is_same_call(const struct thread *thread, uint32_t from, uint32_t to,
                         uintptr_t address)
{
    return is_piece(thread, from) || is_piece(thread, to) ||
           (to > from && is_direct_call(address));
}

static struct code_way way(const void *context, uint32_t from, uint32_t to)
{
    const struct thread *thread = context;
    const uintptr_t before = code_address(thread->tree.nodes[from].site),
                    address = code_address(thread->tree.nodes[to].site);
    if (!before || !address)
        return (struct code_way){.known = false};
    if (before == address && from != to && is_same_call(thread, from, to, address))
        return (struct code_way){.known = true, .possible = true};
    struct code_way found = loop_code_way(thread->search->code, before, address);
    found.same = found.same && !is_direct_call(address);
    return found;
}

/* The count of the loop at ENTRY, read from the function that calls NODE. */
static struct loops_count count(const void *context, uint32_t node, uint64_t entry)
{
    const struct thread *thread = context;
    const struct search *search = thread->search;
    const uintptr_t address = code_address(thread->tree.nodes[node].site);
    uint32_t value;
    if (!address || !search->walker)
        return (struct loops_count){.known = false};
    const struct code_counter *counter =
        loop_code_counter(search->code, address, (uintptr_t)entry);
    if (!counter)
        return (struct loops_count){.late = true};
    if (counter->place.kind == PLACE_ELSEWHERE)
        return (struct loops_count){.known = false};
    const bool was_read = kept_read(search->walker, thread->tree.nodes[node].parent,
                                    counter->place, &search->code->kept, &value);
    loop_code_note_read(search->code, address, (uintptr_t)entry, was_read);
    if (!was_read)
        return (struct loops_count){.known = false};
    return (struct loops_count){.known = true,
                                .starts = counter->starts,
                                .is = value - counter->ahead,
                                .step = counter->step,
                                .first = counter->first};
}

/*
 * Has the function that call path FUNCTION ends in, where loop NUMBER is, return by an alias,
 * if it can.  Returns where its return address is; NULL if that tells nothing.  Where all
 * functions return by aliases anyway, walks tell which have been called again.
 */
static const uintptr_t *watch(const void *context, unsigned number, uint32_t function)
{
    struct search *search = ((const struct thread *)context)->search;
    uintptr_t word = 0;
    if (!search->walker)
        return NULL;
    if (search->walker->single)
        return &search->entries;
    const uintptr_t *slot = unwind_put_alias_at(search->walker, function, &word);
    search->aliases[number] = word;
    return slot && alias_is_async(word) ? slot : NULL;
}

/* Whether that function has been called again since. */
static bool is_called_again(const void *context, unsigned number, uint32_t function)
{
    const struct thread *thread = context;
    const struct search *search = thread->search;
    if (!search->walker)
        return false;
    if (search->walker->single)
        return search->visited && visits_has_entered(&thread->scratch->visits, function);
    const uintptr_t *slot = unwind_return_slot(search->walker, function);
    return slot && *slot != search->aliases[number];
}

/*
 * What loop NUMBER is worth to the recogniser: the time in its passes that were cut; most, if
 * it is named.
 */
static uint64_t worth_of(const void *context, unsigned number)
{
    struct search *search = ((const struct thread *)context)->search;
    const struct candidate *candidate = &search->candidates[number];
    const struct loop *loop = loops_get(&search->loops, number);
    if (named_is_set_async() && !loop->ignored)
        return UINT64_MAX;
    return candidate->serial == loop->serial ? (uint64_t)candidate->time_ns : 0;
}

static bool is_wanted(const void *context, const struct loop *loop)
{
    return named_is(&((const struct thread *)context)->tree, loop);
}

/* Drops the series of loop NUMBER and all that is known of its passes. */
static void drop(struct thread *thread, unsigned number)
{
    iteration_discard_async(thread, search_series(number));
    thread->search->candidates[number] = (struct candidate){.serial = 0};
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        thread->search->candidates[i].within &= ~(UINT32_C(1) << number);
}

static int64_t spent_since(uint64_t start)
{
    return clock_to_ns_async(clock_ticks_async()) - clock_to_ns_async(start);
}

/*
 * What is reckoned for something that has SPENT_NS, but not more than so many TIMES *USUAL_NS,
 * which follows the median: what others do on the machine must not change what is found.
 */
static int64_t reckon(int64_t spent_ns, int64_t *usual_ns, int64_t times)
{
    const int64_t most_ns = *usual_ns * times, step_ns = *usual_ns / 16 + 1;
    *usual_ns += spent_ns > *usual_ns ? step_ns : *usual_ns > step_ns ? -step_ns : 0;
    return spent_ns < most_ns ? spent_ns : most_ns;
}

/* Opens a pass of loop NUMBER, which UNSEEN others have preceded that made no calls. */
static void open_pass(struct thread *thread, unsigned number, uint64_t unseen, int64_t ns)
{
    struct search *search = thread->search;
    struct candidate *candidate = &search->candidates[number];
    const struct loop *loop = loops_get(&search->loops, number);
    if (candidate->serial != loop->serial) {
        drop(thread, number);
        *candidate = (struct candidate){.serial = loop->serial, .begin_ns = ns, .stride = 1};
    }
    for (const struct level *level = thread->level; level > thread->levels; level--)
        candidate->within |= UINT32_C(1) << search->open[level - thread->levels - 1];
    candidate->passes += unseen;
    candidate->skipped += unseen;
    candidate->unseen += unseen;
    const bool kept = ((candidate->passes - candidate->unseen) & (candidate->stride - 1)) == 0;
    /* Only one in `stride` passes has a profile. */
    instance_open_pass_async(thread, thread->tree.nodes[loop->header].parent,
                             kept ? (int)search_series(number) : -1, thread->last_sample, ns);
    search->open[thread->level - thread->levels - 1] = (uint8_t)number;
    search->calls_before[thread->level - thread->levels - 1] = thread->cost.calls;
    /* What the loop is called is not known before the end. */
    if (thread->trace && thread->level->kept)
        trace_begin_iteration_async(thread, candidate->passes, NULL);
}

/* Whether the pass on LEVEL goes into a series, which is created for the loop's first pass. */
static bool has_series(struct thread *thread, const struct level *level, unsigned number)
{
    struct series *series = &thread->iterations->series[search_series(number)];
    if (!level->kept)
        return false;
    if (!series->clustering)
        series_begin_async(thread, series, true);
    return series->clustering;
}

/* Notes how many MPI calls a whole pass has, of a loop that CANDIDATE is. */
static void note_calls(struct candidate *candidate, int64_t calls)
{
    if (candidate->least_calls == 0 || calls < candidate->least_calls)
        candidate->least_calls = calls;
}

/*
 * Whether a pass with so many CALLS, in which the program has left loop NUMBER, is a stump:
 * where borders lie in the middle of the loop's body, what comes after the last of them is no
 * step of the program.  Later runs of a loop are not looked at: of a solver in each time step,
 * what ends it may be a pass of its own kind.
 */
static bool is_stump(struct search *search, unsigned number, int64_t calls)
{
    enum { WHOLE_PASSES = 3, CALLS_LEAST = 4 };
    const struct candidate *candidate = &search->candidates[number];
    return loops_get(&search->loops, number)->runs <= 1 && candidate->passes >= WHOLE_PASSES &&
           candidate->least_calls >= CALLS_LEAST && 4 * calls < 3 * candidate->least_calls;
}

/*
 * Ends the innermost pass at NS.  AGAIN says that the next pass of the same loop begins there.
 * A first pass that is not followed by another does not count, since it is not yet a loop, nor
 * does a stump.
 */
static void close_pass(struct thread *thread, bool again, int64_t ns)
{
    struct search *search = thread->search;
    struct level *level = thread->level;
    const unsigned number = search->open[level - thread->levels - 1];
    struct candidate *candidate = &search->candidates[number];
    const int64_t wall_ns = ns - level->begin_ns,
                  calls = thread->cost.calls - search->calls_before[level - thread->levels - 1];
    if (!again &&
        (candidate->passes == 0 || (level->kept && is_stump(search, number, calls)))) {
        instance_absorb_async(thread);
        return;
    }
    if (again && level->kept)
        note_calls(candidate, calls);
    candidate->passes++;
    candidate->time_ns += wall_ns;
    candidate->recent_ns += wall_ns;
    candidate->own_ns += level->overhead_ns;
    if ((candidate->stride > 1 || loops_get(&search->loops, number)->spared) &&
        candidate_is_sure(search, number, ns)) {
        candidate->stride = 1;
        if (loops_get(&search->loops, number)->spared)
            loops_spare_not(&search->loops, number);
    }
    if (!has_series(thread, level, number)) {
        candidate->skipped++;
        instance_absorb_async(thread);
        return;
    }
    if (candidate->skipped > 0) {
        iteration_skip_async(thread, search_series(number), candidate->skipped);
        candidate->skipped = 0;
    }
    level->is_sure = candidate_is_sure(search, number, ns);
    instance_close_async(thread, ns);
}

/* Counts the passes without a profile that search_skip has only noted. */
static void settle_skipped(struct thread *thread)
{
    struct search *search = thread->search;
    if (search->skipped > 0) {
        struct level *level = thread->level;
        struct candidate *candidate =
            &search->candidates[search->open[level - thread->levels - 1]];
        candidate->passes += search->skipped;
        candidate->skipped += search->skipped;
        candidate->time_ns += search->skipped_ns - level->begin_ns;
        candidate->recent_ns += search->skipped_ns - level->begin_ns;
        level->begin_ns = search->skipped_ns;
    }
    search->skips = search->skipped = 0;
}

/*
 * How many passes without a profile follow the innermost one before the next that has one; 0 if
 * the innermost one has a profile itself.
 */
static uint64_t skips_after(const struct thread *thread)
{
    const struct search *search = thread->search;
    const struct level *level = thread->level;
    if (level == thread->levels || level->kept)
        return 0;
    const struct candidate *candidate =
        &search->candidates[search->open[level - thread->levels - 1]];
    return candidate->stride - 1 -
           ((candidate->passes - candidate->unseen) & (candidate->stride - 1));
}

static bool begins(const struct loops_verdict *verdict, unsigned number)
{
    for (unsigned i = 0; i < verdict->count; i++)
        if (verdict->open[i] == number)
            return true;
    return false;
}

/*
 * What clustering passes of loop NUMBER has cost since this was last asked.  It is done when
 * other calls come.
 */
static int64_t clustered_since(struct thread *thread, unsigned number)
{
    struct candidate *candidate = &thread->search->candidates[number];
    const int64_t before_ns = candidate->clustered_ns;
    candidate->clustered_ns = thread->iterations->series[search_series(number)].cost_ns;
    /* A series that was dropped has begun anew. */
    return candidate->clustered_ns - (before_ns <= candidate->clustered_ns ? before_ns : 0);
}

/*
 * Divides what cutting has cost since START, but for CLUSTERED_NS, among LOOPS, which is a set,
 * and adds to each what clustering its passes has cost.
 */
static void charge(struct thread *thread, uint32_t loops, uint64_t start, int64_t clustered_ns)
{
    struct search *search = thread->search;
    const int64_t own_ns = spent_since(start) - clustered_ns;
    const int64_t spent_ns =
                      reckon(own_ns > 0 ? own_ns : 0, &search->cut_usual_ns, SEARCH_CUT_TIMES),
                  count = __builtin_popcount(loops);
    search->cutting_ns += spent_ns;
    search->doubt_ns += search->is_in_doubt ? spent_ns : 0;
    for (unsigned i = 0; i < LOOPS_MOST; i++) {
        if (!(loops >> i & 1))
            continue;
        const int64_t since_ns = clustered_since(thread, i);
        search->cutting_ns += since_ns;
        search->doubt_ns += search->is_in_doubt ? since_ns : 0;
        search->candidates[i].cost_ns += spent_ns / count + since_ns;
    }
}

static void cut(struct thread *thread, const struct loops_verdict *verdict, int64_t ns)
{
    struct search *search = thread->search;
    const uint64_t start = clock_ticks_async();
    const int64_t clustered_ns = thread->iterations->cost_ns;
    uint32_t loops = 0;
    for (unsigned i = (unsigned)(thread->level - thread->levels); i-- > verdict->keep;) {
        loops |= UINT32_C(1) << search->open[i];
        close_pass(thread, begins(verdict, search->open[i]), ns);
    }
    for (unsigned i = 0; i < verdict->count; i++) {
        loops |= UINT32_C(1) << verdict->open[i];
        open_pass(thread, verdict->open[i], verdict->unseen[i], ns);
    }
    charge(thread, loops, start, thread->iterations->cost_ns - clustered_ns);
}

/* Drops the series of loop NUMBER, which is not cut any more. */
static void let_go(struct thread *thread, unsigned number)
{
    if (thread->iterations->series[search_series(number)].clustering)
        iteration_discard_async(thread, search_series(number));
}

/*
 * Stops cutting an inner loop of short passes once it is clear that there is a loop around it,
 * because the inner one would not be shown: it was come into again and again.  What most passes
 * of the loop around it do not come into may be what one line of an input asks for, and the
 * main loop.
 */
static void ignore_short(struct thread *thread, int64_t ns)
{
    struct search *search = thread->search;
    const unsigned open = (unsigned)(thread->level - thread->levels);
    if (open < 2)
        return;
    const unsigned number = search->open[open - 1];
    if (search->candidates[number].stride < SEARCH_SHORT ||
        search->candidates[search->open[open - 2]].passes < SEARCH_SURE ||
        loops_get(&search->loops, number)->runs < SEARCH_SURE)
        return;
    close_pass(thread, true, ns);
    loops_ignore(&search->loops);
    let_go(thread, number);
}

/*
 * The loop for which saving is worthwhile at NS: of those that cause an eighth of the cost or
 * more, the innermost one, but not what is the main loop for all that is known; LOOPS_NONE if
 * there is none.
 */
static unsigned costly(struct search *search, int64_t ns)
{
    const int64_t all_ns = search->cutting_ns + search->looking_ns;
    unsigned best = LOOPS_NONE;
    int inside = -1;
    for (unsigned i = 0; i < LOOPS_MOST; i++) {
        const struct candidate *candidate = &search->candidates[i];
        const int around = __builtin_popcount(candidate->within);
        if (8 * candidate->cost_ns < all_ns || around < inside ||
            (around == inside && candidate->cost_ns < search->candidates[best].cost_ns) ||
            candidate_is_sure(search, i, ns))
            continue;
        best = i;
        inside = around;
    }
    return best;
}

/* Whether IS is true of one of the loops at NS. */
static bool is_any(struct search *search, int64_t ns,
                   bool (*is)(struct search *, unsigned, int64_t))
{
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        if (is(search, i, ns))
            return true;
    return false;
}

/* What the search may cost from BEGIN_NS to NS, in nanoseconds, besides what it may in any
 * case. */
static int64_t share_of(const struct search *search, int64_t begin_ns, int64_t ns)
{
    const int64_t first_ns = search->begin_ns + 1000000000;
    const int64_t before = begin_ns < first_ns ? begin_ns : first_ns,
                  after = ns < first_ns ? ns : first_ns;
    return (after - before) / SEARCH_FIRST_SHARE +
           (ns - begin_ns - (after - before)) / SEARCH_SHARE;
}

/* What is left at NS of what the search may cost in all; below 0 if it has cost more. */
static int64_t left_at(const struct search *search, int64_t ns)
{
    return SEARCH_FREE_NS + share_of(search, search->begin_ns, ns) - search->spent_ns -
           search->cutting_ns - search->looking_ns;
}

static bool is_first_second(const struct search *search, int64_t ns)
{
    return ns - search->begin_ns < 1000000000;
}

/*
 * Whether no more may be spent in the first second, since there is no main loop in sight and
 * all that looking for one may take was taken.
 */
static bool is_used_up(const struct search *search, int64_t ns)
{
    return search->is_in_doubt && is_first_second(search, ns) &&
           search->doubt_ns + loop_code_spent_ns(search->code) > SEARCH_DOUBT_NS &&
           !named_is_set_async();
}

/* While anything is done in pieces, and while what came then is looked at, each call goes on
 * with that. */
static void set_due(struct search *search, int64_t ns)
{
    const bool goes_on = loop_code_is_busy(search->code) || loops_is_checking(&search->loops);
    search->due_ns = goes_on && !is_used_up(search, ns)     ? INT64_MIN
                     : search->deeper_ns < search->again_ns ? search->deeper_ns
                                                            : search->again_ns;
}

/* Goes on with what is done in pieces.  If a function has been read now, what has waited for it
 * is asked for again; LEAF is the call that comes now. */
static void read_on(struct search *search, uint32_t leaf)
{
    if (loop_code_go_on(search->code))
        loops_arrive_in_time(&search->loops, leaf);
}

/* When that is to be tried again which was in vain at NS. */
static int64_t later(const struct search *search, int64_t ns)
{
    const int64_t wait_ns = (ns - search->begin_ns) / SEARCH_DEEPER_SHARE;
    return ns + (wait_ns > SEARCH_DEEPER_LEAST_NS ? wait_ns : SEARCH_DEEPER_LEAST_NS);
}

/* Forgets what was known of passes of loops that were too deep, and whose series were dropped.
 */
static void drop_deep(struct thread *thread)
{
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        if (loops_get(&thread->search->loops, i)->deep &&
            !thread->iterations->series[search_series(i)].clustering)
            drop(thread, i);
}

/* Looks as deep as at first again, if there is time: the main loop may have begun since. */
static void look_deeper(struct thread *thread, int64_t ns)
{
    struct search *search = thread->search;
    if (ns >= search->again_ns) {
        loops_try_again(&search->loops);
        search->again_ns = INT64_MAX;
    }
    if (ns >= search->deeper_ns) {
        const bool is_dear =
            is_first_second(search, ns) && left_at(search, ns) < SEARCH_AGAIN_NS;
        if (!is_dear) {
            drop_deep(thread);
            loops_deepen(&search->loops);
        }
        search->deeper_ns = is_dear ? later(search, ns) : INT64_MAX;
    }
    set_due(search, ns);
}

/* Where calls are examined less deep from NS on: closes passes but for the first KEEP. */
static void leave_deep(struct thread *thread, unsigned keep, int64_t ns)
{
    struct search *search = thread->search;
    while (thread->level - thread->levels > keep)
        close_pass(thread, false, ns);
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        if (loops_get(&search->loops, i)->ignored && !candidate_is_worth_it(search, i, ns))
            let_go(thread, i);
}

/* Examines calls less deep in the call tree from now on, but loses no loop in KEPT. */
static void look_less(struct thread *thread, uint32_t kept, int64_t ns)
{
    struct search *search = thread->search;
    const uint64_t era = search->loops.era;
    const unsigned keep = loops_lessen(&search->loops, kept);
    /* There may be nothing more to give up: then what has been learnt stays. */
    if (search->loops.era == era)
        return;
    leave_deep(thread, keep, ns);
    search->deeper_ns = later(search, ns);
    set_due(search, ns);
}

/*
 * Where all that may be spent in the first second is, and there is no main loop in sight: looks
 * at nothing until that second is over.
 */
static void look_away(struct thread *thread, int64_t ns)
{
    struct search *search = thread->search;
    const uint64_t era = search->loops.era;
    const unsigned keep = loops_look_away(&search->loops);
    if (search->loops.era == era)
        return;
    leave_deep(thread, keep, ns);
    search->deeper_ns = search->begin_ns + 1000000000;
    set_due(search, ns);
}

/* Where no loop in particular is to blame. */
static void save_looking(struct thread *thread, int64_t ns)
{
    struct search *search = thread->search;
    if (!is_any(search, ns, candidate_is_sure) && loops_spare(&search->loops))
        return;
    /* A loop that is named may come late, and anywhere. */
    if (!named_is_set_async())
        look_less(thread, candidate_kept(search, ns), ns);
}

/*
 * Whether more than the share of the time since costs were last reduced was SPENT_NS, whatever
 * the loops are that are known.
 */
static bool is_too_much(struct search *search, int64_t spent_ns, int64_t ns)
{
    const int64_t share_ns = share_of(search, search->measure_ns, ns);
    if (spent_ns <= search->free_ns + share_ns)
        return false;
    return is_first_second(search, ns) || spent_ns > SEARCH_MAIN_TIMES * share_ns ||
           !is_any(search, ns, candidate_is_main);
}

/* Reduces the cost of the search if it has become too high. */
static void save_cost(struct thread *thread, int64_t ns)
{
    struct search *search = thread->search;
    const int64_t share_ns = share_of(search, search->measure_ns, ns),
                  reading_ns = loop_code_spent_ns(search->code) - search->read_ns;
    if (is_used_up(search, ns))
        look_away(thread, ns);
    /* Reading code is no reason to look at less, but shares the time. */
    if (!is_too_much(search,
                     search->cutting_ns + search->looking_ns +
                         (reading_ns < share_ns / 2 ? reading_ns : share_ns / 2),
                     ns))
        return;
    const unsigned number = costly(search, ns);
    if (number != LOOPS_NONE && search->candidates[number].stride < STRIDE_MOST)
        search->candidates[number].stride *= 2;
    else
        save_looking(thread, ns);
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        search->candidates[i].cost_ns = search->candidates[i].recent_ns = 0;
    const int64_t left_ns = left_at(search, ns);
    search->spent_ns += search->cutting_ns + search->looking_ns;
    search->cutting_ns = search->looking_ns = 0;
    search->read_ns = loop_code_spent_ns(search->code);
    search->free_ns = left_ns >= SEARCH_AGAIN_NS || !is_first_second(search, ns)
                          ? SEARCH_AGAIN_NS
                      : left_ns > SEARCH_AGAIN_LEAST_NS ? left_ns
                                                        : SEARCH_AGAIN_LEAST_NS;
    search->measure_ns = ns;
}

/* Asks the recogniser what a call means; one in SEARCH_TIMED times is timed. */
static struct loops_verdict look(struct search *search, uint32_t leaf, unsigned preference,
                                 int64_t ns)
{
    if (search->looks++ % SEARCH_TIMED != 0)
        return loops_arrive(&search->loops, leaf, preference);
    search->is_in_doubt = !is_any(search, ns, candidate_is_main);
    const uint64_t start = clock_ticks_async();
    const int64_t learnt_ns = search->code->learning_ns;
    const struct loops_verdict verdict = loops_arrive(&search->loops, leaf, preference);
    /* Reading code is no reason to look at less: it does not come again. */
    const int64_t spent_ns = spent_since(start) - (search->code->learning_ns - learnt_ns),
                  reckoned_ns =
                      SEARCH_TIMED * reckon(spent_ns > 0 ? spent_ns : 0, &search->look_usual_ns,
                                            SEARCH_LOOK_TIMES);
    search->looking_ns += reckoned_ns;
    search->doubt_ns += search->is_in_doubt ? reckoned_ns : 0;
    return verdict;
}

bool search_takes_other(struct thread *thread)
{
    struct search *search = thread->search;
    const uint64_t calls = (uint64_t)thread->cost.calls;
    if (2 * ++search->others <= calls)
        return false;
    search->failing = !search->failing;
    search->others = search->others < calls ? calls - search->others : 0;
    return true;
}

void search_arrive(struct thread *thread, uint32_t leaf, unsigned preference, int64_t ns)
{
    struct search *search = thread->search;
    settle_skipped(thread);
    if (!is_used_up(search, ns))
        read_on(search, leaf);
    if (search_is_due(search, ns))
        look_deeper(thread, ns);
    const unsigned open = (unsigned)(thread->level - thread->levels);
    const struct loops_verdict verdict = look(search, leaf, preference, ns);
    thread_busy_async(thread, STALL_LOOPS);
    if (verdict.count > 0 || verdict.keep < open) {
        cut(thread, &verdict, ns);
        ignore_short(thread, ns);
    }
    if (search->again_ns == INT64_MAX && loops_is_waiting(&search->loops)) {
        search->again_ns = later(search, ns);
    }
    /* What the first call is made from is read at once: it has started the measurement. */
    search->code->at_once = false;
    set_due(search, ns);
    save_cost(thread, ns);
    search->skips = skips_after(thread);
}

size_t search_bytes_async(const struct thread *thread)
{
    if (!thread->search)
        return 0;
    /*
     * What loops need is touched when a call path is met; later that of slices, and what is
     * taken away for proposed loops: both while loops are looked for.
     */
    const struct cct *tree = &thread->tree;
    const size_t cells = tree->cell_count < PROPOSED_CELLS ? tree->cell_count : PROPOSED_CELLS;
    return memory_of_arena_async(&thread->search->arena) +
           memory_of_arena_async(&thread->search->code_arena) +
           (thread->searching ? slice_list_bytes_async(&thread->search->slices.list, tree) +
                                    cells * sizeof(int64_t)
                              : 0);
}

void search_start(struct thread *thread)
{
    const struct loops_config loops = {.nodes = thread->tree.node_capacity,
                                       .parent = parent_of,
                                       .loops_around = loops_around,
                                       .way = way,
                                       .count = count,
                                       .watch = watch,
                                       .is_called_again = is_called_again,
                                       .worth = worth_of,
                                       .is_wanted = is_wanted,
                                       .context = thread};
    struct arena arena, code_arena;
    if (thread->search || *config.text[SETTING_PHASES] || !named_start() ||
        arena_create_async(&code_arena, sizeof(struct loop_code) + 2 * code_memory_bytes() +
                                            counter_memory_bytes() + ALIGNED_EXTRA) != 0)
        return;
    if (arena_create_async(&arena, sizeof(struct search) + loops_bytes(loops.nodes) +
                                       ALIGNED_EXTRA) != 0) {
        arena_destroy_async(&code_arena);
        return;
    }
    struct search *search = arena_take_async(&arena, sizeof *search);
    for (int call = 0; call < CALL_COUNT; call++)
        search_preferences[call] = preference_of((enum mpi_call)call);
    loops_start(&search->loops, &loops, arena_take_async(&arena, loops_bytes(loops.nodes)));
    search->code = arena_take_async(&code_arena, sizeof *search->code);
    search->code->memory = arena_take_async(&code_arena, code_memory_bytes());
    search->code->piece_memory = arena_take_async(&code_arena, code_memory_bytes());
    search->code->at_once = true;
    search->code->counter_memory = arena_take_async(&code_arena, counter_memory_bytes());
    search->arena = arena;
    search->code_arena = code_arena;
    /* MPI_Init may take longer than all the rest: what took most of the time since then? */
    search->begin_ns = search->measure_ns = clock_now_async();
    search->before_ns = search->begin_ns - thread->begin_ns;
    search->free_ns = SEARCH_FREE_NS;
    search->deeper_ns = search->again_ns = search->due_ns = INT64_MAX;
    search->look_usual_ns = SEARCH_LOOK_USUAL_NS;
    search->cut_usual_ns = SEARCH_CUT_USUAL_NS;
    search->code->begin_ns = clock_now_async();
    search->code->free_ns = LOOP_CODE_FREE_NS;
    thread->search = search;
    memory_add_arena_async(thread, &search->arena);
    memory_add_arena_async(thread, &search->code_arena);
    slices_start(thread, clock_now_async());
    thread->searching = thread->watched = true;
}

void search_give_up(struct thread *thread)
{
    if (!thread->searching)
        return;
    settle_skipped(thread);
    thread->searching = thread->watched = false;
    while (thread->level->is_pass)
        instance_absorb_async(thread);
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        drop(thread, i);
    slices_drop(thread);
    arena_destroy_async(&thread->search->code_arena);
}

void search_stop(struct thread *thread, int64_t ns)
{
    if (!thread->searching)
        return;
    if (timeline_is_marked_async()) {
        search_give_up(thread);
        return;
    }
    settle_skipped(thread);
    memory_note_async(thread);
    thread->searching = thread->watched = false;
    while (thread->level->is_pass)
        close_pass(thread, false, ns);
    slices_stop(thread);
    thread->search->code->free_ns += LOOP_CODE_LAST_NS;
    loop_code_read_at_once(thread->search->code, true);
    thread->search->doubtful = doubt_find(thread);
    arena_destroy_async(&thread->search->code_arena);
    iteration_flush_queue_async(thread);
    for (unsigned i = 0; i < LOOPS_MOST; i++) {
        struct candidate *candidate = &thread->search->candidates[i];
        struct clustering *clustering = thread->iterations->series[search_series(i)].clustering;
        if (candidate->skipped > 0 && clustering)
            clustering_skip(clustering, candidate->skipped);
        candidate->skipped = 0;
    }
}
