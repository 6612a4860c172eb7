/*
 * What a trace has of regions: their functions are entered and left at the times that are told.
 * For this room alone, under the rules of a thread's context.
 */
#ifndef TSPROF_REGIONS_RECORDED_H
#define TSPROF_REGIONS_RECORDED_H

#include "regions/region_memory.h"
#include "trace/trace.h"

/* TAG, an event of functions, has happened at NS to NODE, which may be something else, too. */
static inline __attribute__((always_inline)) void
recorded_event_async(struct thread *thread, enum event_tag tag, uint32_t node, int64_t ns)
{
    if (trace_records_async(thread) && thread->tree.nodes[node].kind == NODE_FUNCTION)
        trace_function_async(thread, tag, node, ns);
}

/* The outermost of REGIONS' regions from DEPTH on is left, and those inside it.  Any context.
 */
void recorded_left_async(struct thread *thread, const struct regions *regions, uint32_t depth);

/* Takes out of REGIONS, which are THREAD's, all but the DEPTH outermost.  Any context. */
static inline void recorded_cut_async(struct thread *thread, struct regions *regions,
                                      uint32_t depth)
{
    if (depth == regions->depth)
        return;
    if (trace_records_async(thread))
        recorded_left_async(thread, regions, depth);
    regions->depth = depth;
    regions->beyond = 0;
}

#endif
