/*
 * Who may touch a thread's context.  This is the one place that writes `depth`.
 *
 * A wrapper or a marker claims the context with thread_enter and gives it back with
 * thread_leave; in between it may say that the thread is in MPI.  The sample handler, which may
 * run at any instant, claims the context if it has interrupted the program, and otherwise
 * leaves it alone.
 */
#ifndef TSPROF_CONTEXT_H
#define TSPROF_CONTEXT_H

#include "timeline/counts.h"
#include "timeline/hooks.h"
#include "timeline/thread.h"

/*
 * Claims the context for a wrapper or handler whose frame address is FRAME.  On the thread
 * itself.
 */
static inline void thread_claim_async(struct thread *thread, uintptr_t frame)
{
    thread->depth = DEPTH_TSPROF;
    /* A handler of the program's that comes here sees it claimed, but not since when. */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread->busy = STALL_CALL;
    thread->touched = true;
    thread->entry_frame = frame;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/*
 * Gives the context up again, so that whoever stops the thread may have it, with all that was
 * written.  On the thread itself.
 */
static inline void thread_release_async(struct thread *thread)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread->entry_frame = 0;
    __atomic_store_n(&thread->depth, DEPTH_PROGRAM, __ATOMIC_RELEASE);
}

/* The thread, which has claimed its context, enters MPI. */
static inline void thread_enter_mpi_async(struct thread *thread)
{
    __atomic_store_n(&thread->depth, DEPTH_MPI, __ATOMIC_RELEASE);
}

/* The thread is back from MPI, and still holds its context. */
static inline void thread_return_from_mpi_async(struct thread *thread)
{
    thread->depth = DEPTH_TSPROF;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/*
 * What thread_enter does in addition for a thread that has been stopped meanwhile, or that has
 * counters.  Returns NULL if it has been stopped.
 */
struct thread *thread_enter_special(struct thread *thread);

/*
 * Claims the calling thread's context.  Returns NULL if the call must not be measured: inside
 * another wrapper or marker, and before or after the measurement.  FRAME is the caller's frame
 * address; STARTS says that this call may start the measurement.  Program context only;
 * preserves errno.
 */
static inline struct thread *thread_enter(const uintptr_t *frame, bool starts)
{
    struct thread *thread = thread_self;
    if (__builtin_expect(!thread || thread->depth != DEPTH_PROGRAM || thread->stopped, 0)) {
        thread = timeline_hooks.enter(thread, arch_frame_address(frame), starts);
        if (!thread)
            return NULL;
    }
    thread_claim_async(thread, arch_frame_address(frame));
    /*
     * `stopped` is checked again: whoever stops the thread waits only once it sees the depth.
     */
    if (__builtin_expect(thread->special, 0))
        return thread_enter_special(thread);
    return thread;
}

/*
 * Gives the context back after thread_enter.  The time since `last_ns` was tsprof's own.  Does
 * the work that is due.
 */
static inline void thread_leave(struct thread *thread)
{
    const int64_t since_ns = thread->last_ns;
    if (__builtin_expect(since_ns >= thread->work_due_ns, 0)) {
        thread_worked_async(thread, clock_now_async());
        timeline_hooks.work(thread);
    }
    /* After that, for what is counted in the work is tsprof's. */
    if (__builtin_expect(thread->counting, 0))
        counts_skip_async(thread);
    thread_worked_async(thread, clock_now_async());
    thread_kept_async(thread, thread->last_ns - since_ns);
    thread_release_async(thread);
}

/* Does what thread_leave does, for a marker, which has already accounted for its own time. */
void thread_leave_marker(struct thread *thread);

#endif
