/*
 * The room that accounts for MPI calls, whatever the MPI: it deals with the numbers of
 * functions and with bytes, not with MPI's types.  This is also its public header.  All
 * functions are for program context, unless their comment says otherwise.
 *
 * What every MPI wrapper does around the real function:
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
 * The clock is read three times.  The program computes until the first reading, and the MPI
 * function runs between the first and the second.  All that tsprof does comes between the
 * second and the third, so that its cost is known and counts for neither.  If there are
 * counters, they are read at the same places (timeline/counts.h), in tsprof's time.
 */
#ifndef TSPROF_MEASURE_H
#define TSPROF_MEASURE_H

#include "calls/calls.h"
#include "measure/call_memory.h"
#include "measure/fortran_calls.h"
#include "measure/requests.h"
#include "timeline/timeline.h"
#include "unwind/unwind.h"

/*
 * THREAD, which holds its context, is about to call the real function CALL; FRAME is the
 * wrapper's frame address.  Returns the time in ticks of the clock.
 */
static inline __attribute__((always_inline)) uint64_t
measure_begin(struct thread *thread, enum mpi_call call, const uintptr_t *frame)
{
    uint64_t ticks = clock_ticks_async();
    thread->stolen_ns = 0;
    thread->call_frame = frame;
    live_enter_async(thread->live, call, ticks,
                     alias_target_async(arch_return_address(frame)) - 1);
    thread_enter_mpi_async(thread);
    return ticks;
}

/* The real function has returned.  Returns the time in ticks of the clock. */
static inline uint64_t measure_end(struct thread *thread)
{
    thread_return_from_mpi_async(thread);
    uint64_t ticks = clock_ticks_async();
    live_leave_async(thread->live);
    return ticks;
}

/*
 * Whether the measurement ended while the thread was in MPI.  If so, the context has been given
 * up and must not be touched, and the wrapper returns at once.
 */
static inline bool measure_over(struct thread *thread)
{
    if (__builtin_expect(!thread->stopped, 1))
        return false;
    thread_release_async(thread);
    return true;
}

/*
 * Accounts for a call that lasted from BEGIN to END, in ticks of the clock, and returns the
 * node of its call path.  FRAME is the wrapper's frame address, where its caller's frame
 * pointer and return address are saved.
 */
uint32_t measure_record(struct thread *thread, enum mpi_call call, const uintptr_t *frame,
                        uint64_t begin, uint64_t end);

/*
 * The node of CALL, which THREAD is in and which is not accounted for yet.  For a handler on
 * the thread itself, at DEPTH_TSPROF.
 */
uint32_t measure_find_async(struct thread *thread, enum mpi_call call);

/* The call has synchronised all ranks: does the work that was put off until then. */
void measure_synchronized(struct thread *thread);

/* The cells of the call's node; valid until thread_leave. */
static inline struct node_cells measure_cells(struct thread *thread, uint32_t leaf)
{
    return profile_node_async(thread->level->profile, &thread->tree, leaf);
}

#endif
