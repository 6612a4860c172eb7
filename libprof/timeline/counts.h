/*
 * The hardware counters of a thread, attributed as its time is.
 *
 * A thread's counters are read where it enters tsprof, where an MPI function has returned,
 * where it leaves tsprof, and in the sample handler.  What was counted between two readings
 * belongs to whatever ran meanwhile.  The program's counts are pending on the innermost level
 * until a sample tells the call path they belong to; MPI's go to the call; tsprof's own are
 * summed and given to no call path.  Each reading is compared with the one before it, so
 * nothing is lost or counted twice.
 *
 * counts_enter reads the program's, counts_read_async MPI's, counts_skip_async tsprof's.
 *
 * These functions are for the thread that holds the context (depth is raised), and run on that
 * thread.  A thread whose `counting` is false need not call them.
 */
#ifndef TSPROF_COUNTS_H
#define TSPROF_COUNTS_H

#include "counters/counters.h"
#include "timeline/thread.h"

/* The counts of one thread.  Of each array the first counters_count elements are in use. */
struct counts {
    int set;          /* PAPI event set; PAPI_NO_SET until the thread itself has made one */
    bool begun;       /* the counters have been started and read */
    int64_t until_ns; /* end of the time that `passed` covers */
    int64_t last[COUNTERS_MOST];    /* the latest reading */
    int64_t passed[COUNTERS_MOST];  /* counted up to it, and not attributed yet */
    int64_t counted[COUNTERS_MOST]; /* attributed to call paths, or pending */
    int64_t own[COUNTERS_MOST];     /* counted in tsprof itself */
    int64_t pending[LEVELS_MOST][COUNTERS_MOST];
};

/* Starts the counters of THREAD, the calling thread.  Program context only. */
void counts_attach(struct thread *thread);

/*
 * Stops the counters of THREAD, the calling thread, and frees its event set.  Program context
 * only.
 */
void counts_detach(struct thread *thread);

/*
 * The thread has just entered tsprof: what was counted so far was the program's and becomes
 * pending; the time from now on is overhead.  Must come before anything else is accounted for.
 */
void counts_enter(struct thread *thread);

/*
 * Reads the counters: what they counted belongs to whatever the time up to NS is attributed to.
 */
void counts_read_async(struct thread *thread, int64_t ns);

/* Reads the counters: what they counted since the last reading was tsprof's own. */
void counts_skip_async(struct thread *thread);

/* The same at the end of a marker, which also accounts for the marker's time as overhead. */
void counts_leave(struct thread *thread);

/*
 * Makes the share of `passed` that belongs to the time up to NS pending on the innermost level:
 * all of it if NS is the instant of the reading, otherwise in proportion to time.  To be called
 * before the time line is brought to NS.
 */
void counts_advance_async(struct thread *thread, int64_t ns);

/* Attributes that share to LEAF, the node of an MPI call. */
void counts_give_async(struct thread *thread, uint32_t leaf, int64_t ns);

/* Attributes what is pending on LEVEL to NODE. */
void counts_attribute_async(struct thread *thread, struct level *level, uint32_t node);

/* Moves what is pending on the level INNER to the level around it. */
void counts_absorb_async(struct thread *thread, struct level *inner);

/*
 * The sample handler has interrupted an MPI call: between these two, what is counted is
 * tsprof's and not the call's.  BEFORE keeps the reading in between.  If the first one returns
 * false the counters cannot be read, and the second must not be called.
 */
bool counts_interrupt_async(const struct thread *thread, int64_t before[COUNTERS_MOST]);
void counts_resume_async(struct thread *thread, const int64_t before[COUNTERS_MOST]);

#endif
