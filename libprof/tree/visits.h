/*
 * The visits that a walk has found (unwind/walker.h), until it is known which profile they
 * belong to.
 *
 * Used by the thread that walks; all functions are async-signal-safe.
 */
#ifndef TSPROF_VISITS_H
#define TSPROF_VISITS_H

#include "tree/profile.h"

#include <stdbool.h>
#include <stdint.h>

/* A walk keeps frames of two earlier ones, and adds its own. */
enum { VISITS_MOST = 3 * 512 + 1 };

struct visits {
    uint32_t count;
    uint32_t nodes[VISITS_MOST]; /* twice the node's number, plus one if it was entered */
};

/*
 * Notes a visit of NODE.  If it was ENTERED, its visits grow by one; otherwise they become at
 * least one.
 */
static inline void visits_note(struct visits *visits, uint32_t node, bool entered)
{
    visits->nodes[visits->count++] = node << 1 | entered;
}

/* Whether NODE was entered. */
static inline bool visits_has_entered(const struct visits *visits, uint32_t node)
{
    for (uint32_t i = 0; i < visits->count; i++)
        if (visits->nodes[i] == (node << 1 | 1))
            return true;
    return false;
}

/* Adds VISITS to PROFILE, which is over TREE.  Any context, on the thread that owns them. */
void visits_add_async(const struct visits *visits, struct profile *profile,
                      const struct cct *tree);

#endif
