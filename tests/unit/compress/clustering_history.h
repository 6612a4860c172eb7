/*
 * Everything that was put into a clustering, kept as it came: what tests compare the clustering
 * with.
 *
 * For tests only.  Ends the program if out of memory.
 */
#ifndef TSPROF_CLUSTERING_HISTORY_H
#define TSPROF_CLUSTERING_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compress/clustering.h"

struct past_iteration {
    uint64_t number;  /* among all iterations, skipped ones too, from 0 */
    bool lost;        /* the clustering said so when it was added */
    uint32_t cluster; /* that it was in when checked_check asked */
    struct iteration_profile profile;
};

/* All zeroes but for condensed_count is a valid empty history. */
struct history {
    uint32_t condensed_count;
    uint64_t iterations; /* with those that were skipped */
    size_t count;        /* of those that were added */
    size_t capacity;
    struct past_iteration *past;
};

/* Appends a copy of PROFILE. */
void history_add(struct history *history, const struct iteration_profile *profile);

/* Appends COUNT iterations without profiles. */
void history_skip(struct history *history, uint64_t count);

/* Condensed value K of the added iteration INDEX as a clustering should take it: 0 if it is not
 * finite, and no further than 1e140 from 0. */
double history_value(const struct history *history, size_t index, uint32_t k);

/* Whether two iterations are equivalent under MODE, which is not EQUIVALENCE_AUTO. */
bool history_alike(enum equivalence mode, const struct iteration_profile *a,
                   const struct iteration_profile *b);

/* Gives all memory back. */
void history_clear(struct history *history);

/* A sum of profiles: cell by cell, wrapping.  All zeroes is an empty one. */
struct cell_sum {
    struct summand {
        uint32_t cell;
        int64_t value;
    } * cells; /* once cell_sum_finish was called: strictly ascending by cell */
    size_t count;
    size_t capacity;
};

void cell_sum_add(struct cell_sum *sum, const uint32_t *cells, const int64_t *values,
                  size_t count);
void cell_sum_finish(struct cell_sum *sum);
void cell_sum_clear(struct cell_sum *sum);

/* Sums of integers wrap in a clustering. */
int64_t wrapping_add(int64_t a, int64_t b);

#endif
