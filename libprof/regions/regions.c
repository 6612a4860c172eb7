/* See regions.h. */
#include "regions/regions.h"

#include "regions/path.h"
#include "regions/recorded.h"
#include "regions/region_memory.h"

/* The call path that THREAD's computation belongs to as far as regions tell. */
static uint32_t innermost_async(struct thread *thread)
{
    struct regions *regions = thread->regions;
    if (thread == thread_self)
        region_drop_async(thread, ARCH_FRAME_ADDRESS());
    thread->region = CCT_ROOT;
    if (regions->depth == 0)
        return thread->level->root;
    struct region *region = &regions->stack[regions->stack[regions->depth - 1].frame];
    /* The stack of another thread changes, so no path can be found there. */
    if (thread != thread_self && region->root != thread->level->root)
        return thread->level->root;
    return region_node_async(thread, region);
}

/* Gives NODE what is pending on the innermost level. */
static inline void give_async(struct thread *thread, uint32_t node)
{
    *region_owed_ns(thread->regions, node) += thread->level->pending_ns;
    level_attribute_async(thread, thread->level, node);
}

void regions_give_async(struct thread *thread)
{
    give_async(thread, innermost_async(thread));
}

void regions_settle_async(struct thread *thread)
{
    if (!thread->regions)
        return;
    const uint32_t node = innermost_async(thread);
    if (thread->regions->depth > 0)
        give_async(thread, node);
}

void regions_cut_async(struct thread *thread)
{
    regions_settle_async(thread);
    if (thread->regions)
        thread->regions->slice++;
}

void regions_sample_async(struct thread *thread, uint32_t node)
{
    const uint32_t region = innermost_async(thread);
    struct profile *profile = thread->level->profile;
    give_async(thread, region);
    int64_t *owed = region_owed_ns(thread->regions, region), owed_ns = *owed;
    *owed = 0;
    if (node == region)
        return;
    /* What it was given in an earlier iteration stays there. */
    const int64_t *cells = profile_cells_async(profile, &thread->tree, region);
    const uint8_t *cell_of = layout_table[thread->tree.nodes[region].layout].cell_of;
    const int64_t has_ns = cells[cell_of[METRIC_computation]];
    owed_ns = owed_ns < has_ns ? owed_ns : has_ns;
    if (owed_ns <= 0)
        return;
    profile_add_async(profile, &thread->tree, region, METRIC_computation, -owed_ns);
    profile_add_async(profile, &thread->tree, node, METRIC_computation, owed_ns);
}

void regions_rest(struct thread *thread)
{
    if (!thread->regions)
        return;
    regions_settle_async(thread);
    recorded_cut_async(thread, thread->regions, 0);
    thread->region = CCT_ROOT;
    thread->touched = true;
    walker_forget_async(&thread->regions->walker);
}
