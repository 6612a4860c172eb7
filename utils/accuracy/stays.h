/*
 * Stalls: how long tsprof kept threads of the program at once, by what it did, added up over
 * the selected locations.  From cost facts (doc/format.md); older summaries have none.
 */
#ifndef TSPROF_STAYS_H
#define TSPROF_STAYS_H

#include "query/query.h"

#include <stddef.h>
#include <stdint.h>

enum { STAY_BINS = 64, STAY_KINDS_MOST = 16 };

/* The stalls of one kind. */
struct stay_kind {
    const char *name; /* points into the summary; not terminated, of NAME_LENGTH bytes */
    size_t name_length;
    uint64_t count;
    uint64_t longest_ns;
    uint64_t bins[STAY_BINS]; /* bin n: from 2^n up to, but not including, 2^(n+1) ns */
};

struct stays {
    struct stay_kind kinds[STAY_KINDS_MOST]; /* by the length of the longest, descending */
    size_t count;
};

struct stays stays_of(const struct selection *selection);

#endif
