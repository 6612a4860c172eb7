/*
 * Series of iterations: where the instances of a kept phase are gathered, one for each way in
 * which the phase is nested in other kept phases.
 */
#ifndef TSPROF_SERIES_H
#define TSPROF_SERIES_H

#include "timeline/thread.h"

/*
 * The series of PHASE as an instance beginning now on THREAD is nested, created at the first;
 * -1 when there are too many or there is no memory.  Program context.
 */
int series_find(struct thread *thread, uint32_t phase);

/* Whether series_find, were AROUND the innermost level, would find it created. */
bool series_is_known_async(const struct thread *thread, const struct level *around,
                           uint32_t phase);

/*
 * The series in which THREAD gathers what belongs to SERIES of the thread that leads, created
 * at the first instance; -1 when there are too many or there is no memory.
 */
int series_follow_async(struct thread *thread, const struct thread *leader, uint32_t series);

/*
 * Makes SERIES, a place among those of THREAD, one of no phase and in no other, with a
 * clustering as the settings want it; false without memory.  PROMISED: where tsprof chooses how
 * many clusters there are, some of the process's budget is set aside for it.
 */
bool series_begin_async(struct thread *thread, struct series *series, bool promised);

/*
 * Makes SERIES one without clusters: what they took, and were promised, is there for others.
 * What has been put off must have been done.
 */
void series_drop_async(struct series *series);

/* Merges the clusters of THREAD that were to spare: once, after its last iteration. */
void series_finish(struct thread *thread);

/*
 * Forgets the iterations that THREAD has followed, of which none is open: what was measured in
 * them is outside all iterations from now on.
 */
void series_forget_followed_async(struct thread *thread);

#endif
