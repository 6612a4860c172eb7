/*
 * Loops that are entered in the middle of their body.  Where the first pass differs from the
 * others, compilers may put its beginning in front of the loop, and have it enter behind the
 * same beginning in the loop:
 *
 *     first:  call multiply; call product; jump to rest
 *     again:  call multiply; call product
 *     rest:   ...; if there is another pass, jump to again; leave
 *
 * By its jumps that loop is entered at `rest`.  What the source has begins at `again`.
 *
 * For the files of this folder.  No memory but what the caller gives.
 */
#ifndef TSPROF_TURNING_H
#define TSPROF_TURNING_H

#include "detect/code.h"

#include <stdbool.h>
#include <stdint.h>

/* The blocks that lead to a block: how many there are, and the first two of them. */
struct turning_mark {
    uint32_t count, from[2];
};

enum turning_stage { TURNING_BEGIN, TURNING_EDGES, TURNING_LOOPS, TURNING_ENDED };

/* A function whose loops are looked at. */
struct turning {
    const unsigned char *code;
    uint32_t size; /* bytes of it */
    struct code_block *blocks;
    uint32_t count; /* of them */
    struct turning_mark *marks;
    enum turning_stage stage;
    uint32_t at;    /* the block that the stage has come to */
    uint64_t looks; /* at blocks, so far; instructions count as some */
};

/*
 * Begins to make `again`, of the loops that have one, the entry of the loop among the COUNT
 * BLOCKS of CODE, SIZE bytes.  Their `loop` and `outer` are known, and no jump is computed. All
 * of them and MARKS, which have room for all blocks, are in use until the end.
 */
void turning_begin(struct turning *turning, const unsigned char *code, uint32_t size,
                   struct code_block *blocks, uint32_t count, struct turning_mark *marks);

/* Goes on for so many LOOKS, and those at one loop more.  Returns whether that was all. */
bool turning_go_on(struct turning *turning, uint64_t looks);

#endif
