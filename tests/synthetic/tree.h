/*
 * The program of a synthetic run: its call tree, and what each call path of it does in an
 * iteration.
 */
#ifndef TSPROF_TREE_H
#define TSPROF_TREE_H

#include "common/metrics.h"
#include "file/summary.h"
#include "synthetic.h"

enum tree_node {
    NODE_program,
    NODE_main,
    NODE_setup,
    NODE_read_input,
    NODE_bcast,
    NODE_init,
    NODE_finalize,
    NODE_timestep,
    NODE_checkpoint,
    NODE_write,
    TREE_FIXED /* the paths below the main loop follow */
};

enum tree_phase { PHASE_setup, PHASE_timestep, TREE_PHASES };

/* An MPI function, and what counts in a call of it. */
struct mpi_function {
    const char *name, *group;
    enum metric time, counts[2], bytes[2]; /* METRIC_none: there is none */
};

/* How time follows the load: not, in proportion, or as that which others wait. */
enum follows { FOLLOWS_NOTHING, FOLLOWS_LOAD, FOLLOWS_LACK };

/* What a call path does in each iteration, if `ns` is not 0. */
struct work {
    double ns; /* with a load of 1 */
    enum follows follows;
    unsigned visits;                /* 0 where they are not known */
    unsigned bytes;                 /* in all visits */
    const struct mpi_function *mpi; /* NULL: it computes */
    bool checkpoint;                /* in checkpoints only */
};

/*
 * Fills everything of SUMMARY but its locations; the memory is its pool's.  Returns what each
 * node does, in the pool, too.
 */
const struct work *tree_make(const struct synthetic *synthetic, struct summary *summary);

#endif
