/*
 * Reads of a summary what a list of many shows: the facts, and sums of each location, not what
 * call paths, regions and iterations are.  So it takes a small part of the time and memory of
 * summary_read, and what is not read is not validated.
 */
#ifndef TSPROF_READ_BRIEF_H
#define TSPROF_READ_BRIEF_H

#include "base/base.h"
#include "common/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Texts are as in the file: escape them before they reach a terminal.  They live until
 * brief_free. */
struct brief {
    const char *program, *start; /* the facts; "" if there are none */
    enum format_state state;
    bool derived;  /* calculated from others: times are no shares of anything */
    bool of_trace; /* what measuring cost is not known */
    size_t ranks, locations;
    int64_t longest_ns; /* the wall time of the location that took longest */
    /* Sums over all locations; doubles hold what 2^63 ns cannot. */
    double wall_ns, mpi_ns, overhead_ns;
    /* Of the first location, in the series with most of them that is not nested in another. */
    uint64_t iterations;
    struct memory_pool pool;
};

/* Reads PATH.  False, and ERROR, which begins with PATH, on failure; then there is nothing to
 * free. */
bool brief_read(struct brief *brief, const char *path, struct error *error);
void brief_free(struct brief *brief);

#endif
