/*
 * The MPI functions as numbers and data: names, groups, the metric that their time counts as,
 * whether the stack is unwound at their calls.  Each is a row in mpi_calls.def.
 *
 * Tables only: any context.
 */
#ifndef TSPROF_CALLS_ROOM_H
#define TSPROF_CALLS_ROOM_H

#include "calls/mpi_calls.h"

#endif
