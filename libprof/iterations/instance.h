/*
 * Opening and closing levels (timeline/level.h): each is an instance of a phase, a pass of a
 * loop, or the whole program.  For the thread that holds the context.
 */
#ifndef TSPROF_INSTANCE_H
#define TSPROF_INSTANCE_H

#include "timeline/timeline.h"

/*
 * Opens level 0 for a new thread.  Returns false if there is no memory.  Program context only.
 */
bool instance_open_program(struct thread *thread);

/*
 * Opens the next level at NS for an instance of PHASE whose node is ROOT and whose walks stop
 * at ANCHOR.  The instance becomes an iteration of the thread's series number SERIES; with -1
 * it is only summed.  Returns NULL if there is no memory or no level left.
 */
struct level *instance_open_async(struct thread *thread, uint32_t phase, uint32_t root,
                                  int series, const struct anchor *anchor, int64_t ns);

/*
 * Opens the next level at NS for a pass of a loop in the function whose node is BASE.  The pass
 * becomes an iteration of series number SERIES; with -1, or if there is no memory for its
 * profile, it is not kept.  A pass has no node of its own, so call paths do not change.
 * Computation before its first sample is attributed to LAST_SAMPLE, the node of the sample
 * before.  The caller makes sure that there is a level left.
 */
void instance_open_pass_async(struct thread *thread, uint32_t base, int series,
                              uint32_t last_sample, int64_t ns);

/*
 * Makes sure that there is memory for the next level, and if KEPT for a profile of its own.
 * Returns false if there is none, or no level left.  For callers that must know before they
 * look for a series.
 */
bool instance_reserve_async(struct thread *thread, bool kept);

/* Ends the innermost level at NS, to which the time line has been accounted for. */
void instance_close_async(struct thread *thread, int64_t ns);

/* Absorbs the innermost level: undoes it, and adds what it holds to the level around it. */
void instance_absorb_async(struct thread *thread);

/* Attributes all that is pending on the innermost level as at its end, but leaves it open. */
void instance_settle_async(struct thread *thread);

#endif
