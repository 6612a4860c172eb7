/*
 * The topologies that the program gives its communicators, with their names.
 *
 * Each process keeps what it knows from the moment of creation on: asking later could be too
 * late, when the communicator is gone or MPI may not be called any more.  For all members of a
 * communicator that is who they are and, of a Cartesian one, the grid, in which members stand
 * in row-major order; of graphs each knows its own neighbours.  topologies.h puts the parts
 * together.
 *
 * Communicators with the same members and grid are told apart by the order of their creation,
 * which is the same on all members.  Memory is bounded: of those that are alike the sixteenth
 * stands for all later ones, and where there is no room a topology is not kept, but counted.
 * Program context of any thread.
 */
#ifndef TSPROF_TOPOLOGY_H
#define TSPROF_TOPOLOGY_H

#include "common/codec.h"

/* Appends what this process knows, for topologies_add.  No MPI. */
void topology_encode(struct encoder *out);

#endif
