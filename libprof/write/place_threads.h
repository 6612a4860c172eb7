/*
 * Where the call paths of OpenMP's worker threads belong in the call tree of the thread that
 * opened the parallel region (assemble/placement.h).  Program context, after the threads have
 * been stopped.
 */
#ifndef TSPROF_PLACE_THREADS_H
#define TSPROF_PLACE_THREADS_H

#include "assemble/placement.h"
#include "timeline/timeline.h"

/*
 * Fills PLACED, which is as long as the tree of WORKER: the nodes of OPENER's tree whose places
 * those of WORKER's take, or PLACEMENT_NONE.  A thread has no place in its own tree.
 */
void place_thread(const struct thread *worker, const struct thread *opener, uint32_t *placed);

#endif
