/*
 * What every MPI wrapper does around the real function.
 *
 *     thread = thread_enter(frame, true);
 *     if (!thread) return real(...);
 *     begin = measure_begin(thread, call, frame);
 *     result = real(...);
 *     end = measure_end(thread);
 *     if (measure_over(thread)) return result;
 *     leaf = measure_record(thread, call, frame, begin, end);
 *     ... node_cells_add(measure_cells(thread, leaf), metric, value) ...
 *     thread_leave(thread);
 *
 * The clock is read three times: the program's computation ends at the first, the MPI function
 * between the first and the second, and everything tsprof does comes after, between the second
 * and the third, so that its cost is known and belongs to neither.  Counters are read at the
 * same places, where there are any (timeline/counts.h); that is tsprof's time.
 *
 * This is also the room's header: accounting for MPI calls in terms of their numbers, whatever
 * the MPI.  Program context, unless it says otherwise.
 */
#ifndef TSPROF_MEASURE_H
#define TSPROF_MEASURE_H

#include "calls/calls.h"
#include "measure/call_memory.h"
#include "measure/fortran_calls.h"
#include "measure/requests.h"
#include "timeline/timeline.h"
#include "unwind/unwind.h"

/* The thread, entered, calls MPI function CALL from FRAME: returns when, in ticks. */
static inline __attribute__((always_inline)) uint64_t
measure_begin(struct thread *thread, enum mpi_call call, const uintptr_t *frame)
{
    uint64_t ticks = clock_ticks_async();
    thread->stolen_ns = 0;
    live_enter_async(thread->live, call, ticks, alias_target_async(arch_return_address(frame)) - 1);
    thread_enter_mpi_async(thread);
    return ticks;
}

/* It has come back: returns when. */
static inline uint64_t measure_end(struct thread *thread)
{
    thread_return_from_mpi_async(thread);
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
    thread_release_async(thread);
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

/*
 * The call has made all ranks of a job wait for each other: what was put off until then is done.
 */
void measure_synchronized(struct thread *thread);

/* The cells of the call's node, until thread_leave. */
static inline struct node_cells measure_cells(struct thread *thread, uint32_t leaf)
{
    return profile_node_async(thread->level->profile, &thread->tree, leaf);
}

#endif
