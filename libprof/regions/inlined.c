/* Visits of functions that the compiler has inlined.  See path.h. */
#include "regions/path.h"

#include "regions/quick.h"
#include "regions/recorded.h"
#include "unwind/unwind.h"

/* The call path of FUNCTION in PARENT, which no walk finds: it is called from no place. */
static uint32_t find_node(struct thread *thread, uintptr_t function, uint32_t parent)
{
    struct recipe unlisted;
    const uint64_t known = recipe_find_async(function, RECIPE_CALLER, &unlisted)->function;
    const uint64_t key = code_address(known) == code_address(code_key(0, function))
                             ? known
                             : code_beside(thread->tree.nodes[parent].key, function);
    const uint32_t before = thread->tree.node_count;
    const uint32_t node = cct_child_async(&thread->tree, parent, NODE_FUNCTION, key, 0,
                                          LAYOUT_FRAME, METRIC_none);
    thread->regions->paths += thread->tree.node_count - before;
    if (node != thread->tree.other)
        thread->tree.nodes[node].told = true;
    return node;
}

void region_visit_inlined(struct thread *thread, struct regions *regions,
                          const struct region_event *event)
{
    const struct region *top = &regions->stack[regions->depth - 1];
    const uint32_t parent = region_node_async(thread, &regions->stack[top->frame]);
    struct region_inlined *inlined =
        &regions->inlined[region_inlined_home(event->function, event->at.pc, parent)];
    if (thread->tree.nodes[parent].kind != NODE_FUNCTION)
        return;
    if (!region_inlined_is(inlined, event, top->event.at.pc, parent)) {
        if (regions->paths >= REGION_PATHS) {
            thread_note_async(thread, NOTE_REGIONS_JOINED);
            return;
        }
        *inlined = (struct region_inlined){.function = event->function,
                                           .pc = event->at.pc,
                                           .outer_pc = top->event.at.pc,
                                           .parent = parent,
                                           .node = find_node(thread, event->function, parent)};
    }
    ++*quick_path(thread, regions, inlined->node)->visits;
    recorded_event_async(thread, EVENT_VISIT, inlined->node, thread->last_ns);
}
