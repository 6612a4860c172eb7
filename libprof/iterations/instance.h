/*
 * Opening and closing levels (timeline/level.h): an instance of a phase, a pass of a loop, or the
 * whole program.  By the thread that holds the context.
 */
#ifndef TSPROF_INSTANCE_H
#define TSPROF_INSTANCE_H

#include "timeline/timeline.h"

/* Opens level 0 for a new thread; false when memory is out. */
bool instance_open_program(struct thread *thread);

/*
 * Opens the next level for an instance of PHASE whose node is ROOT, gathered in SERIES of the
 * thread or, with SERIES -1, only summed.  NULL when there is no memory or no level left.  Its
 * walks stop at ANCHOR.
 */
struct level *instance_open_async(struct thread *thread, uint32_t phase, uint32_t root, int series,
                               const struct anchor *anchor, int64_t ns);

/*
 * Opens the next level for a pass of a loop in the function whose node is BASE, gathered in
 * SERIES or, with -1, not at all.  It has no node of its own: call paths go on as they are.
 * Computation before its first sample is taken to be of LAST_SAMPLE, the one before.  Where
 * there is no memory for its profile it is not kept.  A level must be left.
 */
void instance_open_pass_async(struct thread *thread, uint32_t base, int series,
                             uint32_t last_sample, int64_t ns);

/*
 * Makes room for the next level; KEPT: with a profile of its own.  False when there is none.
 * For callers that must know before they look for a series.
 */
bool instance_reserve_async(struct thread *thread, bool kept);

/* Ends the innermost level at NS, to which the time line has been accounted for. */
void instance_close_async(struct thread *thread, int64_t ns);

/* Undoes the innermost level: what it holds becomes part of the one around it. */
void instance_absorb_async(struct thread *thread);

/* Ends level 0 as well as it can be: nothing is pending after it, but it stays open. */
void instance_settle_async(struct thread *thread);

#endif
