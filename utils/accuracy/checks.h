/*
 * Checks what doc/format.md promises in "What holds in every file", in exact integers.
 */
#ifndef TSPROF_CHECKS_H
#define TSPROF_CHECKS_H

#include "file/file.h"
#include "print/print.h"

#include <stdbool.h>
#include <stdint.h>

/* On how many locations and in how many clusters a promise holds, and where it first does not.
 */
struct check {
    size_t locations, good_locations;
    size_t clusters, good_clusters;
    struct text first; /* the first violation, unescaped; "" if there is none; text_free it */
};

/* The sum of computation, the leaves below mpi, and overhead in PROFILE. */
int64_t profile_wall_ns(const struct summary *summary, const struct profile *profile);

/*
 * Checks that computation, the leaves below mpi, and overhead add up to the wall time, on every
 * location and in every cluster.
 */
struct check check_accounting(const struct summary *summary);

/*
 * Checks that the profile outside iterations and the clusters of all series that are not nested
 * add up to the whole-run profile, in every cell, on every location.  Counts locations only.
 */
struct check check_totals(const struct summary *summary);

/*
 * Checks that each counter's values add up over call paths to what was counted.  Counts only
 * locations that have counters, and no clusters.
 */
struct check check_counters(const struct summary *summary);

bool check_holds(const struct check *check);

#endif
