/* The matrix of costs and the closest pair.  See pairs.h. */
#include "compress/pairs.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "compress/cost.h"

static size_t matrix_bytes(uint32_t slots)
{
    return (size_t)slots * slots * sizeof(float);
}

static float *row_of(const struct pairs *pairs, uint32_t slot)
{
    return pairs->costs + (size_t)slot * pairs->slots;
}

void pairs_pause(const struct pairs *pairs)
{
    if (pairs->pause)
        pairs->pause(pairs->pause_context);
}

/* In computations that take a nanosecond or ten for each slot, after this many. */
enum { PAUSE_SLOTS = 128 };

static void fill(float *costs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        costs[i] = INFINITY;
}

/* Whether slot A's cluster is to be preferred to slot B's as the closest, at equal costs. */
static bool is_earlier(const struct pool *pool, uint32_t a, uint32_t b)
{
    return b == NO_SLOT || pool->clusters[a].first < pool->clusters[b].first;
}

/* The number of costs that are compared in one vector operation. */
enum { BLOCK = 16 };

static float least_of(const float *costs, uint32_t count)
{
    float least = INFINITY;
    for (uint32_t i = 0; i < count; i++)
        least = costs[i] < least ? costs[i] : least;
    return least;
}

/* Among equally close ones the one that comes first in the pool. */
static void find_nearest(const struct pairs *pairs, struct pool *pool, uint32_t slot)
{
    struct cluster *cluster = &pool->clusters[slot];
    const float *row = row_of(pairs, slot);
    uint32_t from = 0, to = 0; /* all of the closest are in this range */
    cluster->stale = false;
    cluster->nearest = NO_SLOT;
    cluster->nearest_cost = INFINITY;
    for (uint32_t i = 0; i < pairs->slots; i += BLOCK) {
        uint32_t count = pairs->slots - i < BLOCK ? pairs->slots - i : BLOCK;
        float least = least_of(row + i, count);
        if (least < cluster->nearest_cost)
            from = i;
        if (least <= cluster->nearest_cost && least < INFINITY) {
            cluster->nearest_cost = least;
            to = i + count;
        }
    }
    for (uint32_t other = from; other < to; other++)
        if (row[other] == cluster->nearest_cost && is_earlier(pool, other, cluster->nearest))
            cluster->nearest = other;
}

/* The cost of merging the clusters in CHANGED and SLOT; SIDE is that of CHANGED. */
static inline float cost_between(const struct pool *pool, const struct scaling *scaling,
                                 uint32_t changed, const struct cost_side *side, uint32_t slot)
{
    if (slot == changed || pool->clusters[slot].class_id != pool->clusters[changed].class_id)
        return INFINITY;
    const struct cost_side other = pool_side(pool, slot);
    return cost_of_merging(scaling, side, &other);
}

/* Computes the costs of the cluster at position P with all before it. */
static void compute_before(struct pairs *pairs, const struct pool *pool,
                           const struct scaling *scaling, uint32_t p)
{
    const uint32_t slot = pool->order[p];
    const struct cost_side side = pool_side(pool, slot);
    for (uint32_t q = 0; q < p; q++) {
        const uint32_t other = pool->order[q];
        row_of(pairs, slot)[other] = row_of(pairs, other)[slot] =
            cost_between(pool, scaling, slot, &side, other);
        if (q % PAUSE_SLOTS == 0)
            pairs_pause(pairs);
    }
}

void pairs_compute(struct pairs *pairs, struct pool *pool, const struct scaling *scaling)
{
    for (uint32_t slot = 0; slot < pairs->slots; slot++) {
        fill(row_of(pairs, slot), pairs->slots);
        pairs_pause(pairs);
    }
    for (uint32_t p = 0; p < pool->count; p++) {
        pool_place(pool, scaling, pool->order[p]);
        pairs_pause(pairs);
    }
    for (uint32_t p = 0; p < pool->count; p++)
        compute_before(pairs, pool, scaling, p);
    for (uint32_t p = 0; p < pool->count; p++) {
        find_nearest(pairs, pool, pool->order[p]);
        pairs_pause(pairs);
    }
}

static void erase(struct pairs *pairs, uint32_t removed)
{
    fill(row_of(pairs, removed), pairs->slots);
    for (uint32_t slot = 0; slot < pairs->slots; slot++)
        row_of(pairs, slot)[removed] = INFINITY;
    pairs_pause(pairs);
}

/* Updates the closest cluster of SLOT: merging it with CHANGED now costs COST. */
static void note_change(struct pool *pool, uint32_t slot, uint32_t changed, uint32_t removed,
                        float cost)
{
    struct cluster *cluster = &pool->clusters[slot];
    if (cost < cluster->nearest_cost) {
        cluster->nearest = changed;
        cluster->nearest_cost = cost;
        cluster->stale = false;
    } else if (cluster->nearest == changed || cluster->nearest == removed) {
        cluster->stale = cluster->nearest_cost < INFINITY;
    } else if (cost == cluster->nearest_cost && !cluster->stale && cost < INFINITY &&
               is_earlier(pool, changed, cluster->nearest)) {
        cluster->nearest = changed;
    }
}

void pairs_update(struct pairs *pairs, struct pool *pool, const struct scaling *scaling,
                  uint32_t position, uint32_t removed)
{
    uint32_t changed = pool->order[position];
    float *row = row_of(pairs, changed);
    if (removed != NO_SLOT)
        erase(pairs, removed);
    pool_place(pool, scaling, changed);
    const struct cost_side side = pool_side(pool, changed);
    for (uint32_t p = 0; p < pool->count; p++) {
        uint32_t slot = pool->order[p];
        row[slot] = row_of(pairs, slot)[changed] =
            cost_between(pool, scaling, changed, &side, slot);
        if (p % PAUSE_SLOTS == 0)
            pairs_pause(pairs);
    }
    find_nearest(pairs, pool, changed);
    for (uint32_t p = 0; p < pool->count; p++)
        if (pool->order[p] != changed)
            note_change(pool, pool->order[p], changed, removed, row[pool->order[p]]);
}

void pairs_forget(struct pairs *pairs, struct pool *pool, uint32_t removed)
{
    erase(pairs, removed);
    for (uint32_t p = 0; p < pool->count; p++)
        if (pool_at(pool, p)->nearest == removed)
            pool_at(pool, p)->stale = true;
}

/*
 * The position of the first cluster whose closest other one costs least; NO_SLOT if there is
 * none.
 */
static uint32_t find_closest(const struct pool *pool)
{
    float closest = INFINITY;
    uint32_t best = NO_SLOT;
    for (uint32_t p = 0; p < pool->count; p++)
        if (pool_at(pool, p)->nearest_cost < closest) {
            closest = pool_at(pool, p)->nearest_cost;
            best = p;
        }
    return best;
}

bool pairs_closest(const struct pairs *pairs, struct pool *pool, uint32_t *earlier,
                   uint32_t *later, double *cost)
{
    uint32_t best;
    while ((best = find_closest(pool)) != NO_SLOT && pool_at(pool, best)->stale) {
        find_nearest(pairs, pool, pool->order[best]);
        pairs_pause(pairs);
    }
    if (best == NO_SLOT)
        return false;
    *cost = (double)pool_at(pool, best)->nearest_cost;
    *earlier = best;
    *later = pool_position(pool, pool_at(pool, best)->nearest);
    return true;
}

bool pairs_search(struct pool *pool, const struct scaling *scaling, uint32_t *earlier,
                  uint32_t *later)
{
    float closest = INFINITY;
    for (uint32_t p = 0; p < pool->count; p++)
        pool_place(pool, scaling, pool->order[p]);
    for (uint32_t p = 0; p < pool->count; p++) {
        const struct cost_side side = pool_side(pool, pool->order[p]);
        for (uint32_t q = p + 1; q < pool->count; q++) {
            float cost = cost_between(pool, scaling, pool->order[p], &side, pool->order[q]);
            if (cost < closest) {
                closest = cost;
                *earlier = p;
                *later = q;
            }
        }
    }
    return closest < INFINITY;
}

bool pairs_start(struct pairs *pairs, struct account *account, struct pool *pool,
                 const struct scaling *scaling, uint32_t slots)
{
    pairs->costs = account_take(account, matrix_bytes(slots));
    if (!pairs->costs)
        return false;
    pairs->slots = slots;
    pairs_compute(pairs, pool, scaling);
    return true;
}

bool pairs_grow(struct pairs *pairs, struct account *account, uint32_t slots)
{
    if (slots <= pairs->slots)
        return true;
    struct pairs larger = *pairs;
    larger.slots = slots;
    larger.costs = account_take(account, matrix_bytes(slots));
    if (!larger.costs)
        return false;
    for (uint32_t slot = 0; slot < slots; slot++) {
        fill(row_of(&larger, slot), slots);
        if (slot < pairs->slots)
            memcpy(row_of(&larger, slot), row_of(pairs, slot), pairs->slots * sizeof(float));
        pairs_pause(pairs);
    }
    pairs_stop(pairs, account);
    *pairs = larger;
    return true;
}

bool pairs_active(const struct pairs *pairs)
{
    return pairs->costs != NULL;
}

void pairs_stop(struct pairs *pairs, struct account *account)
{
    account_give_back(account, pairs->costs, matrix_bytes(pairs->slots));
    pairs->costs = NULL;
    pairs->slots = 0;
}
