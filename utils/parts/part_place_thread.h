/*
 * Where the call paths of a process's further threads belong in that of its first thread, from
 * the threads' logs (assemble/placement.h).
 */
#ifndef TSPROF_PART_PLACE_THREAD_H
#define TSPROF_PART_PLACE_THREAD_H

#include "assemble/placement.h"
#include "parts/part_log_reading.h"

/*
 * Fills PLACED, which has one entry for each node of WORKER: the node of OPENER, the log of the
 * thread that initialised MPI, whose place it takes, or PLACEMENT_NONE.
 */
void part_place_thread(const struct part_log_reading *worker,
                       const struct part_log_reading *opener, uint32_t *placed);

#endif
