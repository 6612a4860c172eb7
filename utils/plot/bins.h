/*
 * Puts a row of things (iterations or ranks) into bins, so that a picture has room for them:
 * each bin has the same number of successive things, and a tally of their values.
 */
#ifndef TSPROF_BINS_H
#define TSPROF_BINS_H

#include "plot/tally.h"

/* Things FIRST to END - 1, in COUNT bins of EACH things; the last bin may have fewer. */
struct division {
    uint64_t first, end, each;
    size_t count;
};

/* Divides things FIRST to END - 1 into at most MOST (not 0) bins. */
struct division divide(uint64_t first, uint64_t end, size_t most);

struct bins {
    struct division division;
    struct tally *tallies;
};

/* Starts with empty bins; MEDIAN is as for tally_begin. */
void bins_begin(struct bins *bins, const struct division *division, bool median);
void bins_clear(struct bins *bins);
void bins_free(struct bins *bins);

/* Adds VALUE for each of LENGTH things from AT on; things outside of all bins do not count. */
void bins_add(struct bins *bins, uint64_t at, uint64_t length, double value);

/* The statistic of each bin, for the caller to free(). */
double *bins_values(struct bins *bins, enum statistic statistic);

#endif
