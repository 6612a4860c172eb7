/*
 * Which calls are unwound from: a call must not cost more than it is worth.
 *
 * A walk that repeats a remembered one costs some tens of nanoseconds.  Others cost more: on a
 * coroutine's stack, which is read through the kernel, or where each call comes from far away.
 * That does not matter in a function that is called now and then, or takes long; but in one
 * that is called a million times a second it would (Szebenyi, section 5.2.2: MPI_Comm_rank in
 * 142.dmilc, MPI_Cart_shift in 147.l2wrf2).  So each MPI function has a debt: walks add what
 * they cost, every call pays off what a call may cost, and a part of the time that it took
 * itself.  While the debt is too high calls are counted and timed, but not unwound.
 *
 * By the thread that holds the context.
 */
#ifndef TSPROF_THRIFT_H
#define TSPROF_THRIFT_H

#include "calls/calls.h"
#include "measure/call_memory.h"
#include "timeline/timeline.h"

enum {
    THROTTLE_DEBT_MOST_NS = 20000000,
    THROTTLE_CALL_NS = 60,     /* what a walk may cost, call by call */
    THROTTLE_TIME_SHARE = 8,   /* and this part of the call's own time */
    THROTTLE_FREE_STEPS = 2,   /* frames that are new in a walk that is nearly the last one */
    THROTTLE_STEP_NS = 40,     /* a frame that was not remembered */
    THROTTLE_FOREIGN_NS = 1500 /* a stack that is read through the kernel */
};

/* Whether CALL is to be unwound from now. */
static inline bool throttle_allows(const struct thread *thread, enum mpi_call call)
{
    return mpi_call_table[call].unwound &&
           __builtin_expect(thread->calls->walk_debt_ns[call] < THROTTLE_DEBT_MOST_NS, 1);
}

/* Notes what the walk from a call cost, or that there was none: WALK is NULL. */
static inline void throttle_charge(struct thread *thread, enum mpi_call call,
                                 const struct walk_result *walk, int64_t call_ns)
{
    int64_t debt = thread->calls->walk_debt_ns[call];
    if (walk && walk->steps > THROTTLE_FREE_STEPS)
        debt += (int64_t)walk->steps * THROTTLE_STEP_NS + walk->foreign * THROTTLE_FOREIGN_NS;
    else if (debt == 0)
        return;
    debt -= THROTTLE_CALL_NS + call_ns / THROTTLE_TIME_SHARE;
    thread->calls->walk_debt_ns[call] = debt > 0 ? (int32_t)debt : 0;
}

#endif
