/*
 * Which messages of a process belong to wavefronts, and from where those come.
 *
 * A wavefront goes through a grid from one corner to the opposite one.  A process takes a
 * *step* of it: along each axis it receives a message from one side, or there is nobody on that
 * side, and sends one to the other side, or there is nobody.  So a process in a corner knows of
 * the wavefronts that begin there by what it sends, and one at a border needs a message along
 * one axis only.  What is no such step, as an exchange with all neighbours, is of no wavefront.
 */
#ifndef TSPROF_REPLAY_FRONTS_H
#define TSPROF_REPLAY_FRONTS_H

#include "replay/topology/grid.h"

/* A message that a process has received or sent. */
struct front_end {
    uint64_t time_ns; /* when it had been received, or began to be sent */
    uint64_t order;   /* of two messages with the same time */
    uint32_t process;
    bool is_sent;
    unsigned axis;
    enum grid_side side; /* on which the other process is */
    size_t message;      /* the caller's */
};

/* Where a wavefront comes from: of each axis, from which side.  Bit K: of axis K, SIDE_UPPER.
 */
typedef unsigned front_direction;
enum { DIRECTIONS = 1 << GRID_AXES };

/* Messages FIRST to END - 1 of the process's are a step of a wavefront. */
struct front_step {
    size_t first, end;
    front_direction direction;
};

/* Finds the next step in ENDS, of one process in the order of time, of which those before *AT
 * have been looked at; *AT is moved behind it.  False if there are no more. */
bool fronts_next(const struct grid *grid, const struct front_end *ends, size_t count,
                 size_t *at, struct front_step *step);

/* The directions from which the process has taken steps, as a set of bits. */
unsigned fronts_directions(const struct grid *grid, const struct front_end *ends, size_t count);

#endif
