/* See instance.h. */
#include "iterations/instance.h"

#include "host/host.h"
#include "iterations/iteration.h"
#include "iterations/series.h"
#include "regions/regions.h"
#include "trace/trace.h"

/*
 * Makes sure that LEVEL has a walker of its own.  Returns false if there is no memory for one.
 */
static bool furnish_walker_async(struct thread *thread, struct level *level)
{
    if (!level->own_walker)
        level->own_walker = arena_take_async(&thread->arena, sizeof *level->own_walker);
    if (level->own_walker)
        level->own_walker->single = config.number[SETTING_VISITS] == VISITS_EXACT;
    return level->own_walker;
}

static bool furnish_profile_async(struct thread *thread, struct level *level)
{
    if (level->own_profile)
        return true;
    /* The call paths that there are may have been given what was meant for this profile. */
    const size_t bytes = profile_bytes_async(&thread->tree);
    if (!budget_draw_async(bytes))
        return false;
    struct profile *profile = arena_take_async(&thread->arena, sizeof *profile);
    if (!profile || !profile_create_async(profile, &thread->tree, &thread->arena)) {
        budget_return_async(bytes);
        return false;
    }
    level->own_profile = profile;
    return true;
}

bool instance_reserve_async(struct thread *thread, bool kept)
{
    struct level *level = thread->level + 1;
    if (level == thread->levels + LEVELS_MOST)
        return false;
    if (!furnish_walker_async(thread, level))
        return false;
    return !kept || furnish_profile_async(thread, level);
}

/* Resets LEVEL for a new instance, but keeps the walker and the profile that it owns. */
static void start(struct level *level, uint32_t phase, uint32_t root, int64_t ns)
{
    *level = (struct level){.walker = level->own_walker,
                            .own_walker = level->own_walker,
                            .own_profile = level->own_profile,
                            .phase = phase,
                            .root = root,
                            .base = root,
                            .first_sample = root,
                            .last_sample = root,
                            .begin_ns = ns};
}

bool instance_open_program(struct thread *thread)
{
    struct level *level = thread->level = &thread->levels[0];
    if (!furnish_walker_async(thread, level))
        return false;
    start(level, UINT32_MAX, CCT_ROOT, thread->begin_ns);
    level->profile = &thread->outside;
    walker_reset_async(level->walker, CCT_ROOT, &level_no_anchor);
    profile_add_async(level->profile, &thread->tree, CCT_ROOT, METRIC_visits, 1);
    return true;
}

/* Keeps the remembered walks if the instance starts where the last one did, as in a loop. */
static void set_walker(struct level *level, const struct anchor *anchor)
{
    const struct walker *walker = level->walker;
    if (walker->root != level->root || walker->anchor.cfa != anchor->cfa ||
        walker->anchor.return_word != anchor->return_word ||
        walker->anchor.caller_cfa != anchor->caller_cfa)
        walker_reset_async(level->walker, level->root, anchor);
}

struct level *instance_open_async(struct thread *thread, uint32_t phase, uint32_t root,
                                  int series, const struct anchor *anchor, int64_t ns)
{
    if (!instance_reserve_async(thread, series >= 0))
        return NULL;
    preemption_give_async(thread, ns);
    regions_settle_async(thread);
    struct level *outer = thread->level, *level = outer + 1;
    start(level, phase, root, ns);
    level->kept = series >= 0;
    level->series = series >= 0 ? (uint32_t)series : 0;
    level->profile = level->kept ? level->own_profile : outer->profile;
    if (level->kept) {
        profile_clear_async(level->profile);
        cct_begin_inside_async(&thread->tree, root);
    }
    profile_add_async(level->profile, &thread->tree, root, METRIC_visits, 1);
    set_walker(level, anchor);
    thread->level = level;
    if (thread->trace && level->kept)
        trace_begin_iteration_async(thread, iteration_count_async(thread, level->series),
                                    series_name_async(thread, level->series));
    else if (thread->trace)
        trace_begin_phase_async(thread);
    return level;
}

void instance_open_pass_async(struct thread *thread, uint32_t base, int series,
                              uint32_t last_sample, int64_t ns)
{
    struct level *outer = thread->level, *level = outer + 1;
    preemption_give_async(thread, ns);
    regions_settle_async(thread);
    start(level, UINT32_MAX, outer->root, ns);
    level->walker = outer->walker;
    level->base = base;
    level->first_sample = level->last_sample = last_sample;
    level->is_pass = true;
    level->kept = series >= 0 && furnish_profile_async(thread, level);
    level->series = level->kept ? (uint32_t)series : 0;
    level->profile = level->kept ? level->own_profile : outer->profile;
    if (level->kept)
        profile_clear_async(level->profile);
    thread->level = level;
}

/*
 * Attributes the computation after the last sample of LEVEL's instance to the path of the first
 * sample, as if the instance were a circle.  That way the mean time before a sample is the same
 * wherever in the instance the sample is, and the shares are right even if instances hold few
 * samples.  If more time has passed than chance explains, the thread was waiting, which takes
 * no processor time and so no samples; then the time stays with the last sample.  Without any
 * sample it goes to the marker's own path.
 */
static void attribute_tail_async(struct thread *thread, struct level *level)
{
    const int64_t waiting = 8 * thread->sample_ns;
    level_attribute_async(
        thread, level, level->pending_ns > waiting ? level->last_sample : level->first_sample);
}

void instance_settle_async(struct thread *thread)
{
    preemption_give_async(thread, thread->last_ns);
    regions_settle_async(thread);
    attribute_tail_async(thread, thread->level);
    level_flush_async(thread, thread->level);
}

void instance_close_async(struct thread *thread, int64_t ns)
{
    struct level *level = thread->level;
    instance_settle_async(thread);
    if (thread->trace && level->kept)
        trace_end_iteration_async(thread, ns);
    else if (thread->trace && !level->is_pass)
        trace_end_phase_async(thread, ns);
    if (level->kept)
        iteration_close_async(thread, level, ns - level->begin_ns);
    thread->level--;
}

void instance_absorb_async(struct thread *thread)
{
    if (thread->level->kept && thread->trace)
        trace_undo_iteration_async(thread);
    /* What is to be added to it must not come later. */
    if (thread->level->kept)
        iteration_settle_async(thread);
    struct level *level = thread->level--;
    thread->level->pending_ns += level->pending_ns;
    level->pending_ns = 0;
    if (thread->counts)
        counts_absorb_async(thread, level);
    level_flush_async(thread, level);
    if (level->kept)
        profile_accumulate_async(thread->level->profile, level->profile, &thread->tree);
}
