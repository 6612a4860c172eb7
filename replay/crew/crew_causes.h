/*
 * The search for causes by a team: what causes.h does, each for its own threads.  For crew.c
 * and the files of these functions.
 *
 * All of the team call each function at once.  False if out of memory.
 */
#ifndef TSPROF_REPLAY_CREW_CAUSES_H
#define TSPROF_REPLAY_CREW_CAUSES_H

#include "replay/causes.h"
#include "replay/crew/family.h"

/* In what follows NODES are the nodes of all: their regions are their kinds. */

/* crew_delays.c: charges all waits, with the numbers of all in `pairs`. */
bool crew_delays_find(struct replay *replay, struct team *team, const struct family *nodes,
                      const struct wait_list *waits);

/* crew_path.c: fills in `critical_ns` and `length_ns`. */
bool crew_path_follow(struct replay *replay, struct team *team, const struct wait_list *waits,
                      struct critical_path *critical);

/* crew_unite.c: INSTANCES says by one's own number of an iteration what that of all is; *WHOLE
 * is the result at the first of the team, for replay_free, and NULL elsewhere. */
bool crew_unite_all(const struct crew *crew, struct team *team, const struct family *nodes,
                    const uint32_t *instances, const struct critical_path *critical,
                    struct replay **whole);

#endif
