/*
 * The loops of a function and how they are nested.  The blocks of a graph from each of which
 * all others can be reached are an outermost loop.  Without the edges back to that loop's
 * entry, the same finds the loops in it (B. Steensgaard, "Sequentializing program dependence
 * graphs for irreducible programs", 1993).  Such components are found by R. Tarjan's algorithm
 * ("Depth-first search and linear graph algorithms", 1972), of all loops of one depth at once,
 * in a time proportional to the number of blocks.
 *
 * For the files of this folder.  No memory but what the caller gives.
 */
#ifndef TSPROF_NESTING_H
#define TSPROF_NESTING_H

#include "detect/flow.h"

/* What is known of a block while loops of one depth are found. */
struct nesting_mark {
    uint32_t region;     /* the loop around it that is looked into, counted from 1; 0: none */
    uint32_t component;  /* the loop in that one which holds it; 0: not known yet */
    uint32_t order, low; /* Tarjan's numbers */
    uint32_t cursor;     /* of its edges */
    uint32_t entry;      /* of the loop with this number: where it is entered */
    bool leads_to_itself;
};

enum nesting_stage {
    NESTING_BEGIN,
    NESTING_COMPONENTS, /* for each depth: the loops, */
    NESTING_ENTRIES,    /* where they are entered, */
    NESTING_DESCENT,    /* and what is to be looked into next */
    NESTING_AGAIN,
    NESTING_ENDED
};

/* Loops of one depth that are being found. */
struct nesting {
    struct flow *flow;
    struct code_block *blocks;
    struct nesting_mark *marks;
    uint32_t *path, length; /* from where the search began to where it is */
    uint32_t *open, opened; /* blocks whose component is not known yet */
    uint32_t visited;
    uint32_t loops; /* found so far */
    int depth;
    enum nesting_stage stage;
    uint32_t at;    /* the block that the stage has come to */
    uint64_t looks; /* at blocks, so far */
};

/*
 * Begins to set `loop` and `outer` of the BLOCKS of FLOW, whose `is_used` is known.  If there
 * are several ways into a loop, the first block is its entry.  MARKS and PATH have room for all
 * blocks.  All of them, and the stack of FLOW, are in use until the end.
 */
void nesting_begin(struct nesting *nesting, struct flow *flow, struct code_block *blocks,
                   struct nesting_mark *marks, uint32_t *path);

/* Goes on for so many STEPS, and one edge more at most.  Returns whether that was all. */
bool nesting_go_on(struct nesting *nesting, uint64_t steps);

/* What it has taken so far, the steps of its flow included. */
uint64_t nesting_steps(const struct nesting *nesting);

/* Whether the loop that is entered at block LOOP holds the block at AT. */
bool nesting_holds(const struct code_block *blocks, uint32_t loop, uint32_t at);

#endif
