/*
 * Threads that follow the iterations of the thread that leads (borders.h).
 *
 * A thread's time line is one and in order; so before anything is accounted for at some
 * instant, the borders up to it are crossed, each at its own place: what the thread did before
 * stays in the old iteration, what comes after goes into the new one, and the times are exact
 * although the thread looked later.  Its call paths in an iteration lie below a node of the
 * phase.
 *
 * A thread that marks iterations itself does not follow.  One that has phases of its own open
 * crosses the borders when they have ended.
 */
#ifndef TSPROF_FOLLOW_H
#define TSPROF_FOLLOW_H

#include "timeline/borders.h"
#include "timeline/thread.h"

/* Where a new thread takes part: what its creator was in. */
struct follow_place {
    uint64_t next; /* border */
    uint32_t count;
    struct {
        uint32_t series; /* of the leading thread */
        uint64_t iteration;
    } open[LEVELS_MOST];
};

/* Next border of a thread that does not follow. */
#define FOLLOW_NEVER UINT64_MAX

/* Whether a phase of THREAD's own is open inside the iterations that it follows. */
static inline bool follow_is_occupied_async(const struct thread *thread)
{
    return thread->level > thread->levels + thread->followed;
}

/* Whether there are borders that THREAD has not looked at. */
static inline bool follow_due_async(const struct thread *thread)
{
    return thread->next_border < __atomic_load_n(&borders_count, __ATOMIC_RELAXED);
}

/* Crosses the borders up to NS.  The time line is before or at NS. */
void follow_async(struct thread *thread, int64_t ns);

/*
 * The next border before NS that THREAD is to cross now, if any; for callers that account for
 * the time up to it themselves.  Cross it with follow_cross_async.
 */
bool follow_next_async(struct thread *thread, int64_t ns, struct border *border);
void follow_cross_async(struct thread *thread, const struct border *border);

/* Crosses the borders up to NS while no time passes on THREAD's line: nobody lived on it. */
void follow_resting_async(struct thread *thread, int64_t ns);

/* What THREAD is in; of an unmeasured thread (NULL): nothing.  By the thread itself. */
struct follow_place follow_place(const struct thread *thread);

/* Puts a new thread, whose time line has just begun, where PLACE says. */
void follow_join(struct thread *thread, const struct follow_place *place);

/*
 * Ends following for good, since the thread, not occupied, marks iterations itself: what it did
 * in those of the leading thread goes to what lies outside.
 */
void follow_leave_async(struct thread *thread);

#endif
