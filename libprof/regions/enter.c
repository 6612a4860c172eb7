/* See enter.h. */
#include "regions/enter.h"

#include "regions/early.h"
#include "regions/path.h"
#include "regions/quick.h"
#include "regions/recorded.h"
#include "regions/region_memory.h"
#include "regions/regions.h"
#include "regions/telling.h"
#include "unwind/unwind.h"

#include <errno.h>

enum {
    /* What is drawn from the budget: children, and of the rest what shallow stacks use. */
    BYTES_AT_START = sizeof(((struct regions *)0)->children) +
                     sizeof(((struct regions *)0)->inlined) + 32768,
    ALIGNED_EXTRA = 64
};

/* Memory for the regions of THREAD, as much as there may ever be; NULL if there is none. */
static struct regions *reserve(const struct thread *thread)
{
    const size_t bytes =
        sizeof(struct regions) + thread->tree.node_capacity * sizeof(struct region_path);
    struct arena arena;
    if (arena_create_async(&arena, bytes + ALIGNED_EXTRA) != 0)
        return NULL;
    struct regions *regions = arena_take_async(&arena, bytes);
    if (regions)
        regions->arena = arena;
    else
        arena_destroy_async(&arena);
    return regions;
}

/* Gives THREAD memory for regions.  Returns NULL if there is none, for good. */
static __attribute__((noinline)) struct regions *create(struct thread *thread)
{
    const int saved = errno;
    if (thread->regions_refused)
        return NULL;
    thread->regions_refused = true;
    const bool drawn = budget_draw_async(BYTES_AT_START);
    struct regions *regions = drawn ? reserve(thread) : NULL;
    errno = saved;
    if (!regions) {
        if (drawn)
            budget_return_async(BYTES_AT_START);
        thread_note_async(thread, NOTE_REGIONS_LOST);
        return NULL;
    }
    regions->walker.single = true;
    regions->walker.anchor = level_no_anchor;
    regions->epoch = recipe_epoch_async();
    memory_add_arena_async(thread, &regions->arena);
    return regions;
}

size_t regions_bytes_async(const struct thread *thread)
{
    return thread->regions ? BYTES_AT_START : 0;
}

/* The regions whose frames lie below SP were left without a word, by a jump. */
static inline void drop_below(struct thread *thread, struct regions *regions, uintptr_t sp)
{
    uint32_t depth = regions->depth;
    while (depth > 0 && regions->stack[depth - 1].event.at.sp < sp)
        depth--;
    recorded_cut_async(thread, regions, depth);
}

/* Whether both addresses lie in the same function as it was compiled. */
static bool same_code(uintptr_t a, uintptr_t b)
{
    struct recipe unlisted;
    const uint64_t function = recipe_find_async(a, RECIPE_CALLER, &unlisted)->function;
    return function == recipe_find_async(b, RECIPE_CALLER, &unlisted)->function;
}

/*
 * Drops the regions that are no longer there when EVENT tells that one is entered.  Returns
 * whether it is inlined in the innermost of the rest: then both have one frame.  A frame that
 * was left by a jump may be followed by another one of the same size, from the same place.
 */
static bool drop_before(struct thread *thread, struct regions *regions,
                        const struct region_event *event)
{
    drop_below(thread, regions, event->at.sp);
    if (regions->depth == 0)
        return false;
    const struct region *top = &regions->stack[regions->depth - 1];
    if (__builtin_expect(top->event.at.sp != event->at.sp, 1))
        return false;
    regions->beyond = 0;
    const bool inlined =
        top->event.site == event->site && same_code(top->event.at.pc, event->at.pc);
    uint32_t depth = regions->depth;
    while (depth > 0 && regions->stack[depth - 1].event.at.sp == event->at.sp) {
        const struct region_event *other = &regions->stack[--depth].event;
        if (inlined && other->function == event->function && other->at.pc == event->at.pc) {
            recorded_cut_async(thread, regions, depth);
            return depth > 0 && regions->stack[depth - 1].event.at.sp == event->at.sp;
        }
    }
    if (!inlined)
        recorded_cut_async(thread, regions, depth);
    return inlined;
}

/*
 * Counts main and other functions that were entered before the measurement, unless a walk has
 * found them already.
 */
static void count_early(struct thread *thread, struct regions *regions)
{
    for (uint32_t i = 0; i < regions->depth && thread->level == thread->levels; i++) {
        struct node *node = &thread->tree.nodes[region_node_async(thread, &regions->stack[i])];
        if (regions->stack[i].frame != i || node->kind != NODE_FUNCTION || node->told)
            continue;
        node->told = true;
        int64_t *visits = profile_cells_async(thread->level->profile, &thread->tree,
                                              (uint32_t)(node - thread->tree.nodes)) +
                          layout_table[node->layout].cell_of[METRIC_visits];
        *visits += *visits == 0;
    }
}

/* The regions of THREAD, to which EVENT happens; NULL without memory. */
static inline struct regions *regions_of(struct thread *thread,
                                         const struct region_event *event)
{
    if (__builtin_expect(thread->regions != NULL, 1))
        return thread->regions;
    struct regions *regions = create(thread);
    if (!regions)
        return NULL;
    early_take(regions);
    drop_below(thread, regions, event->at.sp);
    thread->regions = regions;
    count_early(thread, regions);
    return regions;
}

/* Gives the context back.  Time since the line's end is the program's, unless work is due. */
static inline void depart(struct thread *thread, struct regions *regions)
{
    if (__builtin_expect(thread->counting || thread->last_ns >= thread->work_due_ns, 0)) {
        thread_leave(thread);
        return;
    }
    if (regions)
        quick_allow(thread, regions);
    thread_release_async(thread);
}

/* Brings the line of THREAD to now; the time until then is the innermost region's. */
static inline void come(struct thread *thread, struct regions *regions)
{
    thread->stay_ns = clock_now_async();
    timeline_come(thread, thread->stay_ns);
    regions_give_async(thread);
    quick_look(thread, regions);
}

/* Adds the region that EVENT, at NS, tells of, on call path NODE. */
static void push_visited(struct thread *thread, struct regions *regions,
                         const struct region_event *event, uint32_t node, int64_t ns)
{
    struct region *region = region_push(regions, event, UINT32_MAX);
    recorded_event_async(thread, region ? EVENT_ENTER : EVENT_VISIT, node, ns);
    if (!region)
        return;
    region->node = thread->region = node;
    region->root = thread->level->root;
}

void regions_enter(struct thread *thread, const struct region_event *event)
{
    telling_count_one(&thread->cost.entries);
    struct regions *regions = regions_of(thread, event);
    if (regions) {
        come(thread, regions);
        const int64_t ns = thread->last_ns;
        const uint32_t node = drop_before(thread, regions, event)
                                  ? REGION_INLINED
                                  : region_find(thread, regions, event);
        if (node == REGION_INLINED)
            region_visit_inlined(thread, regions, event);
        if (node == REGION_INLINED || node == REGION_JOINED)
            region_push(regions, event, regions->stack[regions->depth - 1].frame);
        else if (node != REGION_LEFT_OUT)
            push_visited(thread, regions, event, node, ns);
    }
    depart(thread, regions);
}

/* Whether REGION may be the one that EVENT tells of. */
static bool tells_of(const struct region_event *event, const struct region *region)
{
    return region->event.function == event->function && region->event.site == event->site;
}

/*
 * How many regions are left by EVENT, if the innermost of DEPTH is not below it.  Inlined
 * functions have one frame, and a jump within it may have left some of them.
 */
static uint32_t count_left_at(const struct regions *regions, const struct region_event *event,
                              uint32_t depth)
{
    uint32_t outer = depth;
    while (outer > 0 && !tells_of(event, &regions->stack[outer - 1]) &&
           regions->stack[outer - 1].frame != outer - 1)
        outer--;
    if (outer == 0 || !tells_of(event, &regions->stack[outer - 1]))
        return 0;
    return depth - (outer - 1);
}

/*
 * Takes the region out that EVENT tells of.  Its stack pointer is what it was when the region
 * was entered, or lower if there is memory on the stack since; or, if the function jumps to the
 * event as the last thing it does, higher: that of its caller.
 */
static void take_out(struct thread *thread, struct regions *regions,
                     const struct region_event *event)
{
    uint32_t depth = regions->depth;
    if (regions->beyond > 0 && depth > 0 &&
        event->at.sp < regions->stack[depth - 1].event.at.sp) {
        regions->beyond--;
        return;
    }
    while (depth > 0 && regions->stack[depth - 1].event.at.sp < event->at.sp)
        depth--;
    const bool found = depth < regions->depth && tells_of(event, &regions->stack[depth]);
    const bool jumped = event->at.pc + 1 == event->site;
    if (!found || !jumped)
        depth -= count_left_at(regions, event, depth);
    recorded_cut_async(thread, regions, depth);
}

/* The path of the innermost region; CCT_ROOT if it is not known yet. */
static uint32_t innermost_known(const struct thread *thread, const struct regions *regions)
{
    if (regions->depth == 0)
        return CCT_ROOT;
    const struct region *region = &regions->stack[regions->stack[regions->depth - 1].frame];
    return region->root == thread->level->root ? region->node : CCT_ROOT;
}

void regions_leave(struct thread *thread, const struct region_event *event)
{
    telling_count_one(&thread->cost.exits);
    struct regions *regions = regions_of(thread, event);
    if (regions) {
        come(thread, regions);
        take_out(thread, regions, event);
        thread->region = innermost_known(thread, regions);
    }
    depart(thread, regions);
}
