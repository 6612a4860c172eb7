/*
 * The contexts of all threads that are or were measured.
 *
 * Contexts are added and never removed: when a thread ends, its context rests, and a new thread
 * may take it over.  So the list can be read without the lock, which is for those that add to
 * it.
 */
#ifndef TSPROF_THREADS_H
#define TSPROF_THREADS_H

#include "timeline/thread.h"

/* The newest of all contexts, the head of a list linked by struct thread's `next`. */
extern struct thread *thread_newest;

/* Number of threads that are not measured because there was no memory for a context. */
extern int threads_unmeasured;

/* Reads it without the lock.  Any context. */
static inline struct thread *thread_newest_async(void)
{
    return __atomic_load_n(&thread_newest, __ATOMIC_ACQUIRE);
}

/*
 * The lock for giving contexts to threads and taking them away.  Not recursive.  Program
 * context only.
 */
void threads_lock(void);
void threads_unlock(void);

/* Adds a context to the list and numbers it.  The caller holds the lock. */
void threads_add(struct thread *thread);

/*
 * From now on no more contexts are given to threads or taken away.  Any thread; waits for the
 * lock for a second at most.
 */
void threads_close(void);

/* Whether threads_close has been called.  The caller holds the lock. */
bool threads_are_closed(void);

/*
 * Calls VISIT for every context whose thread has ended; no new thread takes one over meanwhile.
 * Does nothing if it would have to wait for the lock.  Program context of a measured thread.
 */
void threads_visit_resting(void (*visit)(struct thread *thread));

#endif
