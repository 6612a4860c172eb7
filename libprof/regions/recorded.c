/* See recorded.h. */
#include "regions/recorded.h"

void recorded_left_async(struct thread *thread, const struct regions *regions, uint32_t depth)
{
    for (; depth < regions->depth; depth++) {
        const struct region *region = &regions->stack[depth];
        /* What is inlined has no time, and was left when it was entered. */
        if (region->frame != depth || region->root == REGION_NO_ROOT)
            continue;
        recorded_event_async(thread, EVENT_LEAVE, region->node, thread->last_ns);
        return;
    }
}
