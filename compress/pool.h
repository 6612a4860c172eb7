/*
 * The clusters: a table of slots, and the order of those in use.
 *
 * For files in compress only.  A cluster keeps its slot from beginning to end, so that the cost
 * matrix and the map from iterations may refer to it.  Its position among the others, in the
 * order of their first iterations, changes when an earlier one is merged away.
 *
 * One block of memory holds everything but the profiles:
 *
 *     clusters[capacity] | means[capacity] rows | spreads[capacity], shorter rows |
 *     points[capacity] rows of floats | order[capacity]
 *
 * The spread of a value is the sum over the members of its squared deviation from the mean.
 * Values of the sketch have none, since nothing uses it.
 */
#ifndef TSPROF_POOL_H
#define TSPROF_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compress/account.h"
#include "compress/cost.h"
#include "compress/sparse.h"

#define NO_SLOT UINT32_MAX

struct cluster {
    struct sparse profile; /* sum over members */
    int64_t wall_ns;       /* sum over members */
    uint32_t size;         /* iterations in it */
    uint32_t class_id;
    uint32_t first;     /* its first iteration */
    uint32_t label;     /* its label in the map (itermap.h) */
    uint32_t nearest;   /* slot of the closest other cluster of its class, or NO_SLOT */
    bool stale;         /* nearest is not known; it costs at least nearest_cost */
    float nearest_cost; /* cost of merging with nearest; infinite if there is none */
    double candidate;   /* distance to an iteration that has to be absorbed */
};

/* All zeros but for the lengths is a valid empty pool. */
struct pool {
    size_t row_length;
    size_t spread_length; /* values at the start of a row that have a spread */
    size_t point_length;  /* 0: the method needs no points */
    uint32_t capacity;
    uint32_t count;
    struct cluster *clusters; /* by slot; start of the block */
    double *means;            /* of the condensed values over the members, by slot */
    double *spreads;          /* of the condensed values around their means, by slot */
    float *points;            /* the means as the adaptive method compares them, by slot */
    uint32_t *order;          /* slots: the first COUNT in use, by first iteration; then free */
};

/* The cluster at POSITION, from 0 to count-1. */
static inline struct cluster *pool_at(const struct pool *pool, uint32_t position)
{
    return &pool->clusters[pool->order[position]];
}

static inline const double *pool_mean(const struct pool *pool, uint32_t slot)
{
    return pool->means + slot * pool->row_length;
}

static inline const double *pool_spread(const struct pool *pool, uint32_t slot)
{
    return pool->spreads + slot * pool->spread_length;
}

static inline const float *pool_point(const struct pool *pool, uint32_t slot)
{
    return pool->points + slot * pool->point_length;
}

/* The cluster in SLOT as the cost functions take it. */
static inline struct cost_side pool_side(const struct pool *pool, uint32_t slot)
{
    const struct cluster *cluster = &pool->clusters[slot];
    return (struct cost_side){pool_mean(pool, slot), pool_point(pool, slot), cluster->size};
}

/*
 * Appends a cluster of the one iteration FIRST, with its condensed row and a copy of its
 * profile, and returns its slot; NO_SLOT if out of memory.  LIMIT is the likely number of
 * clusters, a hint for growing.
 */
uint32_t pool_append(struct pool *pool, struct account *account, uint32_t limit,
                     const struct iteration_profile *profile, const double *row, uint32_t first,
                     uint32_t class_id);

/*
 * Adds an iteration to the cluster at POSITION: profile, condensed row and duration.  False,
 * with nothing changed, if out of memory.
 */
bool pool_add(struct pool *pool, struct account *account, uint32_t position,
              const struct iteration_profile *profile, const double *row);

/*
 * Merges the cluster at position LATER into that at EARLIER, and removes it; false, with
 * nothing changed, if out of memory.  The caller has to merge the labels.
 */
bool pool_merge(struct pool *pool, struct account *account, uint32_t earlier, uint32_t later);

/* Removes the cluster at POSITION. */
void pool_remove(struct pool *pool, struct account *account, uint32_t position);

/* The position of the cluster in SLOT, which is in use. */
uint32_t pool_position(const struct pool *pool, uint32_t slot);

/* Computes the point of SLOT from its mean, after the mean or the weights have changed. */
void pool_place(struct pool *pool, const struct scaling *scaling, uint32_t slot);

/* Gives all memory back. */
void pool_clear(struct pool *pool, struct account *account);

#endif
