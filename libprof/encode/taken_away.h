/*
 * What the clusters of proposed series (mainloop/found.h) take away from what lies outside of
 * iterations: their sum, of some thousand call paths at a time, so that it takes no memory by
 * the size of the call tree.
 *
 * Async-signal-safe if the encoder's pauses are; only for the thread that holds the context,
 * while the clusters stay as they are.
 */
#ifndef TSPROF_TAKEN_AWAY_H
#define TSPROF_TAKEN_AWAY_H

#include "common/codec.h"
#include "mainloop/mainloop.h"
#include "tree/tree.h"

struct taken_away {
    const struct proposal *proposed;
    int64_t *values;     /* of PROPOSED_CELLS cells at most, those of the following nodes */
    uint32_t first, end; /* nodes from `first` up to, but not including, `end`; 0: none yet */
};

/*
 * The sums of the cells of NODE; valid until the next call.  Computes those of NODE and the
 * nodes that follow it, with PAUSES, unless they are there.
 */
const int64_t *taken_away_async(struct taken_away *taken, const struct cct *tree, uint32_t node,
                                struct encoder *pauses);

#endif
