/* See slices.h. */
#include "mainloop/slices.h"

#include "host/host.h"
#include "iterations/iterations.h"
#include "mainloop/search.h"
#include "regions/regions.h"

enum { STRIDE_MOST = 1 << 20 };

/* Sets the next border to NS. */
static void await(struct thread *thread, int64_t ns)
{
    thread->search->slices.next_ns = thread->border_due_ns = ns;
}

void slices_start(struct thread *thread, int64_t ns)
{
    struct slices *slices = &thread->search->slices;
    *slices = (struct slices){.next_ns = INT64_MAX, .first_ns = ns, .stride = 1};
    /* Where every iteration is kept, slices would take the memory that iterations need. */
    if (slice_list_create(&slices->list, thread, SEARCH_SLICES) && config_clusters_async() > 0)
        await(thread, ns);
}

/*
 * How many slices have begun, which is the number of the next one.  Told from the borders, so
 * that a jump of the program's out of crossing one makes no slice more or less.
 */
static uint64_t begun(const struct slices *slices)
{
    return (uint64_t)((slices->next_ns - slices->first_ns) / SLICES_NS);
}

/* Whether there is a clustering for the slices; it is created for the first one. */
static bool has_series_async(struct thread *thread)
{
    struct series *series = &thread->iterations->series[SEARCH_SLICES];
    if (!series->clustering)
        series_begin_async(thread, series, false);
    return series->clustering;
}

/*
 * Makes the next slice that gets a profile number NUMBER.  Those before it that the clustering
 * does not know had none, or were lost when the program left this by a jump.
 */
static void skip_to_async(struct thread *thread, uint64_t number)
{
    const struct series *series = &thread->iterations->series[SEARCH_SLICES];
    const uint64_t known = clustering_iterations(series->clustering) + series->skipped;
    if (known < number)
        iteration_skip_async(thread, SEARCH_SLICES, number - known);
}

/* Whether the open slice, which ends and is number NUMBER, gets the profile it was to have. */
static bool gets_profile_async(struct thread *thread, uint64_t number)
{
    if (!thread->search->slices.kept || !has_series_async(thread))
        return false;
    skip_to_async(thread, number);
    return true;
}

/*
 * Adds the cost of a slice with a profile to the moving mean, since costs grow with the call
 * tree.
 */
static void note_cost(struct slices *slices)
{
    const int64_t weight = slices->mean_ns > 0 ? 8 : 1;
    slices->mean_ns += (slices->recent_ns - slices->mean_ns) / weight;
    slices->recent_ns = 0;
}

/*
 * Whether the next slice, NUMBER, ELAPSED_NS after the start, gets a profile.  If slices have
 * cost too much, raises the stride until their mean cost is within the limit.
 */
static bool is_kept_async(struct slices *slices, uint64_t number, int64_t elapsed_ns)
{
    const bool dear = slices->cost_ns > SLICES_FREE_NS + elapsed_ns / SLICES_SHARE;
    while (dear && slices->stride < STRIDE_MOST &&
           slices->mean_ns > (int64_t)slices->stride * (SLICES_NS / SLICES_SHARE))
        slices->stride *= 2;
    return (number & (slices->stride - 1)) == 0;
}

/* Adds what work has cost since START. */
static void charge(struct slices *slices, uint64_t start)
{
    const int64_t spent_ns = clock_to_ns_async(clock_ticks_async()) - clock_to_ns_async(start);
    const int64_t cost_ns = spent_ns < SLICES_CUT_MOST_NS ? spent_ns : SLICES_CUT_MOST_NS;
    slices->cost_ns += cost_ns;
    slices->recent_ns += cost_ns;
}

/* Goes on with what a border has left to do; returns whether there is more. */
static bool work_async(struct thread *thread)
{
    struct slices *slices = &thread->search->slices;
    const uint64_t start = clock_ticks_async();
    const bool more = slice_list_work_async(&slices->list, thread);
    charge(slices, start);
    if (more)
        return true;
    /* Without memory what the next slice is to be compared with is not known. */
    slices->kept = slices->kept && !slices->list.lapsed;
    if (slices->ends)
        note_cost(slices);
    return false;
}

/*
 * Whether profiles do not hold yet all that was done before, or cannot be frozen, as they are
 * frozen already.
 */
static bool is_busy_async(const struct thread *thread)
{
    return iteration_is_owed_async(thread) ||
           (thread->frozen && !slice_list_is_short_async(thread));
}

/*
 * Begins to make the profile of the slice that ENDS, or that with which the next one will be
 * compared.
 */
static void compare_async(struct thread *thread, bool ends, bool begins, int64_t wall_ns)
{
    struct slices *slices = &thread->search->slices;
    regions_cut_async(thread);
    level_settle_all_async(thread);
    slices->ends = ends;
    slice_list_begin_async(&slices->list, thread, ends, begins, wall_ns);
    slices->kept = begins;
    bool more = true;
    while (more && slice_list_is_urgent_async(&slices->list))
        more = work_async(thread);
    if (more)
        iteration_begin_beside_async(thread, work_async);
}

/*
 * Ends a slice and begins another one at the end of the time line, which goes on to UNTIL_NS.
 * If very many slices end on the way there, only the last SLICES_AT_ONCE of them get a profile.
 */
static void cross_async(struct thread *thread, int64_t until_ns)
{
    struct slices *slices = &thread->search->slices;
    const uint64_t start = clock_ticks_async();
    const int64_t ns = thread->last_ns;
    thread_busy_async(thread, STALL_LOOPS);
    if (is_busy_async(thread))
        iteration_flush_queue_async(thread);
    const uint64_t begins = begun(slices);
    const bool ends = gets_profile_async(thread, begins - 1),
               kept = is_kept_async(slices, begins, ns - thread->begin_ns) &&
                      until_ns - ns <= SLICES_AT_ONCE * SLICES_NS;
    const int64_t wall_ns = ns - slices->begin_ns;
    /* If the program leaves this by a jump, it is not known what the next is to be compared
     * with. */
    slices->kept = false;
    slices->begin_ns = ns;
    await(thread, slices->next_ns + SLICES_NS);
    charge(slices, start);
    if (ends || kept)
        compare_async(thread, ends, kept, wall_ns);
}

static bool next_async(struct thread *thread, int64_t ns, int64_t *border_ns)
{
    if (!thread->searching || timeline_is_marked_async())
        return false;
    *border_ns = thread->search->slices.next_ns;
    return *border_ns <= ns && (ns - *border_ns >= SLICES_PATIENCE_NS ||
                                slice_list_is_short_async(thread) || !is_busy_async(thread));
}

static enum border_readiness readiness_async(const struct thread *thread)
{
    return thread_has_stack_async(thread) ? BORDER_READY : BORDER_LATER;
}

const struct border_source slices_source = {.next_async = next_async,
                                            .readiness_async = readiness_async,
                                            .cross_async = cross_async,
                                            .marked = search_give_up};

void slices_stop(struct thread *thread)
{
    struct slices *slices = &thread->search->slices;
    const bool is_open =
        slices->next_ns != INT64_MAX && begun(slices) > 0 && thread->last_ns > slices->begin_ns;
    const uint64_t count = slices->next_ns == INT64_MAX    ? 0
                           : is_open || begun(slices) == 0 ? begun(slices)
                                                           : begun(slices) - 1;
    if (is_open)
        cross_async(thread, thread->last_ns);
    iteration_flush_queue_async(thread);
    if (thread->iterations->series[SEARCH_SLICES].clustering)
        skip_to_async(thread, count);
    await(thread, INT64_MAX);
    slice_list_destroy(&slices->list);
}

void slices_drop(struct thread *thread)
{
    struct slices *slices = &thread->search->slices;
    iteration_flush_queue_async(thread);
    iteration_discard_async(thread, SEARCH_SLICES);
    slice_list_destroy(&slices->list);
    await(thread, INT64_MAX);
}

uint64_t slices_count_async(const struct thread *thread)
{
    const struct clustering *clustering = thread->iterations->series[SEARCH_SLICES].clustering;
    return clustering ? clustering_iterations(clustering) : 0;
}
