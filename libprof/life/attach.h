/*
 * Contexts for threads: given when a thread is first seen, put to rest when it ends, given to
 * another one later.
 */
#ifndef TSPROF_ATTACH_H
#define TSPROF_ATTACH_H

#include "iterations/iterations.h"

#include <pthread.h>

/* Which thread of the program. */
struct thread_identity {
    pthread_t handle;
    int os_id;
    struct thread **self; /* its thread_self */
};

/* The calling thread's. */
struct thread_identity thread_identity(void);

/*
 * A context for a thread, which must not end meanwhile, whose life begins at NS in the
 * iterations that PLACE tells: a new one, or one whose thread has ended, where the new thread
 * continues the time line.  If it is the calling thread its depth is raised, for the caller to
 * lower, and its end is watched.  NULL when there is no memory or measurement ends.  Program
 * context only.
 */
struct thread *thread_attach(int64_t ns, const struct follow_place *place,
                             const struct thread_identity *identity);

/*
 * Has the context, if there is one then, put to rest when the calling thread ends, and before
 * that ALSO called, the same function for all threads; NULL: nothing.  False where there is no
 * room for another thread-specific value: then the end is not noticed.
 */
bool thread_watch_exit(void (*also)(void));

/*
 * Ends the time line of THREAD at NS, or a little later where the thread has come further,
 * closing what is open.  Once, after threads_close; program context of any thread.
 */
void thread_stop(struct thread *thread, int64_t ns);

#endif
