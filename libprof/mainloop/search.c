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
#include "mainloop/view.h"
#include "trace/trace.h"

enum {
    STRIDE_MOST = 1 << 16,
    ALIGNED_EXTRA = 256 /* enough for aligning the blocks in the arena */
};

_Static_assert((int)SEARCH_SLICES >= 0, "there are series for all loops, and for slices");

/* Drops the series of loop NUMBER and all that is known of its passes. */
static void drop(struct thread *thread, unsigned number)
{
    iteration_discard_async(thread, search_series(number));
    thread->search->candidates[number] = (struct candidate){.serial = 0};
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        thread->search->candidates[i].within &= ~(UINT32_C(1) << number);
}

/* Asks whether loop NUMBER is minor.  If it is no more, its passes have profiles again. */
static void ask_minor(struct thread *thread, unsigned number, int64_t ns)
{
    struct candidate *candidate = &thread->search->candidates[number];
    const bool minor = candidate_is_minor(thread, number, ns);
    if (candidate->minor && !minor)
        candidate->stride = 1;
    candidate->minor = minor;
    candidate->asked = candidate->passes;
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
    candidate->run = (candidate->runs == loop->runs ? candidate->run : 0) + unseen + 1;
    candidate->runs = loop->runs;
    if (candidate->passes >= candidate->asked + SEARCH_MINOR_PASSES)
        ask_minor(thread, number, ns);
    /* Only one in `stride` passes has a profile. */
    const bool kept = !candidate->minor &&
                      ((candidate->passes - candidate->unseen) & (candidate->stride - 1)) == 0;
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
        candidate->run += search->skipped;
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
    if (candidate->minor)
        return SEARCH_MINOR_PASSES;
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
    search_cost_add_cut(thread, loops, start, thread->iterations->cost_ns - clustered_ns);
}

/* Drops the series of loop NUMBER, which is not cut any more. */
static void let_go(struct thread *thread, unsigned number)
{
    if (thread->iterations->series[search_series(number)].clustering)
        iteration_discard_async(thread, search_series(number));
}

/*
 * Stops cutting an inner loop of short passes once it is clear that there is a loop around it
 * which may be the main one, because the inner one would not be shown: it was come into again
 * and again.  What most passes of the loop around it do not come into may be what one line of
 * an input asks for, and the main loop.
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
        loops_get(&search->loops, number)->runs < SEARCH_SURE ||
        !candidate_is_main(search, search->open[open - 2], ns))
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
    const int64_t all_ns = search->cost.cutting_ns + search->cost.looking_ns;
    unsigned best = LOOPS_NONE;
    int inside = -1;
    for (unsigned i = 0; i < LOOPS_MOST; i++) {
        const struct candidate *candidate = &search->candidates[i];
        const struct loop *loop = loops_get(&search->loops, i);
        const int around = __builtin_popcount(candidate->within);
        if (candidate->serial != loop->serial || loop->ignored || candidate->minor ||
            8 * candidate->cost_ns < all_ns || around < inside ||
            (around == inside && candidate->cost_ns < search->candidates[best].cost_ns) ||
            candidate_is_sure(search, i, ns))
            continue;
        best = i;
        inside = around;
    }
    return best;
}

/* While anything is done in pieces, and while what came then is looked at, each call goes on
 * with that. */
static void set_due(struct search *search, int64_t ns)
{
    const bool goes_on = loop_code_is_busy(search->code) || loops_is_checking(&search->loops);
    search->due_ns = goes_on && !search_cost_is_used_up(search, ns) ? INT64_MIN
                     : search->deeper_ns < search->again_ns         ? search->deeper_ns
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
        const bool is_dear = search_cost_is_first_second(search, ns) &&
                             search_cost_left(search, ns) < SEARCH_AGAIN_NS;
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
    if (!candidate_is_any(search, ns, candidate_is_sure) && loops_spare(&search->loops))
        return;
    /* A loop that is named may come late, and anywhere. */
    if (!named_is_set_async())
        look_less(thread, candidate_kept(search, ns), ns);
}

/* Reduces the cost of the search if it has become too high. */
static void save_cost(struct thread *thread, int64_t ns)
{
    struct search *search = thread->search;
    if (search_cost_is_used_up(search, ns))
        look_away(thread, ns);
    if (!search_cost_is_too_much(search, ns))
        return;
    const unsigned number = costly(search, ns);
    if (number != LOOPS_NONE && search->candidates[number].stride < STRIDE_MOST)
        search->candidates[number].stride *= 2;
    else
        save_looking(thread, ns);
    search_cost_begin_anew(search, ns);
}

/* Asks the recogniser what a call means; one in SEARCH_TIMED times is timed. */
static struct loops_verdict look(struct search *search, uint32_t leaf, unsigned preference,
                                 int64_t ns)
{
    if (search->looks++ % SEARCH_TIMED != 0)
        return loops_arrive(&search->loops, leaf, preference);
    search->cost.is_in_doubt = !candidate_is_any(search, ns, candidate_is_main);
    const uint64_t start = clock_ticks_async();
    const int64_t learnt_ns = search->code->learning_ns;
    const struct loops_verdict verdict = loops_arrive(&search->loops, leaf, preference);
    /* Reading code is no reason to look at less: it does not come again. */
    search_cost_add_look(search,
                         search_cost_since(start) - (search->code->learning_ns - learnt_ns));
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
    if (!search_cost_is_used_up(search, ns))
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
    const struct loops_config loops = view_of(thread);
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
    preference_start();
    loops_start(&search->loops, &loops, arena_take_async(&arena, loops_bytes(loops.nodes)));
    search->code = arena_take_async(&code_arena, sizeof *search->code);
    search->code->memory = arena_take_async(&code_arena, code_memory_bytes());
    search->code->piece_memory = arena_take_async(&code_arena, code_memory_bytes());
    search->code->at_once = true;
    search->code->counter_memory = arena_take_async(&code_arena, counter_memory_bytes());
    code_memory_touch(search->code->memory);
    code_memory_touch(search->code->piece_memory);
    counter_memory_touch(search->code->counter_memory);
    search->arena = arena;
    search->code_arena = code_arena;
    /* MPI_Init may take longer than all the rest: what took most of the time since then? */
    search->begin_ns = clock_now_async();
    search->before_ns = search->begin_ns - thread->begin_ns;
    search_cost_start(search);
    search->deeper_ns = search->again_ns = search->due_ns = INT64_MAX;
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
