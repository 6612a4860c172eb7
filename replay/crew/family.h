/*
 * Things with parents, such as the nodes of call trees, that several of a team have met, each
 * with numbers of its own: as one list, numbered as if one had met them all.
 */
#ifndef TSPROF_REPLAY_FAMILY_H
#define TSPROF_REPLAY_FAMILY_H

#include "replay/crew/crew.h"

/* Told apart by all but its birth. */
struct family_member {
    struct replay_moment birth; /* where it was met first */
    uint64_t number;
    uint32_t kind;
    uint32_t parent; /* one before it; REPLAY_NONE: it has none */
};

struct family {
    struct family_member *list;
    size_t count;
    uint32_t *of_all; /* by one's own number: that of all */
    uint32_t *own;    /* the reverse; REPLAY_NONE: it is not one's own */
};

/* All of the team call it at once, each with its OWN, COUNT of them.  False if out of memory:
 * the team has failed then.  Free with family_free, then, too. */
bool family_unite(struct team *team, const struct family_member *own, size_t count,
                  struct family *family);
void family_free(struct family *family);

#endif
