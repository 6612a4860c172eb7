/*
 * Who waited for whom, and why, in memory: section WAITS of doc/format.md, which the result of
 * `tsprof waits` has.  Times are in nanoseconds; tables are the summary's.
 */
#ifndef TSPROF_WAIT_TABLE_H
#define TSPROF_WAIT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the one that was waited for did, as far as it made the other one wait. */
struct wait_reason {
    uint32_t node;
    bool is_indirect; /* it waited there itself */
    uint64_t ns;      /* never 0 */
};

/* All waits, of one kind, of a call path of a location for another location. */
struct wait_pair {
    uint32_t location, metric, node;
    uint32_t cause;                 /* a location, or SUMMARY_NONE: not in the summary */
    uint64_t count, ns, longest_ns; /* never 0 */
    struct wait_reason *reasons;    /* adding up to `ns` at most */
    size_t reason_count;
};

/* One of the longest waits. */
struct long_wait {
    uint32_t location, metric, node;
    uint32_t phase; /* or SUMMARY_NONE: in no iteration */
    uint64_t iteration;
    uint64_t begin_ns; /* since the trace began */
    uint64_t ns;       /* never 0 */
    uint32_t cause;    /* as above */
    uint32_t cause_node;
    uint64_t cause_ns; /* when the call there began that was waited for; like begin_ns */
};

struct wait_table {
    struct wait_pair *pairs; /* ascending by location, metric, node and cause */
    size_t pair_count;
    struct long_wait *longest; /* by metric, then the longest first */
    size_t longest_count;
};

/* The order of `pairs`, for qsort. */
int wait_pair_compare(const void *one, const void *other);

/* The order of a pair's reasons, for qsort: the largest first; of equal ones by call path. */
int wait_reason_compare(const void *one, const void *other);

#endif
