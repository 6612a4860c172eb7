/*
 * Finds where the call paths of OpenMP's worker threads belong: under the parallel region, on
 * the thread that opened it.
 *
 * A worker's stack begins in the OpenMP runtime, which calls the region's outlined function.
 * The opening thread calls the same function from the same runtime, but below its own call
 * path.  So if there is only one such path, it is the worker's as well.  In the same way the
 * phases that a thread follows are placed where they are on the thread that marks them.
 * Program context, after the threads have been stopped.
 */
#ifndef TSPROF_PLACEMENT_H
#define TSPROF_PLACEMENT_H

#include "timeline/timeline.h"

enum { PLACEMENT_NONE = UINT32_MAX };

/*
 * Fills PLACED, which is as long as the tree of WORKER.  For the function of a region, or a
 * phase, it receives the node of OPENER's tree whose place that takes; for all other nodes, and
 * where the place is not known, PLACEMENT_NONE.
 */
void placement_find(const struct thread *worker, const struct thread *opener, uint32_t *placed);

#endif
