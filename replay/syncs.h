/*
 * Where two threads last synchronized: a delay is looked for from there on.  For publish.c and
 * those who match, and for causes.c.
 *
 * What two threads have to do with each other is kept until the end, since calls become known
 * in any order; of operations in which all wait for all only the last few.
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

enum sync_found {
    SYNC_NONE, /* they never did */
    SYNC_FOUND,
    SYNC_LOST /* perhaps: in an operation that is not known any more */
};

/* When ONE and OTHER went on after the last operation of all that both took part in before
 * *ONE_NS and *OTHER_NS, which are left alone if none was found.  What is asked for is a wait
 * that is told of late, when the two have gone on already: the last few times are known. */
enum sync_found syncs_find_gathering(const struct syncs *syncs, uint32_t one, uint32_t other,
                                     uint64_t *one_ns, uint64_t *other_ns);

/* Where several share the analysis: gives what was noted of THREAD to another one, which takes
 * it over.  False if out of memory. */
bool syncs_hand_over(struct syncs *syncs, uint32_t thread, struct bytes *to);
bool syncs_take_over(struct syncs *syncs, const struct bytes *from);

/* After the last note, before syncs_find_pair. */
void syncs_settle(struct syncs *syncs);

/* The same for what the two alone had to do with each other; false: nothing before. */
bool syncs_find_pair(const struct syncs *syncs, uint32_t one, uint32_t other, uint64_t *one_ns,
                     uint64_t *other_ns);

#endif
