/*
 * The life of a measurement in a process.  It starts with the first MPI call that can start
 * one, usually MPI_Init, and ends with MPI_Finalize or with the process.  Before and after
 * that, and in a child of fork, the runtime passes every call through.  All functions are for
 * program context.
 */
#ifndef TSPROF_LIFECYCLE_H
#define TSPROF_LIFECYCLE_H

#include "iterations/iterations.h"

#include <stdbool.h>

/*
 * The slow way into a wrapper, for thread_enter.  THREAD is the calling thread's context or
 * NULL, FRAME the wrapper's frame address.  Starts the measurement if the call STARTS one,
 * gives a new thread its context, and recognises a context that is still claimed by a wrapper
 * that was left by longjmp or an exception.  Returns NULL if the call is to be passed through.
 */
struct thread *lifecycle_enter(struct thread *thread, uintptr_t frame, bool starts);

/*
 * Starts the measurement on the calling thread, for a wrapper that initialises MPI and whose
 * frame address is FRAME.  After the real function the wrapper calls lifecycle_initialised,
 * which calibrates the clock.  Returns the thread's context, or NULL if the measurement cannot
 * start or has started already.
 */
struct thread *lifecycle_start(uintptr_t frame);

/* MPI has been initialised: calibrates the clock and starts sampling. */
void lifecycle_initialised(struct thread *thread);

/*
 * Compares the clocks of hosts (clock_offsets.h) where TSPROF_TRACE is set.  Collective over
 * MPI_COMM_WORLD: where MPI_Init has returned, after lifecycle_initialised.
 */
void lifecycle_compare_clocks(void);

/*
 * MPI_COMM_WORLD has come into being after the measurement started: learns this process's rank,
 * and compares clocks.
 */
void lifecycle_world(void);

/*
 * Fills PLACE with the iterations that the calling thread is in, for a thread that it is about
 * to create.  Returns false if the new thread must not be measured, because the MPI library
 * creates it for its own purposes.
 */
bool lifecycle_place(struct follow_place *place);

/*
 * For a thread that has just been created, called by itself.  The first: its creator was in
 * PLACE, and it is measured from now on if a measurement runs.  The second: it is never
 * measured.
 */
void lifecycle_thread_begins(const struct follow_place *place);
void lifecycle_ignore_thread(void);

/*
 * THREAD has called MPI_Finalize: ends the measurement on all threads at NS, and writes the
 * summary together with the other processes.
 */
void lifecycle_finish(struct thread *thread, int64_t ns);

/*
 * The same where the thread that calls MPI_Finalize is not measured, or for lack of memory the
 * whole process: the other processes wait for this one all the same.
 */
void lifecycle_join(void);

/* Whether this process, and not its parent, measures just now. */
bool lifecycle_measures(void);

/*
 * Ends the measurement in this process, which must not make system calls of tsprof's after
 * that. A process alone writes its summary; one of a job leaves its part, and takes part where
 * the others write theirs, by messages only.
 */
void lifecycle_confine(void);

/* THREAD has called MPI_Abort: ends the measurement at NS and leaves what this process has. */
void lifecycle_abandon(struct thread *thread, int64_t ns);

/*
 * Whether the processes of the job write one summary together.  They do not if TSPROF_MERGE
 * forbids it or if some of them are not measured.
 */
bool lifecycle_merges(void);

#endif
