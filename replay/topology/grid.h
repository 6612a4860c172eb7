/*
 * Where processes are in a Cartesian grid, and which of them are neighbours.
 *
 * Dimensions come slowest first, as MPI_Cart_create has them; those with one place only are
 * left out.  A grid has no links around its ends: a wavefront does not use them.
 */
#ifndef TSPROF_REPLAY_GRID_H
#define TSPROF_REPLAY_GRID_H

#include "replay/world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GRID_AXES = 3 }; /* at most */

/* Of a process, along an axis. */
enum grid_side { SIDE_LOWER, SIDE_UPPER, SIDES };

static inline enum grid_side grid_opposite(enum grid_side side)
{
    return side == SIDE_LOWER ? SIDE_UPPER : SIDE_LOWER;
}

struct grid {
    unsigned axes; /* 2 or 3 */
    uint32_t sizes[GRID_AXES];
    uint32_t (*places)[GRID_AXES]; /* by process; REPLAY_NONE as the first: it has none */
    size_t processes;
    bool failed; /* it could not be made, for want of memory */
};

/* Copies FROM, for PROCESSES processes; free with grid_free.  False if out of memory (then it
 * has `failed`), or if it has not two or three dimensions with more than one place. */
bool grid_copy(struct grid *grid, const struct replay_grid *from, size_t processes);
void grid_free(struct grid *grid);

/* How many processes have a place. */
size_t grid_count(const struct grid *grid);

/* Whether ONE and OTHER are next to each other: then ONE is on SIDE of OTHER along AXIS. */
bool grid_neighbours(const struct grid *grid, uint32_t one, uint32_t other, unsigned *axis,
                     enum grid_side *side);

/* Whether nobody is on SIDE of PROCESS, which has a place, along AXIS. */
bool grid_is_border(const struct grid *grid, uint32_t process, unsigned axis,
                    enum grid_side side);

#endif
