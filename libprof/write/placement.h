/*
 * Where the call paths of OpenMP's worker threads belong: under the parallel region of the
 * thread that opened it.
 *
 * A worker's stack begins in the OpenMP runtime, which calls the region's outlined function.
 * The opening thread calls the same function from the same runtime, but below its own path; so
 * if there is only one such path, that is the worker's, too.  In the same way the phases that a
 * thread follows have the place that they have on the thread that marks them.
 */
#ifndef TSPROF_PLACEMENT_H
#define TSPROF_PLACEMENT_H

#include "timeline/timeline.h"

enum { PLACEMENT_NONE = UINT32_MAX };

/*
 * Fills PLACED, as long as the tree of WORKER: the node of OPENER's tree whose place a region's
 * function or a phase takes, PLACEMENT_NONE for all other nodes and where the place is not
 * known.
 */
void placement_find(const struct thread *worker, const struct thread *opener, uint32_t *placed);

#endif
