/*
 * How much each rank has to do in each iteration of a synthetic run, and what kind of iteration
 * it is: the structure that pictures of it must show.
 *
 * - A hot spot moves once through all ranks (through the grid along its diagonal), and all
 *   ranks get slower a little as the run goes on.
 * - Every so many iterations all ranks write a checkpoint.
 * - A few iterations are outliers: an eighth of the ranks takes three times as long.
 *
 * Iterations that are alike are in one state, which a cluster stands for.
 */
#ifndef TSPROF_LOAD_H
#define TSPROF_LOAD_H

#include "synthetic.h"

/* The load is 1 on a rank at the start and far from the hot spot, and never more than this. */
#define LOAD_MOST 2.5

enum state_kind { STATE_USUAL, STATE_CHECKPOINT, STATE_OUTLIER };

/* What iterations of a state are like. */
struct state {
    enum state_kind kind;
    double load;
};

/* Every so many iterations there is a checkpoint: in the last of them. */
unsigned load_period(const struct synthetic *synthetic);

/* The number of the state, below `clusters`, that RANK is in during ITERATION. */
unsigned load_state(const struct synthetic *synthetic, unsigned rank, unsigned iteration);

struct state load_describe(const struct synthetic *synthetic, unsigned state);

#endif
