/*
 * What the counters of a thread come to, attributed as time is.
 *
 * A thread's counters are read wherever its time line is cut: where it enters tsprof, where an
 * MPI function has ended, where it leaves tsprof, and in the sample handler.  What passed
 * between two readings belongs to who had the thread meanwhile.  The program's is pending on
 * the innermost level until a sample says whose it was, MPI's goes to the call, and what fell
 * into tsprof itself to nobody: it is only summed.  Readings are differences of one sequence,
 * so nothing is lost or counted twice.
 *
 *     enter (program's)  read (MPI's)  skip (tsprof's)
 *
 * All functions of one thread: by whoever holds its context (struct thread's depth), on that
 * thread unless it says otherwise.  Where `counting` of the thread is false they need not be
 * called.
 */
#ifndef TSPROF_COUNTS_H
#define TSPROF_COUNTS_H

#include "counters/counters.h"
#include "timeline/thread.h"

/* One thread's.  Values are those of counters_count counters. */
struct counts {
    int set;          /* of PAPI's; PAPI_NO_SET before the thread itself has made one */
    bool begun;       /* it has counted something */
    int64_t until_ns; /* up to where `passed` goes */
    int64_t last[COUNTERS_MOST];    /* reading */
    int64_t passed[COUNTERS_MOST];  /* up to it, and not given to anybody yet */
    int64_t counted[COUNTERS_MOST]; /* given to call paths, or pending */
    int64_t own[COUNTERS_MOST];     /* tsprof's */
    int64_t pending[LEVELS_MOST][COUNTERS_MOST];
};

/* Has the calling thread, THREAD, counted from now on.  Program context. */
void counts_attach(struct thread *thread);

/* Gives back what counts for the calling thread, THREAD.  Program context. */
void counts_detach(struct thread *thread);

/*
 * The program's part ends here, now: what passed is pending, and the time since is overhead.
 * First of all for a thread that has entered tsprof.
 */
void counts_enter(struct thread *thread);

/* Reads: what passed since the last reading is to be given to whom the time up to NS is. */
void counts_read_async(struct thread *thread, int64_t ns);

/* Reads: what passed since the last reading was tsprof's. */
void counts_skip_async(struct thread *thread);

/* The same at the end of a marker; the time is overhead, too. */
void counts_leave(struct thread *thread);

/*
 * Gives the innermost level the part of what has passed that is due to the time up to NS, and
 * all of it at the instant of the reading.  Before the time line is brought to NS.
 */
void counts_advance_async(struct thread *thread, int64_t ns);

/* The same for the MPI call of LEAF. */
void counts_give_async(struct thread *thread, uint32_t leaf, int64_t ns);

/* Gives NODE what is pending on LEVEL. */
void counts_attribute_async(struct thread *thread, struct level *level, uint32_t node);

/* What is pending on the level INNER becomes pending on the one around it. */
void counts_absorb_async(struct thread *thread, struct level *inner);

/*
 * Around what the handler does inside an MPI call, which is not the call's: BEFORE holds the
 * counters meanwhile.
 */
bool counts_interrupt_async(const struct thread *thread, int64_t before[COUNTERS_MOST]);
void counts_resume_async(struct thread *thread, const int64_t before[COUNTERS_MOST]);

#endif
