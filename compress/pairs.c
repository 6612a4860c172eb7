/* The matrix of costs and the closest pair.  See pairs.h. */
#include "compress/pairs.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "compress/cost.h"

enum { FIRST_LISTED = 64 };

static size_t row_bytes(uint32_t slot)
{
    return slot * sizeof(float);
}

/* Where the cost of merging the clusters in slots A and B is. */
static float *cost_at(const struct pairs *pairs, uint32_t a, uint32_t b)
{
    return a > b ? &pairs->rows[a][b] : &pairs->rows[b][a];
}

void pairs_pause(const struct pairs *pairs)
{
    if (pairs->pause)
        pairs->pause(pairs->pause_context);
}

/*
 * Pauses come after so many slots in computations that take a nanosecond or ten for each, more
 * when their data has left the caches, and after so many points that were computed.
 */
enum { PAUSE_SLOTS = 128, PLACED_AT_ONCE = 16 };

/* Pauses now and then in a loop over slots or positions that has come to AT. */
static inline void pause_at(const struct pairs *pairs, uint32_t at)
{
    if (at % PAUSE_SLOTS == PAUSE_SLOTS - 1)
        pairs_pause(pairs);
}

static void fill(float *costs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        costs[i] = INFINITY;
}

/* Whether slot A's cluster is to be preferred to slot B's as the closest, at equal costs. */
static bool is_earlier(const struct pool *pool, uint32_t a, uint32_t b)
{
    return b == NO_SLOT || pool_cluster(pool, a)->first < pool_cluster(pool, b)->first;
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

/* Finds the closest cluster among the slots below SLOT. */
static void find_nearest_below(const struct pairs *pairs, const struct pool *pool,
                               uint32_t slot, struct cluster *cluster)
{
    const float *row = pairs->rows[slot];
    uint32_t from = 0, to = 0; /* all of the closest are in this range */
    for (uint32_t i = 0; i < slot; i += BLOCK) {
        uint32_t count = slot - i < BLOCK ? slot - i : BLOCK;
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

/* Among equally close ones the one that comes first in the pool. */
static void find_nearest(const struct pairs *pairs, struct pool *pool, uint32_t slot)
{
    struct cluster *cluster = pool_cluster(pool, slot);
    cluster->stale = false;
    cluster->nearest = NO_SLOT;
    cluster->nearest_cost = INFINITY;
    find_nearest_below(pairs, pool, slot, cluster);
    for (uint32_t other = slot + 1; other < pairs->slots; other++) {
        const float cost = pairs->rows[other][slot];
        pause_at(pairs, other);
        if (cost > cluster->nearest_cost || cost == INFINITY)
            continue;
        if (cost < cluster->nearest_cost || is_earlier(pool, other, cluster->nearest))
            cluster->nearest = other;
        cluster->nearest_cost = cost;
    }
}

/* The cost of merging the clusters in CHANGED and SLOT; SIDE is that of CHANGED. */
static inline float cost_between(const struct pool *pool, const struct scaling *scaling,
                                 uint32_t changed, const struct cost_side *side, uint32_t slot)
{
    if (slot == changed ||
        pool_cluster(pool, slot)->class_id != pool_cluster(pool, changed)->class_id)
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
        *cost_at(pairs, slot, other) = cost_between(pool, scaling, slot, &side, other);
        if (q % PAUSE_SLOTS == 0)
            pairs_pause(pairs);
    }
}

void pairs_compute(struct pairs *pairs, struct pool *pool, struct scaling *scaling)
{
    for (uint32_t p = 0; p < pool->count; p++) {
        pool_place(pool, scaling, pool->order[p], scaling->now);
        if (p % PLACED_AT_ONCE == 0)
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
    fill(pairs->rows[removed], removed);
    for (uint32_t slot = removed + 1; slot < pairs->slots; slot++) {
        pairs->rows[slot][removed] = INFINITY;
        pause_at(pairs, slot);
    }
    pairs_pause(pairs);
}

/* Updates the closest cluster of SLOT: merging it with CHANGED now costs COST. */
static void note_change(struct pool *pool, uint32_t slot, uint32_t changed, uint32_t removed,
                        float cost)
{
    struct cluster *cluster = pool_cluster(pool, slot);
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

/*
 * Computes the costs of the cluster at POSITION with the first COUNT of the pool, and what
 * follows for the closest clusters: in one pass, since most of the time is spent waiting for
 * memory.  The pool's order decides between equally close ones.
 */
static void update(struct pairs *pairs, struct pool *pool, const struct scaling *scaling,
                   uint32_t position, uint32_t removed, uint32_t count)
{
    const uint32_t changed = pool->order[position];
    const struct cost_side side = pool_side(pool, changed);
    struct cluster *cluster = pool_cluster(pool, changed);
    cluster->stale = false;
    cluster->nearest = NO_SLOT;
    cluster->nearest_cost = INFINITY;
    for (uint32_t p = 0; p < count; p++) {
        const uint32_t slot = pool->order[p];
        if (p % PAUSE_SLOTS == 0)
            pairs_pause(pairs);
        if (p == position)
            continue;
        const float cost = cost_between(pool, scaling, changed, &side, slot);
        *cost_at(pairs, changed, slot) = cost;
        note_change(pool, slot, changed, removed, cost);
        if (cost < cluster->nearest_cost) {
            cluster->nearest = slot;
            cluster->nearest_cost = cost;
        }
    }
}

void pairs_update(struct pairs *pairs, struct pool *pool, struct scaling *scaling,
                  uint32_t position, uint32_t removed)
{
    if (removed != NO_SLOT)
        erase(pairs, removed);
    pool_place(pool, scaling, pool->order[position], scaling->now);
    update(pairs, pool, scaling, position, removed, pool->count);
}

void pairs_forget(struct pairs *pairs, struct pool *pool, uint32_t removed)
{
    erase(pairs, removed);
    for (uint32_t p = 0; p < pool->count; p++) {
        if (pool_at(pool, p)->nearest == removed)
            pool_at(pool, p)->stale = true;
        pause_at(pairs, p);
    }
}

/*
 * The position of the first cluster whose closest other one costs least; NO_SLOT if there is
 * none.
 */
static uint32_t find_closest(const struct pairs *pairs, const struct pool *pool)
{
    float closest = INFINITY;
    uint32_t best = NO_SLOT;
    for (uint32_t p = 0; p < pool->count; p++) {
        if (pool_at(pool, p)->nearest_cost < closest) {
            closest = pool_at(pool, p)->nearest_cost;
            best = p;
        }
        pause_at(pairs, p);
    }
    return best;
}

bool pairs_closest(const struct pairs *pairs, struct pool *pool, uint32_t *earlier,
                   uint32_t *later, double *cost)
{
    uint32_t best;
    while ((best = find_closest(pairs, pool)) != NO_SLOT && pool_at(pool, best)->stale) {
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

bool pairs_search(const struct pairs *pairs, struct pool *pool, struct scaling *scaling,
                  uint32_t *earlier, uint32_t *later)
{
    float closest = INFINITY;
    for (uint32_t p = 0; p < pool->count; p++)
        pool_place(pool, scaling, pool->order[p], scaling->now);
    for (uint32_t p = 0; p < pool->count; p++) {
        pairs_pause(pairs);
        const struct cost_side side = pool_side(pool, pool->order[p]);
        for (uint32_t q = p + 1; q < pool->count; q++) {
            float cost = cost_between(pool, scaling, pool->order[p], &side, pool->order[q]);
            if (cost < closest) {
                closest = cost;
                *earlier = p;
                *later = q;
            }
            pause_at(pairs, q);
        }
    }
    return closest < INFINITY;
}

static size_t list_bytes(uint32_t listed)
{
    return listed * sizeof(float *);
}

static bool grow_list(struct pairs *pairs, struct account *account)
{
    uint32_t listed = pairs->listed ? pairs->listed * 2 : FIRST_LISTED;
    float **rows = account_take(account, list_bytes(listed));
    if (!rows)
        return false;
    if (pairs->slots > 0)
        memcpy(rows, pairs->rows, list_bytes(pairs->slots));
    account_give_back(account, pairs->rows, list_bytes(pairs->listed));
    pairs->rows = rows;
    pairs->listed = listed;
    return true;
}

bool pairs_reserve(struct pairs *pairs, struct account *account, uint32_t slot)
{
    while (pairs->slots <= slot) {
        uint32_t next = pairs->slots;
        if (next == pairs->listed && !grow_list(pairs, account))
            return false;
        /* The first row is empty, but has an address. */
        float *row = account_take(account, row_bytes(next ? next : 1));
        if (!row)
            return false;
        fill(row, next);
        pairs->rows[next] = row;
        pairs->slots++;
    }
    return true;
}

bool pairs_start(struct pairs *pairs, struct account *account, struct pool *pool)
{
    pairs->building = true;
    pairs->built = 0;
    for (uint32_t p = 0; p < pool->count; p++) {
        pool_at(pool, p)->nearest = NO_SLOT;
        pool_at(pool, p)->nearest_cost = INFINITY;
        pool_at(pool, p)->stale = false;
        pause_at(pairs, p);
    }
    if (pairs_reserve(pairs, account, 0))
        return true;
    pairs_stop(pairs, account);
    return false;
}

bool pairs_build(struct pairs *pairs, struct account *account, struct pool *pool,
                 struct scaling *scaling, uint64_t costs)
{
    uint64_t computed = 0;
    while (pairs->built < pool->count && computed < costs) {
        const uint32_t position = pairs->built++, slot = pool->order[position];
        if (!pairs_reserve(pairs, account, slot)) {
            pairs_stop(pairs, account);
            return false;
        }
        pool_place(pool, scaling, slot, scaling->now);
        update(pairs, pool, scaling, position, NO_SLOT, position);
        computed += position + 1;
    }
    pairs->building = pairs->built < pool->count;
    return true;
}

bool pairs_active(const struct pairs *pairs)
{
    return pairs->rows && !pairs->building;
}

void pairs_stop(struct pairs *pairs, struct account *account)
{
    for (uint32_t slot = 0; slot < pairs->slots; slot++)
        account_give_back(account, pairs->rows[slot], row_bytes(slot ? slot : 1));
    account_give_back(account, pairs->rows, list_bytes(pairs->listed));
    *pairs = (struct pairs){.pause = pairs->pause, .pause_context = pairs->pause_context};
}
