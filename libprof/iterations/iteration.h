/* From the profile of a finished iteration to the clustering of its phase. */
#ifndef TSPROF_ITERATION_H
#define TSPROF_ITERATION_H

#include "iterations/series.h"

/*
 * Adds the profile of LEVEL, a kept phase's instance of WALL_NS, to the profile around it, and
 * has it handed to the clustering of its series.  Iterations that take so long that the program
 * has used the processor's caches since the last one wait until there are some of them: then
 * what the clustering needs is fetched once for all.  With TSPROF_COMPRESS_AT=collective they
 * wait for the thread's next collective synchronization, when the other ranks do the same and
 * none waits for another because of it (Szebenyi, sections 6.1.8 and 8.1), or until there are
 * too many.  By the thread that holds the context.
 */
void iteration_close_async(struct thread *thread, struct level *level, int64_t wall_ns);

/*
 * Hands PROFILE, of WALL_NS, to the clustering of SERIES at once.  It is of no level, and
 * nothing is added to any other profile: what it holds is in those of the levels.  By the
 * thread that holds the context.
 */
void iteration_add_async(struct thread *thread, struct profile *profile, uint32_t series,
                         int64_t wall_ns);

/* Does now what was put off.  By the thread that holds the context, or who stops it. */
void iteration_flush_queue_async(struct thread *thread);

/* Iterations of SERIES that have ended, those included that wait. */
static inline uint64_t iteration_count_async(const struct thread *thread, uint32_t series)
{
    const struct cluster_queue *queue = &thread->iterations->queue;
    uint64_t count = clustering_iterations(thread->iterations->series[series].clustering);
    for (uint32_t i = queue->first; i < queue->count; i++)
        count += queue->ended[i].series == series;
    return count;
}

#endif
