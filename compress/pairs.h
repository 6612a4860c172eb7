/*
 * The closest pair of clusters, from a matrix of the costs (cost.h) of merging two clusters of
 * the same class.
 *
 * For clustering.c only.  A cost stays as it was computed, with the weights of that time, until
 * one of the two clusters changes (section 4.1.3) or pairs_compute is called.  Every cluster
 * remembers which one was closest when it changed itself; of each pair so the one that changed
 * last knows, and finding the closest pair is one pass over the clusters.  If what was closest
 * goes away or moves off, its cost remains as a lower bound, and the next closest is not
 * searched for before that matters.  Likewise a cost that is too high to matter is not computed
 * to the end, but remains a bound, and is computed once it might matter.  Of equally close
 * pairs the one whose clusters come first in the pool wins: by the earlier cluster, then by the
 * later.
 */
#ifndef TSPROF_PAIRS_H
#define TSPROF_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "compress/account.h"
#include "compress/pool.h"
#include "compress/scaling.h"

/*
 * All zeros is a valid state: no matrix.  It is a triangle: the row of a slot has the costs
 * with all lower slots in use, infinite for pairs that cannot be merged, and a bound with a
 * negative sign of those not computed to the end (cost.h).  Rows are taken one by one.
 */
struct pairs {
    float **rows;    /* by slot */
    uint32_t slots;  /* that there are rows for */
    uint32_t listed; /* that `rows` has room for */
    uint32_t built;  /* while the matrix is being built: clusters of the pool that are in it */
    bool building;
    const struct account *account; /* the owner's: by it there are pauses */
};

/*
 * Begins a matrix of the clusters in the pool; pairs_build has to follow.  False, with no
 * matrix, if out of memory.
 */
bool pairs_start(struct pairs *pairs, struct account *account, struct pool *pool);

/*
 * Goes on building the matrix until all clusters are in it or so many COSTS have been computed.
 * Until then clusters may be appended, but not changed, and weights must stay.  False if out of
 * memory, with the matrix gone.
 */
bool pairs_build(struct pairs *pairs, struct account *account, struct pool *pool,
                 struct scaling *scaling, uint64_t costs);

/* Makes room for SLOT in a matrix; false, with nothing changed, if out of memory. */
bool pairs_reserve(struct pairs *pairs, struct account *account, uint32_t slot);

/*
 * Whether there is a matrix that is built.  The functions below need one, except pairs_search,
 * pairs_pause and pairs_stop.
 */
bool pairs_active(const struct pairs *pairs);

/* Computes all costs anew, after classes or weights have changed. */
void pairs_compute(struct pairs *pairs, struct pool *pool, struct scaling *scaling);

/*
 * Computes the costs of the cluster at POSITION, which is new or has changed.  REMOVED is the
 * slot of a cluster that was merged into it, or NO_SLOT.
 */
void pairs_update(struct pairs *pairs, struct pool *pool, struct scaling *scaling,
                  uint32_t position, uint32_t removed);

/* To be called when the cluster in slot REMOVED was dropped without being merged. */
void pairs_forget(struct pairs *pairs, struct pool *pool, uint32_t removed);

/*
 * Finds the positions of the closest two clusters of one class, *EARLIER < *LATER, and the cost
 * of merging them; false if no two clusters are of one class.
 */
bool pairs_closest(const struct pairs *pairs, struct pool *pool, const struct scaling *scaling,
                   uint32_t *earlier, uint32_t *later, double *cost);

/*
 * Finds the closest two clusters without a matrix, by computing all costs: for when memory has
 * run out.
 */
bool pairs_search(const struct pairs *pairs, struct pool *pool, struct scaling *scaling,
                  uint32_t *earlier, uint32_t *later);

/* Lets the owner do something else meanwhile, in computations that take long. */
void pairs_pause(const struct pairs *pairs);

/* Frees the matrix. */
void pairs_stop(struct pairs *pairs, struct account *account);

#endif
