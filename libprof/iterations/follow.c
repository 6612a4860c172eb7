/* See follow.h. */
#include "iterations/follow.h"

#include "iterations/instance.h"
#include "iterations/iteration.h"
#include "iterations/series.h"
#include "trace/trace.h"

static struct series *followed_series_async(struct thread *thread)
{
    return thread->followed
               ? &thread->iterations->series[thread->levels[thread->followed].series]
               : NULL;
}

/*
 * Whether SERIES of the leading thread is nested directly in the iteration that THREAD is in.
 * It is not if borders were lost or there was no room for a level; then it is not opened, and
 * its time counts for the iteration around it.
 */
static bool fits_async(struct thread *thread, uint32_t series)
{
    const struct series *around = followed_series_async(thread);
    return borders_leader_async()->iterations->series[series].nested_in ==
           (around ? around->follows : -1);
}

static void open_async(struct thread *thread, uint32_t series, uint64_t iteration, int64_t ns)
{
    if (!fits_async(thread, series))
        return;
    int own = instance_reserve_async(thread, true)
                  ? series_follow_async(thread, borders_leader_async(), series)
                  : -1;
    uint64_t begun = own < 0 ? 0 : iteration_count_async(thread, (uint32_t)own);
    if (own < 0 || begun > iteration) {
        thread_note_async(thread, NOTE_PHASES_LOST);
        return;
    }
    /* Iterations that this thread has missed. */
    if (begun < iteration)
        iteration_skip_async(thread, (uint32_t)own, iteration - begun);
    uint32_t phase = thread->iterations->series[own].phase;
    uint32_t root = cct_child_async(&thread->tree, thread->level->root, NODE_PHASE, phase, 0,
                                    LAYOUT_FRAME, METRIC_none);
    if (instance_open_async(thread, phase, root, own, &level_no_anchor, ns))
        thread->followed++;
}

/* Ends the iteration that follows SERIES of the leading thread, if THREAD is in one. */
static void close_async(struct thread *thread, uint32_t series, int64_t ns)
{
    const struct series *open = followed_series_async(thread);
    if (!open || open->follows != (int32_t)series)
        return;
    thread->followed--;
    const struct level *level = thread->level;
    if (level->begin_ns == ns && level->profile->touched_count <= 1) {
        /* The thread did nothing in this iteration: no profile is better than an empty one, and
         * no events. */
        if (thread->trace && level->kept)
            trace_undo_iteration_async(thread);
        if (thread->counts)
            counts_absorb_async(thread, thread->level);
        thread->level--;
    } else {
        instance_close_async(thread, ns);
    }
}

/* Borders were overwritten before THREAD read them, so its current iteration is unknown. */
static void lose_borders_async(struct thread *thread)
{
    thread_note_async(thread, NOTE_BORDERS_LOST);
    for (; thread->followed > 0; thread->followed--)
        instance_absorb_async(thread);
    thread->next_border = borders_count_async();
}

/*
 * Reads the next border that THREAD has to cross into BORDER; returns false if there is none.
 */
static bool find_border_async(struct thread *thread, struct border *border)
{
    if (follow_is_occupied_async(thread) || thread->next_border >= borders_count_async())
        return false;
    if (borders_read_async(thread->next_border, border))
        return true;
    lose_borders_async(thread);
    return false;
}

static bool next_async(struct thread *thread, int64_t ns, int64_t *border_ns)
{
    struct border border;
    if (!find_border_async(thread, &border) || border.ns > ns)
        return false;
    *border_ns = border.ns;
    return true;
}

/* Crosses the next border at the end of the time line, which has been brought there. */
static void cross_async(struct thread *thread, int64_t until_ns)
{
    struct border border;
    (void)until_ns;
    if (!find_border_async(thread, &border))
        return;
    thread->next_border++;
    if (border.begins)
        open_async(thread, border.series, border.iteration, thread->last_ns);
    else
        close_async(thread, border.series, thread->last_ns);
}

const struct border_source follow_source = {
    .next_async = next_async, .cross_async = cross_async, .moves = true};

void follow_resting_async(struct thread *thread, int64_t ns)
{
    int64_t border_ns;
    while (next_async(thread, ns, &border_ns))
        cross_async(thread, ns);
}

struct follow_place follow_place(const struct thread *thread)
{
    struct follow_place place = {.next = borders_count_async()};
    if (!thread)
        return place;
    bool leads = thread == borders_leader_async();
    if (!leads && thread->next_border != BORDERS_NEVER)
        place.next = thread->next_border;
    const struct level *last = leads ? thread->level : thread->levels + thread->followed;
    for (const struct level *level = thread->levels + 1; level <= last; level++) {
        const struct series *series = &thread->iterations->series[level->series];
        if (!level->kept)
            continue;
        place.open[place.count].series = leads ? level->series : (uint32_t)series->follows;
        place.open[place.count++].iteration = iteration_count_async(thread, level->series);
    }
    return place;
}

void follow_join(struct thread *thread, const struct follow_place *place)
{
    thread->next_border = place->next;
    for (uint32_t i = 0; i < place->count; i++)
        open_async(thread, place->open[i].series, place->open[i].iteration, thread->last_ns);
}

void follow_leave_async(struct thread *thread)
{
    for (; thread->followed > 0; thread->followed--)
        instance_absorb_async(thread);
    series_forget_followed_async(thread);
    thread->next_border = BORDERS_NEVER;
}
