/*
 * The part of this process: what it has measured so far, in a file that outlives it
 * (doc/parts.md).
 *
 * Every thread saves its own data, a second after it did last, at the first event that finds
 * them consistent; no thread waits for another.  The file is made when there is something to
 * save, so brief programs never have one, and is removed once the summary is written.
 */
#ifndef TSPROF_PART_H
#define TSPROF_PART_H

#include "common/part_format.h"
#include "timeline/timeline.h"

#include <stdbool.h>

/* Between two saves of a thread, at least. */
#define PART_INTERVAL_NS INT64_C(1000000000)

/*
 * Finds out what the part is to be called and what it says of the process, of RANK in a world
 * of RANKS.  Again, if that is known better later.  Program context.
 */
void part_prepare(int rank, int ranks);

/* Whether it is time for THREAD to save. */
static inline bool part_is_due_async(const struct thread *thread)
{
    return __builtin_expect(thread->last_ns >= thread->save_due_ns, 0);
}

/*
 * Saves what is known of THREAD up to its last event, with its depth above DEPTH_PROGRAM, by
 * whoever holds its context.  What it takes is for the caller to account for.  Keeps errno.
 */
void part_save_async(struct thread *thread);

/* The same from the handler at NS, if it is time to and there is stack for it. */
void part_save_sampled_async(struct thread *thread, int64_t ns);

/* The same for a thread that leaves a wrapper or a marker: and the time was tsprof's. */
void part_save_leaving(struct thread *thread);

/*
 * The handler found THREAD in MPI at NS: saves, if it is time to; and if the call has taken
 * long, finds out where it came from.  The depth is the handler's to raise.  Keeps errno.
 */
void part_look_in_mpi_async(struct thread *thread, int64_t ns);

/* The handler took a sample in NODE of THREAD. */
void part_note_sample_async(struct thread *thread, uint32_t node, int64_t ns);

/*
 * Saves all threads, which have been stopped, for good, and says why: the part stays.  False if
 * there is none.  Program context.
 */
bool part_finish(enum part_ending ending);

/* The summary has been written: removes the part. */
void part_remove(void);

/* In a child of fork: nothing is saved any more. */
void part_forget_async(void);

/* What a thread takes from its arena to be saved. */
size_t part_thread_bytes(void);

#endif
