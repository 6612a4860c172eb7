/*
 * Attaching threads: a thread gets a context when it is first seen.  When the thread ends the
 * context rests, and a new thread may take it over later.
 */
#ifndef TSPROF_ATTACH_H
#define TSPROF_ATTACH_H

#include "iterations/iterations.h"

#include <pthread.h>

/* Identifies a thread of the program. */
struct thread_identity {
    pthread_t handle;
    int os_id;
    struct thread **self; /* the address of its thread_self */
};

/* The identity of the calling thread. */
struct thread_identity thread_identity(void);

/*
 * Gives a context to the thread that IDENTITY names, which must not end meanwhile.  It is a new
 * context, or that of a thread that has ended, whose time line the new thread continues.  The
 * thread begins at NS in the iterations of PLACE.  If it is the calling thread, its context is
 * claimed, for the caller to release, and the end of the thread will be noticed.  Returns NULL
 * if there is no memory or the measurement is ending.  Program context only.
 */
struct thread *thread_attach(int64_t ns, const struct follow_place *place,
                             const struct thread_identity *identity);

/*
 * Arranges that, when the calling thread ends, CALLBACK is called, unless NULL, and its
 * context, if it has one by then, is put to rest.  CALLBACK is the same function for all
 * threads.  Returns false if there is no room for another thread-specific value; then the end
 * is not noticed.
 */
bool thread_watch_exit(void (*callback)(void));

/*
 * Ends the time line of THREAD at NS, or a little later if it has come further, and closes all
 * that is open.  Once for each thread, after threads_close; program context of any thread.
 */
void thread_stop(struct thread *thread, int64_t ns);

#endif
