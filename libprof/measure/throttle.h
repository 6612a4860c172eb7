/*
 * The throttle: decides which MPI calls are unwound, so that no call costs more than it is
 * worth.
 *
 * A walk that repeats a remembered one costs some tens of nanoseconds.  Others cost more: on a
 * coroutine's stack, which is read through the kernel, or where the call path has changed a lot
 * since the last call.  That does not matter for a function that is called rarely or takes
 * long, but it does for one that is called a million times a second (Szebenyi, section 5.2.2:
 * MPI_Comm_rank in 142.dmilc, MPI_Cart_shift in 147.l2wrf2).  So each MPI function has a debt,
 * like a token bucket the other way round: walks add their cost, and every call pays off what a
 * call may cost and a share of its own time.  While the debt is too high, calls are counted and
 * timed, but not unwound.
 *
 * For the thread that holds the context.
 */
#ifndef TSPROF_THROTTLE_H
#define TSPROF_THROTTLE_H

#include "calls/calls.h"
#include "measure/call_memory.h"
#include "timeline/timeline.h"

enum {
    THROTTLE_DEBT_MOST_NS = 20000000,
    THROTTLE_CALL_NS = 60,     /* what each call pays off, */
    THROTTLE_TIME_SHARE = 8,   /* and in addition one part in so many of its own time */
    THROTTLE_FREE_STEPS = 2,   /* walks with no more new frames than this cost nothing */
    THROTTLE_STEP_NS = 40,     /* cost of a frame that was not remembered */
    THROTTLE_FOREIGN_NS = 1500 /* cost of a stack that is read through the kernel */
};

/* Whether this call of CALL is to be unwound. */
static inline bool throttle_allows(const struct thread *thread, enum mpi_call call)
{
    return mpi_call_table[call].unwound &&
           __builtin_expect(thread->calls->walk_debt_ns[call] < THROTTLE_DEBT_MOST_NS, 1);
}

/*
 * Settles the debt of CALL after a call that took CALL_NS: adds the cost of WALK, which is NULL
 * if there was none, and subtracts what the call pays off.
 */
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
