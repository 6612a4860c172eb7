/*
 * Stalls: how long tsprof kept threads of the program at once, by what it did, added up over
 * the selected locations.  From cost facts (doc/format.md); older summaries have none.
 */
#ifndef TSPROF_ACCURACY_STALLS_H
#define TSPROF_ACCURACY_STALLS_H

#include "query/query.h"

#include <stddef.h>
#include <stdint.h>

enum { STALL_BINS = 64, STALL_KINDS_MOST = 16 };

/* The stalls of one kind. */
struct stall_kind {
    const char *name; /* points into the summary; not terminated, of NAME_LENGTH bytes */
    size_t name_length;
    uint64_t count;
    uint64_t longest_ns;
    uint64_t bins[STALL_BINS]; /* bin n: from 2^n up to, but not including, 2^(n+1) ns */
};

struct stalls {
    struct stall_kind kinds[STALL_KINDS_MOST]; /* by the length of the longest, descending */
    size_t count;
};

struct stalls stalls_of(const struct selection *selection);

#endif
