/*
 * What every MPI wrapper does around the real function.
 *
 *     thread = measure_enter(frame, true);
 *     if (!thread) return real(...);
 *     begin = measure_begin(thread, call, frame);
 *     result = real(...);
 *     end = measure_end(thread);
 *     if (measure_over(thread)) return result;
 *     leaf = measure_record(thread, call, frame, begin, end);
 *     ... node_cells_add(measure_cells(thread, leaf), metric, value) ...
 *     measure_leave(thread);
 *
 * The clock is read three times: the program's computation ends at the first, the MPI function
 * between the first and the second, and everything tsprof does comes after, between the second
 * and the third, so that its cost is known and belongs to neither.  Counters are read at the
 * same places, where there are any (counters.h); that is tsprof's time.
 */
#ifndef TSPROF_MEASURE_H
#define TSPROF_MEASURE_H

#include "unwind/alias.h"
#include "counters/counters.h"
#include "life/lifecycle.h"
#include "calls/mpi_calls.h"
#include "save/part.h"
#include "timeline/thread.h"

/* The rest of measure_enter for a thread that has been stopped, or has counters. */
struct thread *measure_enter_special(struct thread *thread);

/*
 * Claims the calling thread's context; NULL when the call is not to be measured: inside another
 * measured call, before the measurement or after it.  FRAME is the wrapper's frame address.
 * STARTS: a call of this function may start the measurement.
 */
static inline struct thread *measure_enter(const uintptr_t *frame, bool starts)
{
    struct thread *thread = thread_self;
    if (__builtin_expect(!thread || thread->depth != DEPTH_PROGRAM || thread->stopped, 0)) {
        thread = lifecycle_enter(thread, (uintptr_t)frame, starts);
        if (!thread)
            return NULL;
    }
    thread->depth = DEPTH_TSPROF;
    thread->entry_frame = (uintptr_t)frame;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    /* Whoever stops the thread waits for it once it can see the depth. */
    if (__builtin_expect(thread->special, 0))
        return measure_enter_special(thread);
    return thread;
}

static inline __attribute__((always_inline)) uint64_t
measure_begin(struct thread *thread, enum mpi_call call, const uintptr_t *frame)
{
    uint64_t ticks = clock_ticks_async();
    thread->stolen_ns = 0;
    live_enter_async(thread->live, call, ticks, alias_target_async(frame[1]) - 1);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread->depth = DEPTH_MPI;
    return ticks;
}

static inline uint64_t measure_end(struct thread *thread)
{
    thread->depth = DEPTH_TSPROF;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    uint64_t ticks = clock_ticks_async();
    live_leave_async(thread->live);
    return ticks;
}

/*
 * Whether the measurement ended while the thread was in MPI: nothing of it may be touched any
 * more, and the wrapper returns at once.
 */
static inline bool measure_over(struct thread *thread)
{
    if (__builtin_expect(!thread->stopped, 1))
        return false;
    thread->depth = DEPTH_PROGRAM;
    return true;
}

/*
 * Accounts for the call and finds its call path: the wrapper's caller is read from FRAME, the
 * saved frame pointer and return address at the wrapper's frame address.  Returns the node.
 */
uint32_t measure_record(struct thread *thread, enum mpi_call call, const uintptr_t *frame,
                        uint64_t begin, uint64_t end);

/*
 * The node of CALL, which is under way on THREAD and is not accounted for yet.  The handler, in
 * DEPTH_TSPROF, on the thread itself.
 */
uint32_t measure_find_async(struct thread *thread, enum mpi_call call);

/* The cells of the call's node, until measure_leave. */
static inline struct node_cells measure_cells(struct thread *thread, uint32_t leaf)
{
    return profile_node_async(thread->level->profile, &thread->tree, leaf);
}

static inline void measure_leave(struct thread *thread)
{
    if (__builtin_expect(thread->counting, 0))
        counters_skip_async(thread);
    thread_worked_async(thread, clock_now_async());
    if (part_is_due_async(thread))
        part_save_leaving(thread);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread->depth = DEPTH_PROGRAM;
}

/* The registers of the caller of a function whose frame address is FRAME. */
static inline struct registers measure_caller(const uintptr_t *frame)
{
    return (struct registers){
        .pc = alias_target_async(frame[1]) - 1, .sp = (uintptr_t)(frame + 2), .fp = frame[0]};
}

#endif
