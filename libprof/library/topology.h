/*
 * The topologies that the program gives its communicators, with their names.
 *
 * Each process notes what it knows when a topology is created, because later the communicator
 * may be gone, or MPI may not be called any more.  That is the members of the communicator and,
 * if it is Cartesian, the grid, whose members are in row-major order; of a graph each process
 * knows its own neighbours only.  assemble/topologies.h puts what the processes know together.
 *
 * Communicators with the same members and grid are told apart by the order of their creation,
 * which is the same on all members.  Memory is bounded: of communicators that are alike, the
 * sixteenth stands for all later ones, and a topology for which there is no room is only
 * counted.  Program context of any thread.
 */
#ifndef TSPROF_TOPOLOGY_H
#define TSPROF_TOPOLOGY_H

#include "common/codec.h"

/*
 * Appends what this process knows of topologies to OUT, as topologies_add reads it.  Calls no
 * MPI.
 */
void topology_encode(struct encoder *out);

#endif
