/* Visits of functions that the compiler has inlined.  See path.h. */
#include "regions/path.h"

#include "unwind/unwind.h"

static struct region_child *slot_of(struct regions *regions, uintptr_t function,
                                    uint32_t parent)
{
    const uint64_t mixed = (function ^ (uint64_t)parent << 20) * UINT64_C(0x9E3779B97F4A7C15);
    return &regions->inlined[(mixed >> 40) % REGION_INLINED_CHILDREN];
}

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
    struct region_child *child = slot_of(regions, event->function, parent);
    if (thread->tree.nodes[parent].kind != NODE_FUNCTION)
        return;
    if (child->function != event->function || child->parent != parent) {
        if (regions->paths >= REGION_PATHS) {
            thread_note_async(thread, NOTE_REGIONS_JOINED);
            return;
        }
        *child = (struct region_child){.function = event->function,
                                       .parent = parent,
                                       .node = find_node(thread, event->function, parent)};
    }
    profile_add_async(thread->level->profile, &thread->tree, child->node, METRIC_visits, 1);
}
