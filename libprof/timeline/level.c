/* See level.h. */
#include "timeline/level.h"

#include "calls/calls.h"
#include "timeline/counts.h"

const struct anchor level_no_anchor = {UINTPTR_MAX, 0, UINTPTR_MAX};

void level_put_aliases(struct thread *thread, struct level *level)
{
    uint32_t unaliased = unwind_put_aliases(level->walker);
    thread->cost.unaliased += unaliased;
    if (unaliased)
        thread_note_async(thread, NOTE_VISITS_BOUND);
}

void level_settle_all_async(struct thread *thread)
{
    for (struct level *level = thread->levels; level <= thread->level; level++) {
        level_attribute_async(thread, level, level->last_sample);
        level_flush_async(thread, level);
    }
}

void level_attribute_async(struct thread *thread, struct level *level, uint32_t node)
{
    if (level->pending_ns)
        profile_add_async(level->profile, &thread->tree, node, METRIC_computation,
                          level->pending_ns);
    thread->attributed_ns += level->pending_ns;
    level->pending_ns = 0;
    if (thread->counts)
        counts_attribute_async(thread, level, node);
}

int64_t level_computed_async(const struct thread *thread)
{
    int64_t computed_ns = thread->attributed_ns;
    for (const struct level *level = thread->levels; level <= thread->level; level++)
        computed_ns += level->pending_ns;
    return computed_ns;
}

void level_claim_part_async(struct thread *thread, uint32_t node)
{
    struct node *nodes = thread->tree.nodes;
    const struct node *region = &nodes[thread->region];
    /* Nodes on the way have higher numbers than those that they lie below. */
    for (; node > region->parent && node != thread->region; node = nodes[node].parent)
        if (nodes[node].parent == region->parent && nodes[node].site == region->site &&
            nodes[node].kind == NODE_FUNCTION)
            nodes[node].told = true;
}

void level_flush_async(struct thread *thread, struct level *level)
{
    static const enum mpi_call calls[COUNTED_CALLS] = {CALL_MPI_Wtime, CALL_MPI_Wtick};
    if (level->overhead_ns)
        profile_add_async(level->profile, &thread->tree, level->root, METRIC_overhead,
                          level->overhead_ns);
    level->overhead_ns = 0;
    for (int i = 0; i < COUNTED_CALLS; i++) {
        if (!level->counted[i])
            continue;
        uint32_t leaf = cct_child_async(&thread->tree, level->root, NODE_MPI, calls[i], 0,
                                        LAYOUT_NOTHING, METRIC_mpi_other);
        profile_add_async(level->profile, &thread->tree, leaf, METRIC_visits,
                          level->counted[i]);
        level->counted[i] = 0;
    }
}
