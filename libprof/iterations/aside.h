/*
 * Iterations in which so many call paths occurred that taking them in would keep the program
 * for long: their profile is put aside, the level goes on with a spare one, and what is in it
 * is taken in in pieces.  One at a time for each thread.  All of it is by the thread that holds
 * the context.
 */
#ifndef TSPROF_ASIDE_H
#define TSPROF_ASIDE_H

#include "iterations/series.h"

/* The iteration of LEVEL, which took WALL_NS and ends now. */
struct ended_iteration ended_describe_async(struct thread *thread, const struct level *level,
                                            int64_t wall_ns);

/* Moves the iterations without a profile that came before ENDED in its series there. */
void ended_count_skipped_async(struct thread *thread, struct ended_iteration *ended);

/*
 * Writes ENDED into the queue's arrays, which must have room, and adds it to the profile around
 * it.  Pauses where the thread's pieces do it, and may be gone on with by another call.
 */
void ended_take_in_async(struct thread *thread, struct ended_iteration *ended);

/* Adds ENDED, which has been taken in, to the queue; without memory it has no profile. */
void ended_enqueue_async(struct thread *thread, const struct ended_iteration *ended);

/*
 * Puts the iteration of LEVEL, which took WALL_NS, aside if it is large and there is memory for
 * it; WAITS says whether it is to wait in the queue then.  Nothing else may be there.
 */
bool aside_put_async(struct thread *thread, struct level *level, int64_t wall_ns, bool waits);

/* Takes it in, as ended_take_in_async does, and adds it to the queue. */
void aside_take_in_async(struct thread *thread);

static inline bool aside_is_used_async(const struct iterations *iterations)
{
    return iterations->aside.ended.profile;
}

/* Whether there is one that is to wait in the queue. */
static inline bool aside_waits_async(const struct iterations *iterations)
{
    return aside_is_used_async(iterations) && iterations->aside.waits;
}

#endif
