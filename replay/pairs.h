/*
 * Who waits for whom: sums over all waits of a call path of one thread for another thread, and
 * what that one did meanwhile.  Filled in by the search for causes.
 */
#ifndef TSPROF_REPLAY_PAIRS_H
#define TSPROF_REPLAY_PAIRS_H

#include "common/index.h"
#include "replay/replay.h"

struct pairs {
    struct replay_pair *list;
    size_t list_count, list_room;
    struct replay_reason *reasons;
    size_t reasons_count, reasons_room;
    struct index pair_index, reason_index;
};

/* Start from all zeros. */
void pairs_free(struct pairs *pairs);

/* Adds WAIT, of WAITING, to the pair that it is of; the number of that, REPLAY_NONE if out of
 * memory. */
uint32_t pairs_add(struct pairs *pairs, const struct replay_wait *wait,
                   const struct path *waiting);

/* Of what PAIR waited, NS are because of what the other thread did on NODE; IS_INDIRECT: it
 * waited there itself.  False if out of memory. */
bool pairs_charge(struct pairs *pairs, uint32_t pair, uint32_t node, bool is_indirect,
                  uint64_t ns);

#endif
