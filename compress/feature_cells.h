/*
 * Which cells of the profiles are compared: those that vary most.
 *
 * For files in compress only; takes no memory.  An iteration's totals do not tell whether time
 * moved from one call path to another; its cells do, but they are too many to compute distances
 * on.  The few that vary most, each as a share of the largest value that any cell of its metric
 * has had, hold nearly all of what the others show.
 */
#ifndef TSPROF_FEATURE_CELLS_H
#define TSPROF_FEATURE_CELLS_H

#include <stdbool.h>
#include <stdint.h>

#include "compress/cells.h"

enum { FEATURES_MOST = 48 };

/* A choice of cells; all zeros is a valid one, of none. */
struct features {
    uint32_t count;
    uint32_t cells[FEATURES_MOST]; /* strictly ascending once the choice is made */
    uint32_t metrics[FEATURES_MOST];
    double scores[FEATURES_MOST]; /* their scaled variances when they were chosen */
    double others;                /* the sum of those of all other cells at that time */
};

/* A choice that is being made, some pages of cells at a time; all zeros: none. */
struct choice {
    struct features found;
    uint32_t weakest; /* of those found, once there are FEATURES_MOST */
    uint32_t page;    /* next to look at */
    double iterations;
    double all; /* the sum of the scaled variances of the cells seen */
    const struct cells *cells;
};

void choice_start(struct choice *choice, const struct cells *cells, double iterations);

/*
 * Looks at the next pages of cells, a bounded number, and returns whether all have been seen.
 * Then `found` is the choice.
 */
bool choice_go_on(struct choice *choice);

/* The sum of the scaled variances that the cells of FEATURES have over ITERATIONS. */
double features_variance(const struct features *features, const struct cells *cells,
                         double iterations);

#endif
