/*
 * Threads that follow the iterations of the leading thread (timeline/borders.h).
 *
 * Each of them crosses the leading thread's borders when its own time line comes to them
 * (timeline/timeline.h).  Its call paths in an iteration are below a node of the phase.
 *
 * A thread that marks iterations itself does not follow.  One that has other phases of its own
 * open crosses the borders after those have ended.
 */
#ifndef TSPROF_FOLLOW_H
#define TSPROF_FOLLOW_H

#include "timeline/timeline.h"

/* The iterations that a thread's creator was in, and that the new thread joins. */
struct follow_place {
    uint64_t next; /* number of the next border to cross */
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

/* The borders of the leading thread, as a border source for all others. */
extern const struct border_source follow_source;

/*
 * Crosses the borders up to NS without moving THREAD's time line: its context has been resting,
 * so no time has passed there.
 */
void follow_resting_async(struct thread *thread, int64_t ns);

/*
 * The iterations that THREAD, the calling thread, is in; none if it is not measured (NULL).
 */
struct follow_place follow_place(const struct thread *thread);

/* Opens the iterations that PLACE names on a new thread, whose time line has just begun. */
void follow_join(struct thread *thread, const struct follow_place *place);

/*
 * Stops following for good, because THREAD marks iterations itself.  It must not be occupied.
 * What it did in the leading thread's iterations counts as outside from now on.
 */
void follow_leave_async(struct thread *thread);

#endif
