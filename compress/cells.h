/*
 * What is known of every cell of a series over all of its iterations: how much it varies, which
 * tells the cells worth comparing from the others (feature_cells.h), and of some cells the
 * largest value and the iteration that had it.
 *
 * For files in compress only.  Cells are kept in pages, which are taken as cells are met and
 * stay where they are, so that adding an iteration copies no more than a directory of pages.  A
 * cell whose page cannot be had is left out, and `incomplete` tells.
 */
#ifndef TSPROF_CELLS_H
#define TSPROF_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compress/account.h"
#include "compress/clustering.h"

/* Pages of one kind, by number; all zeros is a valid empty directory. */
struct pages {
    void **page; /* NULL: none yet */
    uint32_t count;
};

/* All zeros but for `role`, its context, `tops`, `occurred` and `bound` is a valid empty table.
 */
struct cells {
    struct cell_role (*role)(void *context, uint32_t cell); /* NULL: cells are not looked at */
    void *role_context;
    double *tops;       /* the owner's: by metric the largest magnitude that any cell has had */
    double *occurred;   /* the owner's: by metric how many values its compared cells have had */
    size_t bound, held; /* bytes that pages may take and take; a bound of 0: no bound */
    struct pages known;
    struct pages largest;
    uint32_t largest_count;
    bool incomplete;
};

/* A cell that was met, and its variance over the iterations. */
struct cell_variance {
    uint32_t cell, metric;
    double variance;
};

/* The most bytes that a table with BOUND takes for COUNT cells, as they lie in profiles. */
size_t cells_bytes_for(size_t bound, size_t count);

/* Adds the cells of an iteration, whose number is ITERATION; with pauses. */
void cells_add(struct cells *cells, struct account *account,
               const struct iteration_profile *profile, uint32_t iteration);

/*
 * Calls SEE for the cells to be compared in pages FROM to TO-1, of known.count, in ascending
 * order, with their variances over ITERATIONS.
 */
void cells_each(const struct cells *cells, double iterations, uint32_t from, uint32_t to,
                void (*see)(void *context, const struct cell_variance *cell), void *context);

/*
 * What values of METRIC are divided by to be compared: the largest, times the root of how many
 * of its cells an iteration has on average.  So a metric counts for as much where it is spread
 * over many cells as where it is in one.
 */
double cells_scale(const struct cells *cells, double iterations, uint32_t metric);

/* The variance over ITERATIONS of CELL, which is compared; 0 if it is not known. */
double cells_variance(const struct cells *cells, double iterations, uint32_t cell);

/*
 * The sum of the squares of the values of CELL, which is compared or has a largest value; 0 if
 * it is not known.
 */
double cells_squares(const struct cells *cells, uint32_t cell);

/* The largest values in the order in which their cells were met: AT < largest_count. */
const struct cell_largest *cells_largest(const struct cells *cells, uint32_t at);

/* Gives all memory back. */
void cells_clear(struct cells *cells, struct account *account);

/*
 * Sums of squares are exact to some 1e-16 of their size.  What is left of them when others are
 * taken away may be nothing but rounding if it is less than this share of them.
 */
#define CELLS_ROUNDING 1e-11

/* The variance over ITERATIONS of values, from their sum and the sum of their squares. */
double variance_of(double iterations, double sum, double squares);

#endif
