/*
 * Where a thread's time goes.
 *
 * The time line of a thread is one and in order: all of it up to `last_ns` has been given to
 * somebody.  Before anything is accounted for at a later instant the line is brought there, and
 * whoever has borders of iterations in between (hooks.h) crosses each at its own place: what the
 * thread did before stays in the old iteration, what comes after goes into the new one, and
 * times are exact although the thread looked later.
 *
 * This is also the room's header: what other rooms may use of it.  All functions: by the thread
 * that holds the context, or who has stopped it.
 */
#ifndef TSPROF_TIMELINE_H
#define TSPROF_TIMELINE_H

#include "timeline/borders.h"
#include "timeline/context.h"
#include "timeline/counts.h"
#include "timeline/hooks.h"
#include "timeline/level.h"
#include "timeline/live.h"
#include "timeline/memory.h"
#include "timeline/rate.h"
#include "timeline/state.h"
#include "timeline/thread.h"
#include "timeline/threads.h"

/* Whether there may be borders up to NS that THREAD has not crossed. */
static inline bool timeline_due_async(const struct thread *thread, int64_t ns)
{
    return borders_due_async(thread->next_border) || thread->border_due_ns <= ns;
}

/*
 * Brings the line, in the program, to NS, or leaves it where it has come further; returns where
 * it is.  Crosses nothing.
 */
int64_t timeline_advance_async(struct thread *thread, int64_t ns);

/* Crosses the borders up to NS, and brings the line to the last of them.  Program context. */
void timeline_cross(struct thread *thread, int64_t ns);

/* The same, and brings the line to NS: the program has computed until then. */
void timeline_come(struct thread *thread, int64_t ns);

/*
 * The same from the handler.  False where a border cannot be crossed there; the line stays
 * where it is, so that what was computed before it can be divided at the border later.
 */
bool timeline_come_async(struct thread *thread, int64_t ns);

/* THREAD has met a marker: all who have borders hear of it. */
void timeline_marked(struct thread *thread);

/*
 * Whether a marker has been met, by any thread.  A thread whose main loop is looked for may
 * follow the iterations of another then before it knows: levels that it follows and those of
 * passes are never open together, but one that is open may be either.
 */
extern bool timeline_has_markers;

static inline bool timeline_is_marked_async(void)
{
    return __atomic_load_n(&timeline_has_markers, __ATOMIC_RELAXED);
}

#endif
