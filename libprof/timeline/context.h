/*
 * Who may touch a thread's context: the one place that writes `depth`.
 *
 * A wrapper or a marker enters with thread_enter and leaves with thread_leave; in between it may
 * say that the thread is in MPI.  The sample handler, which may come at any instant, claims the
 * context for itself where the program has it, and leaves it alone elsewhere.
 */
#ifndef TSPROF_CONTEXT_H
#define TSPROF_CONTEXT_H

#
#include "timeline/counts.h"
#include "timeline/hooks.h"
#include "timeline/thread.h"

/* Raises the depth in the frame whose address is FRAME.  On the thread itself. */
static inline void thread_claim_async(struct thread *thread, uintptr_t frame)
{
    thread->depth = DEPTH_TSPROF;
    thread->entry_frame = frame;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Gives the context back to the program, or to whoever stops the thread.  On the thread itself. */
static inline void thread_release_async(struct thread *thread)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread->depth = DEPTH_PROGRAM;
}

/* The thread enters MPI, with the context claimed; and comes back from there. */
static inline void thread_enter_mpi_async(struct thread *thread)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread->depth = DEPTH_MPI;
}

static inline void thread_return_from_mpi_async(struct thread *thread)
{
    thread->depth = DEPTH_TSPROF;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* The rest of thread_enter for a thread that has been stopped, or has counters. */
struct thread *thread_enter_special(struct thread *thread);

/*
 * Claims the calling thread's context; NULL when it is not to be touched: inside another wrapper
 * or marker, before the measurement or after it.  FRAME is the caller's frame address.  STARTS:
 * the caller may start the measurement.  Program context; keeps errno.
 */
static inline struct thread *thread_enter(const uintptr_t *frame, bool starts)
{
    struct thread *thread = thread_self;
    if (__builtin_expect(!thread || thread->depth != DEPTH_PROGRAM || thread->stopped, 0)) {
        thread = timeline_hooks.enter(thread, (uintptr_t)frame, starts);
        if (!thread)
            return NULL;
    }
    thread_claim_async(thread, (uintptr_t)frame);
    /* Whoever stops the thread waits for it once it can see the depth. */
    if (__builtin_expect(thread->special, 0))
        return thread_enter_special(thread);
    return thread;
}

/* Ends what thread_enter began: the time since what was accounted for last is tsprof's. */
static inline void thread_leave(struct thread *thread)
{
    if (__builtin_expect(thread->counting, 0))
        counts_skip_async(thread);
    thread_worked_async(thread, clock_now_async());
    if (__builtin_expect(thread->last_ns >= thread->save_due_ns, 0))
        timeline_hooks.save(thread);
    thread_release_async(thread);
}

/* The same at the end of a marker, which has accounted for its own time already. */
void thread_leave_marker(struct thread *thread);

#endif
