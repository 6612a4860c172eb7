/* See slices.h. */
#include "mainloop/slices.h"

#include "host/host.h"
#include "iterations/iterations.h"
#include "mainloop/search.h"
#include "regions/regions.h"

enum { STRIDE_MOST = 1 << 20 };

/* Address space for two profiles over the tree, each with its three arrays. */
static size_t bytes_for(const struct cct *tree)
{
    return 2 * ((size_t)tree->cell_capacity * sizeof(int64_t) +
                (size_t)tree->node_capacity * 2 * sizeof(uint32_t)) +
           4096;
}

/* Sets the next border to NS. */
static void await(struct thread *thread, int64_t ns)
{
    thread->search->slices.next_ns = thread->border_due_ns = ns;
}

void slices_start(struct thread *thread, int64_t ns)
{
    struct slices *slices = &thread->search->slices;
    *slices = (struct slices){.next_ns = INT64_MAX, .stride = 1};
    if (arena_create_async(&slices->arena, bytes_for(&thread->tree)) != 0)
        return;
    /* Where every iteration is kept, slices would take the memory that iterations need. */
    if (profile_create_async(&slices->ending, &thread->tree, &slices->arena) &&
        profile_create_async(&slices->before, &thread->tree, &slices->arena) &&
        config_clusters_async() > 0)
        await(thread, ns);
}

/*
 * Computes the slice's profile: what has been added to the thread's profile since the last
 * border.  That includes the profiles of open passes, which are added to the thread's when they
 * end.
 */
static void compare_async(struct thread *thread)
{
    struct slices *slices = &thread->search->slices;
    regions_cut_async(thread);
    iteration_settle_async(thread);
    level_settle_all_async(thread);
    profile_clear_async(&slices->ending);
    profile_accumulate_async(&slices->ending, &thread->outside, &thread->tree);
    for (const struct level *level = thread->levels + 1; level <= thread->level; level++)
        if (level->kept)
            profile_accumulate_async(&slices->ending, level->profile, &thread->tree);
    profile_take_change_async(&slices->ending, &slices->before, &thread->tree);
}

/* Whether there is a clustering for the slices; it is created for the first one. */
static bool has_series_async(struct thread *thread)
{
    struct series *series = &thread->iterations->series[SEARCH_SLICES];
    if (!series->clustering)
        series_begin_async(thread, series, false);
    return series->clustering;
}

static void hand_over_async(struct thread *thread, int64_t wall_ns)
{
    struct slices *slices = &thread->search->slices;
    if (!has_series_async(thread)) {
        slices->skipped++;
        return;
    }
    if (slices->skipped > 0)
        iteration_skip_async(thread, SEARCH_SLICES, slices->skipped);
    slices->skipped = 0;
    iteration_add_async(thread, &slices->ending, SEARCH_SLICES, wall_ns);
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
 * Whether the next slice, ELAPSED_NS after the start, gets a profile.  If slices have cost too
 * much, raises the stride until their mean cost is within the limit.
 */
static bool is_kept_async(struct slices *slices, int64_t elapsed_ns)
{
    const bool dear = slices->cost_ns > SLICES_FREE_NS + elapsed_ns / SLICES_SHARE;
    while (dear && slices->stride < STRIDE_MOST &&
           slices->mean_ns > (int64_t)slices->stride * (SLICES_NS / SLICES_SHARE))
        slices->stride *= 2;
    return (slices->count & (slices->stride - 1)) == 0;
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
    const bool kept = slices->kept;
    thread_busy_async(thread, STALL_LOOPS);
    slices->count += slices->begun;
    slices->kept = is_kept_async(slices, ns - thread->begin_ns) &&
                   until_ns - ns <= SLICES_AT_ONCE * SLICES_NS;
    if (kept || slices->kept)
        compare_async(thread);
    if (kept)
        hand_over_async(thread, ns - slices->begin_ns);
    else
        slices->skipped += slices->begun;
    slices->begun = true;
    slices->begin_ns = ns;
    await(thread, slices->next_ns + SLICES_NS);
    const int64_t spent_ns = clock_to_ns_async(clock_ticks_async()) - clock_to_ns_async(start);
    const int64_t cost_ns = spent_ns < SLICES_CUT_MOST_NS ? spent_ns : SLICES_CUT_MOST_NS;
    slices->cost_ns += cost_ns;
    slices->recent_ns += cost_ns;
    if (kept)
        note_cost(slices);
}

static bool next_async(struct thread *thread, int64_t ns, int64_t *border_ns)
{
    if (!thread->searching || timeline_is_marked_async())
        return false;
    *border_ns = thread->search->slices.next_ns;
    return *border_ns <= ns;
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
    if (slices->begun && slices->next_ns != INT64_MAX && thread->last_ns > slices->begin_ns)
        cross_async(thread, thread->last_ns);
    if (slices->skipped > 0 && thread->iterations->series[SEARCH_SLICES].clustering)
        iteration_skip_async(thread, SEARCH_SLICES, slices->skipped);
    slices->skipped = 0;
    await(thread, INT64_MAX);
    arena_destroy_async(&slices->arena);
}

void slices_drop(struct thread *thread)
{
    struct slices *slices = &thread->search->slices;
    iteration_discard_async(thread, SEARCH_SLICES);
    arena_destroy_async(&slices->arena);
    await(thread, INT64_MAX);
    slices->count = 0;
}

uint64_t slices_count_async(const struct thread *thread)
{
    const struct clustering *clustering = thread->iterations->series[SEARCH_SLICES].clustering;
    return clustering ? clustering_iterations(clustering) : 0;
}
