/*
 * The part of this process: a file that holds what the process has measured so far, and
 * outlives it (doc/parts.md).
 *
 * Every thread saves its own data every 0.8 s, more often at first, in pieces of some
 * microseconds, at its events; no thread waits for another.  All ranks save at the same time,
 * which costs a job in which they wait for each other less than if each had a time of its own.
 * The file is created when MPI has been initialised, and removed once the summary is written.
 *
 * Functions that end in _async are async-signal-safe; the others are for program context.
 * Nothing returns an error but what part_finish says: the first failure ends the part, and is
 * reported once.
 */
#ifndef TSPROF_PART_H
#define TSPROF_PART_H

#include "common/part_format.h"
#include "timeline/timeline.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The least time between two saves of a thread, but for its first ones: a save in pieces takes
 * a while, too, and no more than a second is to be lost.
 */
#define PART_INTERVAL_NS INT64_C(800000000)

/*
 * How long a save that is due waits for iterations to be clustered in pieces: together with the
 * time between saves and that of a save itself, less than a second.
 */
#define PART_PATIENCE_NS INT64_C(100000000)

/* part_process.c: what the part says of the process, and its creation. */

/*
 * Finds the name of the part, and composes what it says of the process, of RANK in a world of
 * RANKS.  May be called again when these are known better, until the part has been created.
 */
void part_prepare(int rank, int ranks);

/*
 * Creates the part, if MPI has told this process's rank, and gets what saving THREAD needs: at
 * the start, when nobody waits for this rank yet, and not in the first save.  THREAD is the
 * calling thread, which has started the measurement and holds its context.  Program context.
 */
void part_start(struct thread *thread);

/* part.c: when threads save. */

/* Whether it is time for THREAD to save. */
static inline bool part_is_due_async(const struct thread *thread)
{
    return __builtin_expect(thread->last_ns >= thread->save_due_ns, 0);
}

/*
 * Saves the data of THREAD up to its last event, in pieces of which this is one; the thread's
 * save_due_ns says when the next is due.  To be called with its depth above DEPTH_PROGRAM, by
 * the thread that holds its context.  The time that this takes is not accounted for: the caller
 * has to do it.  Keeps errno.
 */
void part_save_async(struct thread *thread);

/*
 * Ends a save of THREAD that is under way, at once, because its clusters are to change.  To be
 * called like part_save_async.
 */
void part_thaw_async(struct thread *thread);

/*
 * Saves the data of THREAD from the signal handler at NS, if a save is due and the stack has
 * room for it.
 */
void part_save_sampled_async(struct thread *thread, int64_t ns);

/*
 * Does a piece of the work that is due as THREAD leaves a wrapper or a marker, clustering or
 * saving, then accounts for the time as tsprof's.
 */
void part_work_leaving(struct thread *thread);

/* part_watch.c: what other processes see of a thread between its saves. */

/*
 * To be called by the signal handler when it finds THREAD in MPI at NS: saves if a save is due,
 * and finds the call path of a call that has been running for long.  The handler must have
 * raised the depth.  Keeps errno.
 */
void part_look_in_mpi_async(struct thread *thread, int64_t ns);

/* Publishes that a sample of THREAD at NS was taken in NODE. */
void part_note_sample_async(struct thread *thread, uint32_t node, int64_t ns);

/* part_end.c: how saving ends. */

/*
 * Saves all threads for the last time, after they have been stopped, and writes into the part
 * how the process ended.  The part stays.  False if there is no part, or not all could be
 * written.
 */
bool part_finish(enum part_ending ending);

/*
 * Saves all threads, after they have been stopped, for the case that the process is killed
 * while it writes its results.
 */
void part_save_all(void);

/* Removes the part, after the summary has been written. */
void part_remove(void);

/* Ends saving in a child of fork, and leaves the parent's part alone. */
void part_forget_async(void);

/* part_thread.c */

/* The bytes that a thread takes from its arena in order to be saved. */
size_t part_thread_bytes(void);

#endif
