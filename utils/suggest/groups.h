/*
 * Groups of iterations that are alike on the whole job, whatever clusters they are in on each
 * rank: a run that kept every iteration has no clusters of more than one, and ranks cluster
 * each for themselves.
 *
 * Iterations are compared by their time on the slowest rank, and by the sums over ranks of
 * computation, kinds of communication, messages and bytes.  Two are alike if each of these
 * differs by less than a tenth, or by less than it differs between neighbours anyway.
 */
#ifndef TSPROF_GROUPS_H
#define TSPROF_GROUPS_H

#include "query/query.h"

#include <stddef.h>
#include <stdint.h>

/* Iterations that are alike. */
struct group {
    uint64_t typical;    /* the iteration that is nearest to the mean of all */
    uint64_t iterations; /* how many there are, exact up to 65536 changes in the run */
    double time_s;       /* of all of them, on the rank that is slowest in each */
};

struct groups {
    struct group *list; /* by time, the largest first */
    size_t count;
    uint64_t iterations; /* of all groups */
    double time_s;
};

/* The groups of the selected iterations of PHASE; free `list`. */
struct groups groups_find(const struct selection *selection, uint32_t phase);

#endif
