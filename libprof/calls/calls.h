/*
 * The MPI functions as numbers and data: names, groups, which metric their time is, whether they
 * are unwound from.  One row for each in mpi_calls.def.
 *
 * Tables only: any context.
 */
#ifndef TSPROF_CALLS_ROOM_H
#define TSPROF_CALLS_ROOM_H

#include "calls/mpi_calls.h"

#endif
