/*
 * The clusters: a table of slots, and the order of those in use.
 *
 * For files in compress only.  A cluster keeps its slot from beginning to end, so that the cost
 * matrix and the map from iterations may refer to it.  Its position among the others, in the
 * order of their first iterations, changes when an earlier one is merged away.
 *
 * Clusters are in blocks of some, which are taken as they are needed and stay where they are,
 * so that one more cluster never takes long.  A block holds everything but the profiles:
 *
 *     clusters[] | means[] rows | spreads[] rows | points[2][], floats
 *
 * The spread of a value is the sum over the members of its squared deviation from the mean.
 * There are two points for each cluster, by the two sets of weights that there may be.
 */
#ifndef TSPROF_POOL_H
#define TSPROF_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compress/account.h"
#include "compress/cost.h"
#include "compress/presence.h"
#include "compress/sparse.h"

#define NO_SLOT UINT32_MAX

struct cluster {
    struct sparse profile; /* sum over members */
    struct presence presence;
    int64_t wall_ns; /* sum over members */
    uint32_t size;   /* iterations in it; 0: the slot is free */
    uint32_t class_id;
    uint32_t first;     /* its first iteration */
    uint32_t label;     /* its label in the map (itermap.h) */
    uint32_t nearest;   /* slot of the closest of its class when it changed last, or NO_SLOT */
    bool stale;         /* nearest is not known; it costs at least nearest_cost */
    float nearest_cost; /* cost of merging with nearest; infinite if there is none */
    double candidate;   /* distance to an iteration that has to be absorbed */
};

enum { POOL_BLOCK = 8 /* clusters */ };

/* All zeros but for the lengths is a valid empty pool. */
struct pool {
    size_t row_length;
    size_t point_length; /* 0: the method needs no points */
    unsigned now;        /* the points that are compared: those of the weights in force */
    uint32_t capacity;   /* slots that there are blocks for */
    uint32_t listed;     /* slots that `blocks` and `order` have room for */
    uint32_t count;
    struct cluster **blocks;
    uint32_t *order; /* slots: the first COUNT in use, by first iteration; then free ones */
};

static inline struct cluster *pool_cluster(const struct pool *pool, uint32_t slot)
{
    return &pool->blocks[slot / POOL_BLOCK][slot % POOL_BLOCK];
}

/* The cluster at POSITION, from 0 to count-1. */
static inline struct cluster *pool_at(const struct pool *pool, uint32_t position)
{
    return pool_cluster(pool, pool->order[position]);
}

static inline double *pool_row(const struct pool *pool, uint32_t slot, unsigned kind)
{
    double *rows = (double *)(pool->blocks[slot / POOL_BLOCK] + POOL_BLOCK);
    return rows + (kind * POOL_BLOCK + slot % POOL_BLOCK) * pool->row_length;
}

static inline const double *pool_mean(const struct pool *pool, uint32_t slot)
{
    return pool_row(pool, slot, 0);
}

static inline const double *pool_spread(const struct pool *pool, uint32_t slot)
{
    return pool_row(pool, slot, 1);
}

static inline float *pool_point_of(const struct pool *pool, uint32_t slot, unsigned set)
{
    float *points = (float *)((double *)(pool->blocks[slot / POOL_BLOCK] + POOL_BLOCK) +
                              2 * POOL_BLOCK * pool->row_length);
    return points + (set * POOL_BLOCK + slot % POOL_BLOCK) * pool->point_length;
}

static inline const float *pool_point(const struct pool *pool, uint32_t slot)
{
    return pool_point_of(pool, slot, pool->now);
}

/* The cluster in SLOT as the cost functions take it. */
static inline struct cost_side pool_side(const struct pool *pool, uint32_t slot)
{
    const struct cluster *cluster = pool_cluster(pool, slot);
    return (struct cost_side){pool_mean(pool, slot), pool_point(pool, slot), cluster->size};
}

/*
 * Appends a cluster of the one iteration FIRST, with its condensed row and a copy of its
 * profile, and returns its slot; NO_SLOT if out of memory.  (Where only memory for presence is
 * missing that becomes unknown; likewise below.)
 */
uint32_t pool_append(struct pool *pool, struct account *account,
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

/* The bytes of a pool with a cluster or a few, without their profiles. */
size_t pool_least_bytes(const struct pool *pool);

/* The position of the cluster in SLOT, which is in use. */
uint32_t pool_position(const struct pool *pool, uint32_t slot);

/* Computes the point of SLOT for a set of weights, after the cluster or these have changed. */
void pool_place(struct pool *pool, struct scaling *scaling, uint32_t slot, unsigned set);

/* Gives all memory back. */
void pool_clear(struct pool *pool, struct account *account);

#endif
