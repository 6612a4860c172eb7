/*
 * The contexts of all threads that are or were measured.
 *
 * Contexts are only ever added: when a thread ends its context rests, and another thread may go
 * on with it.  So the list can be read without the lock, which orders those that add to it.
 */
#ifndef TSPROF_THREADS_H
#define TSPROF_THREADS_H

#include "timeline/thread.h"

/* The newest of all contexts; from there on by struct thread's `next`. */
extern struct thread *thread_newest;

/* Threads that found no memory to be measured with. */
extern int threads_unmeasured;

static inline struct thread *thread_newest_async(void)
{
    return __atomic_load_n(&thread_newest, __ATOMIC_ACQUIRE);
}

/*
 * The lock of whoever gives contexts to threads or takes them away.  Program context; not by who
 * holds it.
 */
void threads_lock(void);
void threads_unlock(void);

/* Adds a context to the list, and gives it its number.  With the lock. */
void threads_add(struct thread *thread);

/* No more contexts are given to threads from now on, nor taken away.  Any thread. */
void threads_close(void);

/* Whether that is so.  With the lock. */
bool threads_are_closed(void);

/*
 * Calls VISIT for every context whose thread has ended, none of which begins a new life
 * meanwhile; for none if that would mean to wait.  Program context of a measured thread.
 */
void threads_visit_resting(void (*visit)(struct thread *thread));

#endif
