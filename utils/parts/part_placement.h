/*
 * Finds where the call paths of a process's further threads belong in that of its first thread,
 * from the threads' logs.  The runtime does the same when a measurement ends in order.
 */
#ifndef TSPROF_PART_PLACEMENT_H
#define TSPROF_PART_PLACEMENT_H

#include "parts/part_log_reading.h"

/*
 * Fills PLACED, which has one entry for each node of WORKER.  OPENER is the log of the thread
 * that initialised MPI.  For a parallel region's function, or a phase that the worker follows,
 * the entry is the node of OPENER that it belongs to; for all others, and if that node is not
 * known, SUMMARY_NONE.
 */
void part_placement_find(const struct part_log_reading *worker,
                         const struct part_log_reading *opener, uint32_t *placed);

#endif
