/*
 * Where two threads last synchronized: a delay is looked for from there on.  For publish.c and
 * those who match, and for causes.c.
 *
 * All is kept until the end, since calls become known in any order, and an operation in which
 * all wait for all only when all have left it, which may be long after some have: of such a one
 * eight bytes.
 */
#ifndef TSPROF_REPLAY_SYNCS_H
#define TSPROF_REPLAY_SYNCS_H

#include "include/tsprof_pattern.h"
#include "replay/crew/team.h"

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

/* Where several share the analysis: gives what was noted of THREAD to another one, which takes
 * it over.  False if out of memory. */
bool syncs_hand_over(struct syncs *syncs, uint32_t thread, struct bytes *to);
bool syncs_take_over(struct syncs *syncs, const struct bytes *from);

/* After the last note, before what follows. */
void syncs_settle(struct syncs *syncs);

/* When the first of all went on after the last operation of all that ONE and OTHER took part
 * in, until UNTIL_NS; 0: there was none. */
uint64_t syncs_find_gathering(const struct syncs *syncs, uint32_t one, uint32_t other,
                              uint64_t until_ns);

/* When ONE and OTHER went on, until *ONE_NS and *OTHER_NS, after they last had to do with each
 * other alone; false: never. */
bool syncs_find_pair(const struct syncs *syncs, uint32_t one, uint32_t other, uint64_t *one_ns,
                     uint64_t *other_ns);

#endif
