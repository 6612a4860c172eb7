/*
 * The life of a measurement in a process: it starts with the first MPI call that can start one,
 * usually MPI_Init, and ends with MPI_Finalize or the process.  Before and after, and in a
 * child of fork, the runtime passes every call through.
 */
#ifndef TSPROF_LIFECYCLE_H
#define TSPROF_LIFECYCLE_H

#include "iterations/iterations.h"

#include <stdbool.h>

/*
 * The slow way into a wrapper.  THREAD is the calling thread's context or NULL, FRAME the
 * wrapper's frame address.  Starts the measurement if the call STARTS one; gives a new thread
 * its context; recognises a wrapper that was left by longjmp or an exception.  NULL: pass the
 * call through.  Program context.
 */
struct thread *lifecycle_enter(struct thread *thread, uintptr_t frame, bool starts);

/*
 * Starts the measurement on the calling thread, for a wrapper that initialises MPI: the clock
 * is fixed by lifecycle_initialised, after the real function.  Returns the thread, NULL if the
 * measurement cannot start or has started.
 */
struct thread *lifecycle_start(uintptr_t frame);

/* MPI is up: fixes the clock and starts sampling. */
void lifecycle_initialised(struct thread *thread);

/* MPI_COMM_WORLD is there, some time after the measurement has started. */
void lifecycle_world(void);

/*
 * The iterations that the calling thread is in, for a thread that it is about to create; false
 * if that is not to be measured, since the MPI library makes it for itself.  Program context.
 */
bool lifecycle_place(struct follow_place *place);

/*
 * The calling thread has just been created by one that was in PLACE: it is measured from now
 * on, if anything is; or it is never.  Program context.
 */
void lifecycle_thread_begins(const struct follow_place *place);
void lifecycle_ignore_thread(void);

/*
 * Ends the measurement at NS on all threads, from MPI_Finalize on thread THREAD, and writes the
 * summary together with the other processes.
 */
void lifecycle_finish(struct thread *thread, int64_t ns);

/*
 * Does the same where the thread that called MPI_Finalize is not measured, or the process for
 * lack of memory: the other processes wait for this one.
 */
void lifecycle_join(void);

/* Ends the measurement at NS from MPI_Abort on THREAD, and leaves what this process has. */
void lifecycle_abandon(struct thread *thread, int64_t ns);

/*
 * Whether the processes of the job write one summary together: not if TSPROF_MERGE forbids it
 * or some of them are not measured.
 */
bool lifecycle_merges(void);

#endif
