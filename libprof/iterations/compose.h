/*
 * What the clustering needs of an iteration that has ended: its call paths with their kinds and
 * visits, its cells that are not zero in ascending order, and its totals (Szebenyi, sections
 * 4.1.2 and 5.4.2).  All of it is by the thread that holds the context.
 */
#ifndef TSPROF_COMPOSE_H
#define TSPROF_COMPOSE_H

#include "iterations/series.h"

/*
 * Writes what the clustering needs of ENDED into the free entry behind those of the thread's
 * queue, which must have room, without adding it to the queue.  That takes some hundred
 * nanoseconds for each call path, and pauses where the thread's pieces do it.  It may be begun
 * anew if the program has left it by a jump.  Returns NULL if there is no memory for it.
 */
struct queued_iteration *compose_async(struct thread *thread,
                                       const struct ended_iteration *ended);

/* Adds ENTRY, which compose_async has just written, to the queue. */
void compose_enqueue_async(struct thread *thread, const struct queued_iteration *entry);

#endif
