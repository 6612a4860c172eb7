/*
 * The room that accounts for where a thread's time goes.  This is its public header: it
 * includes all that other rooms may use.
 *
 * Each thread has one time line.  All of it up to `last_ns` has been attributed, to
 * computation, MPI or tsprof.  Before anything later is accounted for, the line is brought
 * forward to that instant, and every border of an iteration on the way is crossed at its own
 * time (hooks.h says who has borders): what the thread did before the border stays in the old
 * iteration, and what it did afterwards goes into the new one.  So times are exact even when
 * the thread finds out about a border later.
 *
 * Unless a comment says otherwise, these functions may be called by the thread that holds the
 * context, or by whoever has stopped that thread.  Only those named *_async may be called in a
 * signal handler.  Times are in nanoseconds of clock_now_async.
 */
#ifndef TSPROF_TIMELINE_H
#define TSPROF_TIMELINE_H

#include "timeline/borders.h"
#include "timeline/context.h"
#include "timeline/context_memory.h"
#include "timeline/counts.h"
#include "timeline/hooks.h"
#include "timeline/level.h"
#include "timeline/live.h"
#include "timeline/preemption.h"
#include "timeline/rate.h"
#include "timeline/state.h"
#include "timeline/thread.h"
#include "timeline/threads.h"

/* Whether there may be borders up to NS that THREAD has yet to cross: a quick test. */
static inline bool timeline_due_async(const struct thread *thread, int64_t ns)
{
    return borders_due_async(thread->next_border) || thread->border_due_ns <= ns;
}

/*
 * Accounts for the time up to NS as computation, without crossing any borders.  Returns where
 * the line is then: at NS, or where it was if that is later.
 */
int64_t timeline_advance_async(struct thread *thread, int64_t ns);

/*
 * The source of the next border of THREAD up to NS, which lies at *BORDER_NS; NULL if there is
 * none.  For callers that bring the line there themselves and cross the border.  Program
 * context only.
 */
const struct border_source *timeline_next(struct thread *thread, int64_t ns,
                                          int64_t *border_ns);

/*
 * Crosses all borders up to NS in the order in which they lie, which leaves the line at the
 * last of them.  Program context only.
 */
void timeline_cross(struct thread *thread, int64_t ns);

/*
 * Crosses all borders up to NS and brings the line to NS: the program has computed until then.
 * Program context only.
 */
void timeline_come(struct thread *thread, int64_t ns);

/*
 * Does in the sample handler what timeline_come does in the program.  Returns false if a border
 * cannot be crossed in a handler and the sample must be dropped; the line then stays where it
 * is, so that the computation can still be divided at the border later.
 */
bool timeline_come_async(struct thread *thread, int64_t ns);

/* THREAD has met a marker: tells every border source.  Program context only. */
void timeline_marked(struct thread *thread);

/*
 * Whether any thread has met a marker.  If so, a thread whose main loop is still searched for
 * may already follow the iterations of another one without knowing of the marker.  Levels of
 * followed iterations and levels of loop passes are never open at the same time, but an open
 * level may be of either kind.
 */
extern bool timeline_has_markers;

static inline bool timeline_is_marked_async(void)
{
    return __atomic_load_n(&timeline_has_markers, __ATOMIC_RELAXED);
}

#endif
