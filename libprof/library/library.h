/*
 * The room for the program's MPI library as tsprof itself uses it, and its public header: the
 * real MPI functions, those that are not measured, this process's rank, the topologies that the
 * program has created, a tree of the ranks along which processes exchange data, and how the
 * clocks of hosts relate.
 *
 * Declarations that need mpi.h are in library/typed.h, for files that are compiled for each
 * MPI.  Nothing here may be called in a signal handler, unless its own comment says so.
 */
#ifndef TSPROF_LIBRARY_H
#define TSPROF_LIBRARY_H

#include "library/clock_offsets.h"
#include "library/mpi_real.h"
#include "library/outside.h"
#include "library/rank_tree.h"
#include "library/topology.h"
#include "library/world.h"

#endif
