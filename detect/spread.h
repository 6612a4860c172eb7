/*
 * Which blocks of a function (flow.h) can be reached under several conditions, all found out at
 * once: a condition is that some blocks are not come into.  One walk through the function
 * instead of one for each.
 *
 * For the files of this folder.  No memory but what the caller gives; nothing fails.
 */
#ifndef TSPROF_SPREAD_H
#define TSPROF_SPREAD_H

#include "detect/flow.h"

#include <stdbool.h>
#include <stdint.h>

enum { SPREAD_CONDITIONS = 16, SPREAD_ALL = (1 << SPREAD_CONDITIONS) - 1 };

/* What is known of a block; sets of conditions. */
struct spread_mark {
    uint16_t reached;
    uint16_t cut;    /* edges to here are not followed */
    uint16_t begins; /* ways begin at its end */
    bool is_waiting; /* edges from it are to be followed */
};

/*
 * Clears the MARKS of all blocks of FLOW, whose stack is used; then `cut` may be set, and
 * spread_from called.
 */
void spread_begin(struct flow *flow, struct spread_mark *marks);

/* Ways begin at the end of the block at AT, under CONDITIONS. */
void spread_from(struct flow *flow, struct spread_mark *marks, uint32_t at,
                 uint32_t conditions);

/* Follows them to all that they reach. */
void spread_go(struct flow *flow, struct spread_mark *marks);

#endif
