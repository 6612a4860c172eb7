/*
 * The grid that processes form by whom they send messages to, where a program does not tell
 * one: that of their ranks, numbered along the last axis first, as nearly all programs number
 * them that do without MPI_Cart_create.
 */
#ifndef TSPROF_REPLAY_DERIVED_GRID_H
#define TSPROF_REPLAY_DERIVED_GRID_H

#include "replay/topology/grid.h"

/* So many messages went from one process to another. */
struct grid_link {
    uint32_t from, to;
    uint64_t messages;
};

/* Whether so many ranks can be in a grid of several places along each axis. */
bool grid_can_be_derived(size_t ranks);

/* By `from`, then `to`; for qsort. */
int grid_link_compare(const void *one, const void *other);

/* The grid of all ranks of WORLD in which neighbours, and all of them, have 95 % of the
 * messages between processes; free with grid_free.  Two axes are preferred.  LINKS are ordered
 * by `from`, then `to`, each pair at most once.  False if there is none, or if out of memory.
 */
bool grid_derive(struct grid *grid, const struct replay_world *world,
                 const struct grid_link *links, size_t link_count);

#endif
