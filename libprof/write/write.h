/*
 * Writes one summary from what all processes have measured, at the end of the measurement.
 * Program context, when no thread measures any more; collective over MPI_COMM_WORLD where a
 * function says so.
 */
#ifndef TSPROF_WRITE_ROOM_H
#define TSPROF_WRITE_ROOM_H

#include "write/merge.h"
#include "write/shown_loops.h"

#endif
