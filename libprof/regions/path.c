/* See path.h. */
#include "regions/path.h"

#include "regions/filtered.h"
#include "regions/quick.h"
#include "regions/recorded.h"
#include "unwind/unwind.h"

static bool same_anchor_async(const struct anchor *a, const struct anchor *b)
{
    return a->cfa == b->cfa && a->return_word == b->return_word &&
           a->caller_cfa == b->caller_cfa;
}

/*
 * Walks from AT as calls and samples do, with the same result, but by a walker that nothing is
 * counted with: what it remembers must not hide from them which functions were called again.
 */
static struct walk_result walk_async(struct thread *thread, const struct registers *at)
{
    struct regions *regions = thread->regions;
    const struct walker *of = thread->level->walker;
    if (regions->walker.root != of->root ||
        !same_anchor_async(&regions->walker.anchor, &of->anchor))
        walker_reset_async(&regions->walker, of->root, &of->anchor);
    return unwind_async(&regions->walker, &regions->scratch, &thread->stack, at, &thread->tree);
}

/*
 * The function that WALK has found tells each of its visits.  Returns whether that was not
 * known before.
 */
static bool claim(struct thread *thread, const struct walk_result *walk)
{
    struct node *node = &thread->tree.nodes[walk->node];
    const bool is_new = !walk->failed && node->kind == NODE_FUNCTION && !node->told;
    if (is_new)
        node->told = true;
    return is_new;
}

uint32_t region_node_async(struct thread *thread, struct region *region)
{
    if (__builtin_expect(region->root != thread->level->root, 0)) {
        const struct walk_result walk = walk_async(thread, &region->event.at);
        region->node = walk.node;
        region->root = thread->level->root;
        claim(thread, &walk);
    }
    thread->region = region->node;
    return region->node;
}

/*
 * The place for what EVENT calls from path PARENT: what was called there last is first, and
 * what was called before it in the place beside.
 */
static struct region_child *find_child(struct regions *regions,
                                       const struct region_event *event, uint32_t parent)
{
    const uint32_t home = region_child_home(event->function, event->site, parent);
    struct region_child *first = &regions->children[home];
    struct region_child *second = &regions->children[home ^ 1];
    if (region_child_is(first, event, parent))
        return first;
    const struct region_child before = *first;
    *first = *second;
    *second = before;
    return first;
}

/*
 * Whether NODE, which a walk has found, is called straight from path PARENT, or from a part of
 * its function: then it is so each time that the call is made there.
 */
static bool is_straight(const struct thread *thread, uint32_t node, uint32_t parent,
                        uintptr_t site)
{
    const struct node *nodes = thread->tree.nodes, *found = &nodes[node];
    if (parent == UINT32_MAX || found->kind != NODE_FUNCTION ||
        code_address(found->site) != code_address(code_key(0, site - 1)))
        return false;
    const struct node *caller = &nodes[found->parent];
    return found->parent == parent ||
           (caller->kind == NODE_FUNCTION && caller->parent == nodes[parent].parent &&
            caller->site == nodes[parent].site && caller->told);
}

/* Whether the function that EVENT tells of is part of another one, which is left out. */
static bool is_part_of_left_out(const struct thread *thread, const struct walk_result *walk,
                                const struct region_event *event)
{
    const struct node *node = &thread->tree.nodes[walk->node];
    return !walk->failed && node->kind == NODE_FUNCTION &&
           code_address(node->key) != event->function &&
           filtered_is_out(code_address(node->key));
}

static __attribute__((noinline)) uint32_t
find_by_walk(struct thread *thread, struct regions *regions, const struct region_event *event,
             uint32_t parent, struct region_child *child, bool *sure)
{
    const uint32_t before = thread->tree.node_count;
    const struct walk_result walk = walk_async(thread, &event->at);
    regions->paths += thread->tree.node_count - before;
    *sure = !walk.failed && walk.node != thread->tree.other;
    if (is_part_of_left_out(thread, &walk, event)) {
        thread_worked_async(thread, clock_now_async());
        return REGION_LEFT_OUT;
    }
    if (parent != UINT32_MAX && !walk.failed)
        level_claim_part_async(thread, walk.node);
    /* A sample may have found the function that is entered before it has told. */
    if (claim(thread, &walk))
        *quick_path(thread, regions, walk.node)->visits = 0;
    if (!walk.failed && recipe_epoch_is_stable(regions->epoch) &&
        is_straight(thread, walk.node, parent, event->site))
        *child = (struct region_child){event->function, event->site, parent, walk.node};
    thread_worked_async(thread, clock_now_async());
    return walk.node;
}

/*
 * Whether EVENT, which comes from a call path that is the innermost region's, tells of a
 * function that is inlined there.  Otherwise that region was left by a jump and is called again
 * from the same place: it is dropped.
 */
static bool is_inlined(struct thread *thread, struct regions *regions,
                       const struct region_event *event)
{
    const uint32_t frame = regions->stack[regions->depth - 1].frame;
    const struct region_event *outer = &regions->stack[frame].event;
    if (outer->function != event->function || outer->at.pc != event->at.pc)
        return true;
    recorded_cut_async(thread, regions, frame);
    return false;
}

uint32_t region_find(struct thread *thread, struct regions *regions,
                     const struct region_event *event)
{
    uint32_t parent = UINT32_MAX;
    if (regions->depth > 0)
        parent = region_node_async(thread,
                                   &regions->stack[regions->stack[regions->depth - 1].frame]);
    struct region_child *child = find_child(regions, event, parent);
    bool sure = true;
    const bool known = region_child_is(child, event, parent);
    /* Recursion has more call paths than there is room for, and others need some of it. */
    if (!known && parent != UINT32_MAX && regions->paths >= REGION_PATHS) {
        thread_note_async(thread, NOTE_REGIONS_JOINED);
        return REGION_JOINED;
    }
    const uint32_t node =
        known ? child->node : find_by_walk(thread, regions, event, parent, child, &sure);
    if (node == REGION_LEFT_OUT)
        return node;
    /* Where a walk has failed two calls may have one path. */
    if (sure && node == parent && is_inlined(thread, regions, event))
        return REGION_INLINED;
    const enum node_kind kind = (enum node_kind)thread->tree.nodes[node].kind;
    /* A phase is visited by its marker. */
    if (kind == NODE_FUNCTION || (kind == NODE_ARTIFICIAL && node != CCT_ROOT))
        ++*quick_path(thread, regions, node)->visits;
    return node;
}

void region_drop_async(struct thread *thread, uintptr_t here)
{
    struct regions *regions = thread->regions;
    if (here < thread->stack.low || here >= thread->stack.high)
        return;
    uint32_t depth = regions->depth;
    while (depth > 0 && regions->stack[depth - 1].event.at.sp < here)
        depth--;
    recorded_cut_async(thread, regions, depth);
}
