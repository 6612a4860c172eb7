/*
 * Where the call paths of a process's further threads belong: as libprof/placement.h finds it
 * at the end of a measurement, from what the threads' logs tell.
 */
#ifndef TSPROF_PART_PLACEMENT_H
#define TSPROF_PART_PLACEMENT_H

#include "parts/part_log_reading.h"

/*
 * Fills PLACED, as long as the call tree of WORKER: the node of OPENER, the thread that
 * initialised MPI, whose place a parallel region's function takes, or a phase that is followed;
 * SUMMARY_NONE for all other nodes and where the place is not known.
 */
void part_placement_find(const struct part_log_reading *worker,
                         const struct part_log_reading *opener, uint32_t *placed);

#endif
