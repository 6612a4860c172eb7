/* See quick.h. */
#include "regions/quick.h"

#include <string.h>

__attribute__((cold)) void quick_record(struct thread *thread, uint32_t tag, uint32_t node,
                                        int64_t ns)
{
    recorded_event_async(thread, (enum event_tag)tag, node, ns);
}

/* Numbers start over: what has an old one would look new. */
static void start_over(struct thread *thread, struct regions *regions)
{
    for (uint32_t node = 0; node < thread->tree.node_count; node++)
        regions->path[node].generation = 0;
    regions->generation = 0;
}

/* Forgets all children if code was unloaded. */
static void look_at_epoch(struct regions *regions)
{
    const uint64_t epoch = recipe_epoch_async();
    if (__builtin_expect(regions->epoch == epoch, 1))
        return;
    memset(regions->children, 0, sizeof regions->children);
    memset(regions->inlined, 0, sizeof regions->inlined);
    regions->epoch = epoch;
}

void quick_look(struct thread *thread, struct regions *regions)
{
    const struct level *level = thread->level;
    const struct region_place *was = &regions->place;
    look_at_epoch(regions);
    if (was->values == level->profile->values && was->epoch == level->profile->epoch &&
        was->root == level->root && was->slice == regions->slice)
        return;
    regions->place = (struct region_place){level->profile->values, level->profile->epoch,
                                           level->root, regions->slice};
    if (regions->generation == UINT32_MAX)
        start_over(thread, regions);
    regions->generation++;
}

struct region_path *quick_path(struct thread *thread, struct regions *regions, uint32_t node)
{
    struct region_path *path = &regions->path[node];
    if (path->generation == regions->generation)
        return path;
    const struct node_cells cells =
        profile_node_async(thread->level->profile, &thread->tree, node);
    (void)region_owed_ns(regions, node);
    path->computation = &cells.values[cells.cell_of[METRIC_computation]];
    path->visits = &cells.values[cells.cell_of[METRIC_visits]];
    path->generation = regions->generation;
    return path;
}

/* Whether THREAD has what quick events do not know: counters, or a clock of another kind. */
static bool is_special(const struct thread *thread)
{
    return thread->counts || !measurement_clock.counts ||
           (thread->watched && !thread->searching);
}

void quick_allow(struct thread *thread, struct regions *regions)
{
    if (is_special(thread) || regions->depth == 0 || regions->beyond > 0 ||
        thread->level->pending_ns != 0)
        return;
    const struct region *top = &regions->stack[regions->depth - 1];
    const struct region *outer = &regions->stack[top->frame];
    if (outer->root != thread->level->root)
        return;
    quick_look(thread, regions);
    regions->now = quick_path(thread, regions, outer->node);
    regions->now_node = thread->region = outer->node;
    regions->low = thread->stack.low;
    regions->room = top->event.at.sp - regions->low;
    regions->records = trace_records_async(thread);
    thread->touched = false;
}
