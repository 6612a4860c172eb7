/*
 * What most events need, and nothing else: a function that was called from the same place
 * before is entered, or the innermost one is left, and nothing but such events has happened
 * since the last one.  Whatever else claims the thread's context says that it was `touched`;
 * then, and where anything is not as it was, these functions change nothing, and the event
 * takes the way of enter.h.
 *
 * Functions that are inlined have no time of their own, so the clock need not be read for them.
 *
 * For this room alone; program context of the thread itself.
 */
#ifndef TSPROF_QUICK_H
#define TSPROF_QUICK_H

#include "regions/recorded.h"
#include "regions/region_memory.h"
#include "regions/telling.h"
#include "unwind/unwind.h"

/* THREAD, in the middle of an event that goes the long way, finds what quick events need. */
void quick_look(struct thread *thread, struct regions *regions);

/* The cells of NODE, which are touched for that. */
struct region_path *quick_path(struct thread *thread, struct regions *regions, uint32_t node);

/* Records TAG, an event of functions, of NODE at NS. */
void quick_record(struct thread *thread, uint32_t tag, uint32_t node, int64_t ns);

/* That event ends: the next one may be quick, if possible. */
void quick_allow(struct thread *thread, struct regions *regions);

/* The bytes of `any` that must be 0: all but `watched`, with which quick_allow deals. */
#define QUICK_MUST_BE_ZERO UINT32_C(0xff00ffff)

/* Claims the context of THREAD; NULL, with nothing claimed, if the event cannot be quick. */
static inline struct regions *quick_claim(struct thread *thread, const uintptr_t *frame)
{
    if (__builtin_expect(thread->depth != DEPTH_PROGRAM, 0))
        return NULL;
    thread->depth = DEPTH_TSPROF;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread->entry_frame = arch_frame_address(frame);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    /* A thread that is not `touched` has regions, and is in one. */
    if (__builtin_expect((thread->any & QUICK_MUST_BE_ZERO) == 0, 1))
        return thread->regions;
    thread_release_async(thread);
    return NULL;
}

/* Reads the clock into *NS; false if there is more to do at that time. */
static inline bool quick_clock(const struct thread *thread, int64_t *ns)
{
    *ns = clock_to_ns_async(arch_ticks_async());
    return !timeline_due_async(thread, *ns) && *ns < thread->work_due_ns;
}

/* The innermost region has computed up to NS. */
static inline void quick_give(struct thread *thread, struct regions *regions, int64_t ns)
{
    const int64_t passed_ns = ns - thread->last_ns;
    thread->last_ns = ns;
    thread->attributed_ns += passed_ns;
    regions->now->owed_ns += passed_ns;
    *regions->now->computation += passed_ns;
}

/* Member by member: compilers copy the whole by slow instructions. */
static inline void quick_note(struct region *region, const struct region_event *event)
{
    region->event.function = event->function;
    region->event.site = event->site;
    region->event.at.pc = event->at.pc;
    region->event.at.sp = event->at.sp;
    region->event.at.fp = event->at.fp;
}

/* What is told by a call with FRAME from the beginning of FUNCTION, called from SITE. */
static inline struct region_event quick_event(const uintptr_t *frame, uintptr_t function,
                                              uintptr_t site)
{
    return (struct region_event){
        .function = function,
        .site = arch_code_address(site),
        .at = arch_caller(frame, arch_code_address(arch_return_address(frame)))};
}

/* The function of EVENT is called: its region is inside the innermost one. */
static inline __attribute__((always_inline)) bool
quick_enter_call(struct thread *thread, struct regions *regions,
                 const struct region_event *event, bool records)
{
    int64_t ns;
    const struct region_child *child =
        &regions->children[region_child_home(event->function, event->site, regions->now_node)];
    if (!region_child_is(child, event, regions->now_node))
        return false;
    struct region_path *path = &regions->path[child->node];
    if (path->generation != regions->generation || regions->depth == REGIONS_DEEPEST ||
        !quick_clock(thread, &ns))
        return false;
    quick_give(thread, regions, ns);
    ++*path->visits;
    struct region *region = &regions->stack[regions->depth];
    quick_note(region, event);
    region->node = regions->now_node = thread->region = child->node;
    region->root = regions->place.root;
    region->frame = regions->depth++;
    regions->now = path;
    regions->room = event->at.sp - regions->low;
    if (records)
        quick_record(thread, EVENT_ENTER, child->node, ns);
    return true;
}

/* Whether the function of EVENT, which is inlined, is entered again without having been left.
 */
static inline bool quick_repeats(const struct regions *regions,
                                 const struct region_event *event)
{
    const struct region *region = &regions->stack[regions->depth - 1];
    for (; region >= regions->stack && region->event.at.sp == event->at.sp; region--)
        if (region->event.function == event->function && region->event.at.pc == event->at.pc)
            return true;
    return false;
}

/*
 * FUNCTION may be inlined in the innermost region.  Apart, and with nothing in memory for it,
 * so that others need less.
 */
static __attribute__((noinline)) bool quick_enter_inlined(struct thread *thread,
                                                          struct regions *regions,
                                                          const uintptr_t *frame,
                                                          uintptr_t function, uintptr_t site)
{
    const struct region_event told = quick_event(frame, function, site), *event = &told;
    int64_t ns = thread->last_ns;
    const struct region *top = &regions->stack[regions->depth - 1];
    const struct region_inlined *inlined =
        &regions
             ->inlined[region_inlined_home(event->function, event->at.pc, regions->now_node)];
    if (top->event.site != event->site ||
        !region_inlined_is(inlined, event, top->event.at.pc, regions->now_node))
        return false;
    struct region_path *path = &regions->path[inlined->node];
    if (path->generation != regions->generation || regions->depth == REGIONS_DEEPEST ||
        borders_due_async(thread->next_border) || quick_repeats(regions, event))
        return false;
    /* So that its visit is in the right slice of time. */
    if ((regions->records || thread->border_due_ns != INT64_MAX) && !quick_clock(thread, &ns))
        return false;
    ++*path->visits;
    if (regions->records)
        quick_record(thread, EVENT_VISIT, inlined->node, ns);
    const uint32_t outer = top->frame;
    struct region *region = &regions->stack[regions->depth++];
    quick_note(region, event);
    region->root = REGION_NO_ROOT;
    region->frame = outer;
    return true;
}

/*
 * Enters FUNCTION, called from SITE; FRAME is that of the function the compiler calls. RECORDS,
 * a constant, says whether the event is to be in a trace: there is a copy for each, so that
 * calls that record cost nothing where nothing is recorded.
 */
static inline __attribute__((always_inline)) bool quick_enter(struct thread *thread,
                                                              const uintptr_t *frame,
                                                              uintptr_t function,
                                                              uintptr_t site, bool records)
{
    struct regions *regions = quick_claim(thread, frame);
    if (__builtin_expect(!regions, 0))
        return false;
    const struct region_event event = quick_event(frame, function, site);
    const uintptr_t above = event.at.sp - regions->low;
    bool done = regions->records == records && recipe_epoch_async() == regions->epoch;
    /* On other stacks it is beyond the room, too. */
    if (above < regions->room)
        done = done && quick_enter_call(thread, regions, &event, records);
    else
        done = done && above == regions->room &&
               quick_enter_inlined(thread, regions, frame, function, site);
    if (__builtin_expect(done, 1))
        telling_count_one(&thread->cost.entries);
    thread_release_async(thread);
    return done;
}

/* The innermost region TOP, which is not inlined, is left. */
static inline __attribute__((always_inline)) bool quick_leave_call(struct thread *thread,
                                                                   struct regions *regions,
                                                                   const struct region *top,
                                                                   bool records)
{
    int64_t ns;
    const struct region *outer = &regions->stack[top[-1].frame];
    struct region_path *path = &regions->path[outer->node];
    if (outer->root != regions->place.root || path->generation != regions->generation ||
        !quick_clock(thread, &ns))
        return false;
    quick_give(thread, regions, ns);
    if (records)
        quick_record(thread, EVENT_LEAVE, top->node, ns);
    regions->now = path;
    regions->now_node = thread->region = outer->node;
    return true;
}

/*
 * Whether the innermost region TOP is left by an event with FRAME.  If that is the last thing
 * that the function does, it jumps there: then the stack pointer is its caller's, where the
 * event returns to.
 */
static inline bool quick_is_left(const struct region *top, const uintptr_t *frame)
{
    const uintptr_t sp = arch_caller(frame, 0).sp;
    return top->event.at.sp == sp ||
           (top->event.at.sp < sp && sp <= top[-1].event.at.sp &&
            arch_code_address(arch_return_address(frame)) == top->event.site);
}

/* Leaves it again. */
static inline __attribute__((always_inline)) bool quick_leave(struct thread *thread,
                                                              const uintptr_t *frame,
                                                              uintptr_t function,
                                                              uintptr_t site, bool records)
{
    struct regions *regions = quick_claim(thread, frame);
    if (__builtin_expect(!regions, 0))
        return false;
    const struct region *top = &regions->stack[regions->depth - 1];
    bool done = regions->records == records && regions->depth > 1 &&
                top->event.function == function && top->event.site == arch_code_address(site) &&
                quick_is_left(top, frame);
    if (done && __builtin_expect(top->frame == regions->depth - 1, 1))
        done = quick_leave_call(thread, regions, top, records);
    else
        done = done && top->event.at.sp == arch_caller(frame, 0).sp;
    if (__builtin_expect(done, 1)) {
        regions->room = top[-1].event.at.sp - regions->low;
        regions->depth--;
        telling_count_one(&thread->cost.exits);
    }
    thread_release_async(thread);
    return done;
}

#endif
