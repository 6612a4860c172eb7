/*
 * The program's MPI library, as tsprof uses it for itself: its real functions, who this process
 * is, the topologies that it has made, and a tree of the ranks to talk along.
 *
 * What needs mpi.h is in library/typed.h, for files that are compiled for each MPI.  Never in a
 * signal handler, but for what its own comment says otherwise.
 */
#ifndef TSPROF_LIBRARY_H
#define TSPROF_LIBRARY_H

#include "library/mpi_real.h"
#include "library/rank_tree.h"
#include "library/topology.h"
#include "library/world.h"

#endif
