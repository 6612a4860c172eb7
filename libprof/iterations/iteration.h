/* From the profile of a finished iteration to the clustering of its phase. */
#ifndef TSPROF_ITERATION_H
#define TSPROF_ITERATION_H

#include "iterations/series.h"

/*
 * Adds the profile of LEVEL, an instance of a kept phase that took WALL_NS, to the profile
 * around it, and queues it for the clustering of its series.
 *
 * Short iterations are clustered when they end.  Long ones, between which the program has
 * evicted the clustering's data from the caches, wait in the queue until there are several, so
 * that the data is fetched once for all of them.  With TSPROF_COMPRESS_AT=collective all of
 * them wait for the thread's next collective synchronization, or until the queue is full: the
 * other ranks cluster at the same moment, so that none has to wait for another (Szebenyi,
 * sections 6.1.8 and 8.1).
 *
 * Where many call paths occurred that is put aside, and done in pieces (aside.h).
 *
 * By the thread that holds the context.
 */
void iteration_close_async(struct thread *thread, struct level *level, int64_t wall_ns);

/*
 * Has WORK_ASYNC, another room's work for THREAD, done in pieces beside clustering, before the
 * next save begins.  It is called again and again until it returns false, and does some
 * microseconds of work each time.  Only one can be under way.  By the thread that holds the
 * context, as it is later for WORK_ASYNC.
 */
void iteration_begin_beside_async(struct thread *thread,
                                  bool (*work_async)(struct thread *thread));

/*
 * For such work: hands ENTRY, of which the series, the profile and the totals are filled in, to
 * the clustering of its series.  It is in no other profile that belongs to iterations.
 */
void iteration_hand_over_async(struct thread *thread, struct queued_iteration *entry);

/*
 * For what iterations are clustered and taken in by: charges what was done to the series that
 * it was for, and pauses if it is time.  By the thread that holds the context.
 */
void iteration_pause_async(struct thread *thread);

/*
 * Takes in at once what iteration_close_async has put aside.  To be called before the profiles
 * of levels are added up, or given up.  By the thread that holds the context.
 */
void iteration_settle_async(struct thread *thread);

/*
 * Clusters iterations that wait in the queue, for some microseconds, and sees to it that the
 * rest follows.  Returns whether all have been clustered.  While clusters are frozen none is.
 * By the thread that holds the context.
 */
bool iteration_cluster_async(struct thread *thread);

/*
 * Until when a piece of work of THREAD that begins at NS may go on, if there was no occasion
 * for one for WAITED_NS (stall_piece_end): as long as any if iterations fill the queue
 * meanwhile, or what is left would have to be done at once.
 */
int64_t iteration_piece_end_async(const struct thread *thread, int64_t ns, int64_t waited_ns);

/*
 * When the next piece of work of THREAD is due after one that took from BEGIN_NS to END_NS, so
 * that the program can do something meanwhile, and iterations need not wait too long.
 */
int64_t iteration_next_piece_async(const struct thread *thread, int64_t begin_ns,
                                   int64_t end_ns);

/*
 * Clusters all iterations that wait in the queue, at once.  Also to be called before clusters
 * are changed or dropped by others than this file: it ends what is under way.  By the thread
 * that holds the context, or by whoever stops it.
 */
void iteration_flush_queue_async(struct thread *thread);

/*
 * The next COUNT iterations of series number SERIES have no profile.  By the thread that holds
 * the context.
 */
void iteration_skip_async(struct thread *thread, uint32_t series, uint64_t count);

/*
 * Drops the clustering of series number SERIES, and its iterations that wait, which stay
 * counted in the profiles around them.  Any other clustering may be under way or be read.  By
 * the thread that holds the context.
 */
void iteration_discard_async(struct thread *thread, uint32_t series);

/*
 * Whether iterations that have ended are not in the profiles around them yet, or other work
 * beside clustering is under way.
 */
static inline bool iteration_is_owed_async(const struct thread *thread)
{
    return thread->iterations->aside.ended.profile || thread->iterations->beside_async;
}

/* Whether no iteration waits, none is being taken in or clustered, and nothing else is done. */
static inline bool iteration_is_idle_async(const struct thread *thread)
{
    return thread->iterations->queue.count == 0 && !iteration_is_owed_async(thread) &&
           (thread->frozen || !thread->pieces.under_way);
}

/* Number of iterations of SERIES that have ended, including those still on the way. */
static inline uint64_t iteration_count_async(const struct thread *thread, uint32_t series)
{
    const struct cluster_queue *queue = &thread->iterations->queue;
    const struct ended_iteration *aside = &thread->iterations->aside.ended;
    uint64_t count = clustering_iterations(thread->iterations->series[series].clustering) +
                     thread->iterations->series[series].skipped;
    for (uint32_t i = queue->first; i < queue->count; i++)
        if (queue->ended[i].series == series)
            count += 1 + queue->ended[i].skipped;
    if (aside->profile && aside->series == series)
        count += 1 + aside->skipped;
    return count;
}

#endif
