/*
 * Threads that follow the iterations of the thread that leads (borders.h).
 *
 * Each of them crosses the leading thread's borders when its own time line comes there
 * (timeline.h).  Its call paths in an iteration lie below a node of the phase.
 *
 * A thread that marks iterations itself does not follow.  One that has phases of its own open
 * crosses the borders when they have ended.
 */
#ifndef TSPROF_FOLLOW_H
#define TSPROF_FOLLOW_H

#include "timeline/timeline.h"

/* Where a new thread takes part: what its creator was in. */
struct follow_place {
    uint64_t next; /* border */
    uint32_t count;
    struct {
        uint32_t series; /* of the leading thread */
        uint64_t iteration;
    } open[LEVELS_MOST];
};

/* Whether a phase of THREAD's own is open inside the iterations that it follows. */
static inline bool follow_is_occupied_async(const struct thread *thread)
{
    return thread->level > thread->levels + thread->followed;
}

/* The borders of the thread that leads, for all others. */
extern const struct border_source follow_source;

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
