/* See measure.h. */
#include "measure.h"

/* The node of the function that called MPI, and in *SITE from where in it. */
static uint32_t find_caller(struct thread *thread, enum mpi_call call, const uintptr_t *frame,
                            uintptr_t *site)
{
    struct level *level = thread->level;
    struct registers caller = measure_caller(frame);
    *site = mpi_call_table[call].unwound ? caller.pc : 0;
    if (!mpi_call_table[call].unwound)
        return level->root;
    return unwind_async(level->walker, thread->scratch, &thread->stack, caller, &thread->tree,
                        level->profile)
        .node;
}

uint32_t measure_record(struct thread *thread, enum mpi_call call, const uintptr_t *frame,
                        uint64_t begin, uint64_t end)
{
    const struct mpi_call_info *info = &mpi_call_table[call];
    int64_t begin_ns = clock_to_ns_async(begin), end_ns = clock_to_ns_async(end);
    int64_t stolen = thread->stolen_ns;
    struct level *level = thread->level;
    thread_computed_async(thread, begin_ns);
    level->overhead_ns += stolen;
    thread->last_ns = end_ns;
    uintptr_t site;
    uint32_t caller = find_caller(thread, call, frame, &site);
    uint32_t leaf = cct_child_async(&thread->tree, caller, NODE_MPI, call, site,
                                    (enum layout)info->layout, (enum metric)info->time);
    measure_add(thread, leaf, METRIC_visits, 1);
    profile_add_time_async(level->profile, &thread->tree, leaf, info->time,
                           end_ns - begin_ns - stolen);
    thread->cost.calls++;
    return leaf;
}
