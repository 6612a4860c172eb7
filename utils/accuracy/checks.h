/*
 * The promises of doc/format.md, "What holds in every file", checked in exact integers.
 */
#ifndef TSPROF_CHECKS_H
#define TSPROF_CHECKS_H

#include "file/file.h"
#include "print/print.h"

#include <stdbool.h>
#include <stdint.h>

/* How many of something hold, and the first that does not. */
struct check {
    size_t locations, good_locations;
    size_t clusters, good_clusters;
    struct text first; /* empty if all hold; unescaped; free with text_free */
};

/* What computation, the leaves below mpi and overhead of PROFILE add up to. */
int64_t profile_wall_ns(const struct summary *summary, const struct profile *profile);

/*
 * Computation, the leaves below mpi and overhead add up to the wall time: on every location and
 * in every cluster.
 */
struct check check_accounting(const struct summary *summary);

/*
 * The whole-run profile is the one outside iterations plus the clusters of all series that are
 * not nested: cell by cell, on every location.  Clusters are not counted.
 */
struct check check_totals(const struct summary *summary);

/*
 * The values of each counter add up over call paths to what was counted: on every location that
 * counted, and no others are looked at.  Clusters are not counted.
 */
struct check check_counters(const struct summary *summary);

bool check_holds(const struct check *check);

#endif
