/*
 * The clusters themselves: a table of slots, and the order of those that are in use.
 *
 * For files in compress only.  A cluster keeps its slot from beginning to end, so that the
 * distance matrix and the map from iterations may refer to it; its position among the others,
 * in the order of their first iterations, changes when an earlier one is merged away.
 *
 * One block of memory holds everything but the profiles:
 *
 *     clusters[capacity] | means[capacity] rows | spreads[capacity], shorter rows |
 *     points[capacity] rows of floats | order[capacity]
 *
 * The spread of a value is the sum over the members of the square of its deviation from the
 * mean.  Of the values in a sketch nobody wants to know it.
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
    uint32_t label;     /* in the map from iterations, see itermap.h */
    uint32_t nearest;   /* slot of the closest other cluster of its class, or NO_SLOT */
    bool stale;         /* nearest is not known, and costs at least nearest_cost */
    float nearest_cost; /* of merging with it; infinite if there is none */
    double candidate;   /* distance to an iteration in search of a cluster */
};

/* All zeroes but for the lengths is a valid empty pool. */
struct pool {
    size_t row_length;
    size_t spread_length; /* the first of a row's values, those that have a spread */
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

/* The cluster in SLOT as costs see it. */
static inline struct cost_side pool_side(const struct pool *pool, uint32_t slot)
{
    const struct cluster *cluster = &pool->clusters[slot];
    return (struct cost_side){pool_mean(pool, slot), pool_point(pool, slot), cluster->size};
}

/* Appends a cluster with the one iteration FIRST, its condensed row and a copy of its profile,
 * and returns its slot; NO_SLOT if memory is out.  LIMIT is the number of clusters that are
 * likely to suffice, a hint for growing. */
uint32_t pool_append(struct pool *pool, struct account *account, uint32_t limit,
                     const struct iteration_profile *profile, const double *row, uint32_t first,
                     uint32_t class_id);

/* Adds an iteration to the cluster at POSITION: its profile, condensed row and duration; false,
 * and nothing changed, if memory is out. */
bool pool_add(struct pool *pool, struct account *account, uint32_t position,
              const struct iteration_profile *profile, const double *row);

/* Adds the cluster at position LATER to that at EARLIER and removes it; false, and nothing
 * changed, if memory is out.  Labels are the caller's matter. */
bool pool_merge(struct pool *pool, struct account *account, uint32_t earlier, uint32_t later);

/* Removes the cluster at POSITION. */
void pool_remove(struct pool *pool, struct account *account, uint32_t position);

/* The position of the cluster in SLOT, which is in use. */
uint32_t pool_position(const struct pool *pool, uint32_t slot);

/* Makes the point of SLOT from its mean, which has changed, or the weights have. */
void pool_place(struct pool *pool, const struct scaling *scaling, uint32_t slot);

/* Gives all memory back. */
void pool_clear(struct pool *pool, struct account *account);

#endif
