/*
 * Work that is done in pieces: a function with a stack of its own, which may pause anywhere and
 * is gone on with later, by the same thread or, once that has been stopped, by another.
 *
 * A program must not notice what tsprof does, so nothing may take long at once.  What is long
 * is written as ordinary code, and pauses.  The work must not hold a lock while it pauses, and
 * must not keep anything that belongs to the thread that runs it, such as errno.
 *
 * All functions are async-signal-safe.  A coroutine is for one thread at a time.
 */
#ifndef TSPROF_COROUTINE_H
#define TSPROF_COROUTINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct coroutine {
    char *stack; /* NULL: there is none, and work is done without pauses */
    void (*work)(void *argument);
    void *argument;
    void *own, *resumer; /* where the work, and whoever has resumed it, are gone on with */
    bool under_way;      /* the work has been started and has not ended */
    bool runs;           /* it is running just now */
    int64_t until_ns;    /* the time at which the piece that is running is long enough */
    void *own_fiber, *resumer_fiber; /* what the thread sanitizer calls them */
};

/* Bytes of address space of the stack; some pages of them are ever touched. */
enum { COROUTINE_STACK_BYTES = 256 << 10 };

/*
 * Maps a stack, once, for as long as the process lives.  Without memory COROUTINE works all the
 * same, but coroutine_resume_async then does all of the work at once.
 */
void coroutine_create_async(struct coroutine *coroutine);

/* Whether ADDRESS lies on the coroutine's stack. */
bool coroutine_holds_async(const struct coroutine *coroutine, uintptr_t address);

/*
 * Starts WORK with ARGUMENT, to be done by coroutine_resume_async; any older work is dropped.
 * On the coroutine's own stack, in a signal handler that has interrupted the work, it will be
 * done at once.
 */
void coroutine_start_async(struct coroutine *coroutine, void (*work)(void *argument),
                           void *argument);

/*
 * Goes on with the work until UNTIL_NS has come and it pauses, or it ends; returns whether it
 * has ended.
 */
bool coroutine_resume_async(struct coroutine *coroutine, int64_t until_ns);

/*
 * To be called by the work itself, every few microseconds: leaves it until it is resumed, if it
 * has done enough for this time.  For code that is not run by COROUTINE this does nothing.
 */
void coroutine_pause_async(struct coroutine *coroutine);

/*
 * Drops work that is under way.  Also if it was running: then the program has left it by a
 * jump.
 */
void coroutine_drop_async(struct coroutine *coroutine);

#endif
