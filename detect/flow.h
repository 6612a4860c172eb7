/*
 * A function's blocks (code.h) as a graph: which may follow which, and which can be reached.
 * For the files of this folder.  No memory but what the caller gives.
 */
#ifndef TSPROF_FLOW_H
#define TSPROF_FLOW_H

#include "arch/arch.h"
#include "detect/code.h"

/* What a question about a function has found out of a block. */
struct flow_mark {
    bool is_reachable;
    bool is_cut; /* edges to here are not followed */
};

/* A function that is being asked about. */
struct flow {
    const struct code_block *blocks;
    uint32_t count;
    struct flow_mark *marks;  /* of each block */
    uint32_t *stack;          /* room for all blocks */
    uint32_t waiting;         /* blocks on it whose edges are to be followed */
    const uint32_t *landings; /* blocks that no other leads to, for FLOW_LITTLE */
    uint32_t landing_count;
    uint64_t steps; /* taken; beyond some number no edge is followed */
    enum flow_jumps { FLOW_LITTLE, FLOW_IN_LOOP, FLOW_ANYWHERE } jumps;
};

/* Whether the last instruction of BLOCK may go on with the next block. */
static inline bool flow_goes_on(const struct code_block *block)
{
    return block->way == WAY_ON || block->way == WAY_BRANCH;
}

/* The block that contains byte AT, of COUNT BLOCKS. */
static inline uint32_t flow_block_of(const struct code_block *blocks, uint32_t count,
                                     uint32_t at)
{
    uint32_t low = 0, high = count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (blocks[middle].start <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/*
 * The next of the blocks that may follow the one at AT, UINT32_MAX if there is no more. *CURSOR
 * says how many have been looked at, 0 at first.  `jumps` says where computed jumps may lead:
 * to what no other block leads to; also by the table of a switch in the same loop; anywhere.
 */
uint32_t flow_next(struct flow *flow, uint32_t at, uint32_t *cursor);

/* Marks what can be reached from the end of the block at AT, but for what is cut. */
void flow_reach(struct flow *flow, uint32_t at);

/* The same in pieces: begins, with nothing marked. */
void flow_reach_begin(struct flow *flow, uint32_t at);

/* Goes on for so many STEPS, and the edges of one block more.  Returns whether that is all. */
bool flow_reach_go_on(struct flow *flow, uint64_t steps);

/* Whether so many steps were taken that answers are not right. */
bool flow_was_too_long(const struct flow *flow);

#endif
