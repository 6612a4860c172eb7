/*
 * Where two threads last synchronized: a delay is looked for from there on.  For publish.c and
 * those who match only.
 */
#ifndef TSPROF_REPLAY_SYNCS_H
#define TSPROF_REPLAY_SYNCS_H

#include "include/tsprof_pattern.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct syncs;

/* NULL if out of memory. */
struct syncs *syncs_create(size_t threads);
void syncs_free(struct syncs *syncs);

/* Two threads have synchronized: ONE went on at ONE_NS, OTHER at OTHER_NS.  False if out of
 * memory. */
bool syncs_note_pair(struct syncs *syncs, uint32_t one, uint64_t one_ns, uint32_t other,
                     uint64_t other_ns);

/* All members have: they went on when the first left. */
bool syncs_note_all(struct syncs *syncs, const struct tsprof_collective *collective);

/* When the first of ONE and OTHER went on after they had last synchronized before *ONE_NS and
 * *OTHER_NS, for both; 0 if they never did.  Only the last few times are known: what is asked
 * for is a wait that is told of late, when the two have gone on already.  Where they had
 * synchronized before those the times remain as they are. */
void syncs_find(const struct syncs *syncs, uint32_t one, uint32_t other, uint64_t *one_ns,
                uint64_t *other_ns);

#endif
