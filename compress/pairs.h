/*
 * The closest pair of clusters: a matrix of what merging two clusters of a class costs
 * (cost.h).
 *
 * For clustering.c only.  Costs stay as they were computed, with the weights of that time,
 * until one of the two clusters changes (section 4.1.3) or pairs_compute is called.  Every
 * cluster remembers the closest of the others, so that looking for the closest pair is one pass
 * over the clusters.  When that one is gone or has moved away, what is remembered is only that
 * no other is closer than it was: a new one is looked for no sooner than it may matter.  Of
 * equally close pairs the one whose clusters come first in the pool wins: earlier one first,
 * then later.
 */
#ifndef TSPROF_PAIRS_H
#define TSPROF_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "compress/account.h"
#include "compress/pool.h"
#include "compress/scaling.h"

/* All zeroes is a valid state: no matrix. */
struct pairs {
    uint32_t slots; /* of the pool, that the matrix has room for */
    float *costs;   /* of two slots, a row for each; infinite for what cannot be merged */
};

/* Makes a matrix for SLOTS slots, all that the pool will use, and computes all costs; false if
 * memory is out. */
bool pairs_start(struct pairs *pairs, struct account *account, struct pool *pool,
                 const struct scaling *scaling, uint32_t slots);

/* Makes room for SLOTS slots in a matrix that there is; false, and nothing
 * changed, if memory is out. */
bool pairs_grow(struct pairs *pairs, struct account *account, uint32_t slots);

/* Whether there is a matrix; the following may be called only if so. */
bool pairs_active(const struct pairs *pairs);

/* Computes all costs anew, after classes or weights have changed. */
void pairs_compute(struct pairs *pairs, struct pool *pool, const struct scaling *scaling);

/* Computes the costs of the cluster at POSITION, which is new or has changed.  REMOVED is a
 * slot whose cluster was merged into it, or NO_SLOT. */
void pairs_update(struct pairs *pairs, struct pool *pool, const struct scaling *scaling,
                  uint32_t position, uint32_t removed);

/* To be told when the cluster in slot REMOVED was dropped without being merged. */
void pairs_forget(struct pairs *pairs, struct pool *pool, uint32_t removed);

/* Positions of the closest two clusters of one class, *EARLIER < *LATER, and what merging them
 * costs; false if no two clusters are of one class. */
bool pairs_closest(const struct pairs *pairs, struct pool *pool, uint32_t *earlier,
                   uint32_t *later, double *cost);

/* The same without a matrix, for which there is no memory: computes all costs. */
bool pairs_search(struct pool *pool, const struct scaling *scaling, uint32_t *earlier,
                  uint32_t *later);

/* Gives the matrix back. */
void pairs_stop(struct pairs *pairs, struct account *account);

#endif
