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
    account_pause(pairs->account);
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

/*
 * The cluster in SLOT, whose costs are to be computed, and what they depend on that is the same
 * for all of them: pauses in between would have it read again for each.
 */
struct one {
    const struct pool *pool;
    const struct scaling *scaling;
    struct cost_side side;
    size_t totals_length, point_length;
    double size_share;
    uint32_t slot, class_id;
    bool published; /* by the published method */
};

static struct one one_of(const struct pool *pool, const struct scaling *scaling, uint32_t slot)
{
    const struct weights *weights = scaling_weights(scaling);
    return (struct one){.pool = pool,
                        .scaling = scaling,
                        .side = pool_side(pool, slot),
                        .totals_length = weights->totals_length,
                        .point_length = weights->point_length,
                        .size_share = scaling->size_share,
                        .published = scaling->method == CLUSTERING_SZEBENYI,
                        .slot = slot,
                        .class_id = pool_cluster(pool, slot)->class_id};
}

/*
 * The cost of merging ONE and another cluster, which is in SLOT, or a bound of it if it exceeds
 * LIMIT.
 */
static inline __attribute__((always_inline)) float
cost_between(const struct one *one, const struct cluster *other, uint32_t slot, float limit)
{
    if (other->class_id != one->class_id)
        return INFINITY;
    if (one->published) {
        const struct cost_side side = pool_side(one->pool, slot);
        return cost_of_merging(one->scaling, &one->side, &side);
    }
    return cost_up_to(one->totals_length, one->point_length, one->side.point,
                      pool_point(one->pool, slot),
                      cost_size_term(one->size_share, one->side.size, other->size), limit);
}

/* A cluster whose closest other one is to be found among those that costs are computed with. */
static void forget_nearest(struct cluster *cluster)
{
    cluster->stale = false;
    cluster->nearest = NO_SLOT;
    cluster->nearest_cost = INFINITY;
}

/*
 * Finds the closest cluster of that at POSITION: among equally close ones the one that comes
 * first in the pool.  Costs of which only a bound is known are computed where that is too low.
 */
static void find_nearest(const struct pairs *pairs, struct pool *pool,
                         const struct scaling *scaling, uint32_t position)
{
    const uint32_t slot = pool->order[position];
    const struct one one = one_of(pool, scaling, slot);
    struct cluster *cluster = pool_cluster(pool, slot);
    forget_nearest(cluster);
    for (uint32_t p = 0; p < pool->count; p++) {
        pause_at(pairs, p);
        if (p == position)
            continue;
        const uint32_t other = pool->order[p];
        float *cost = cost_at(pairs, slot, other);
        if (fabsf(*cost) >= cluster->nearest_cost)
            continue;
        if (*cost < 0)
            *cost = cost_between(&one, pool_cluster(pool, other), other, cluster->nearest_cost);
        if (fabsf(*cost) < cluster->nearest_cost) {
            cluster->nearest = other;
            cluster->nearest_cost = *cost;
        }
    }
}

/*
 * Computes the costs of the cluster at POSITION with the first COUNT of the pool, and which of
 * them is closest.  The others need not know how close it is now, only that what was closest to
 * them is not any more.  Of a cost that is above that of the closest a bound will do.  The
 * pool's order decides between equally close ones.
 */
static void update(struct pairs *pairs, struct pool *pool, const struct scaling *scaling,
                   uint32_t position, uint32_t removed, uint32_t count)
{
    const uint32_t changed = pool->order[position];
    const struct one one = one_of(pool, scaling, changed);
    struct cluster *cluster = pool_cluster(pool, changed);
    forget_nearest(cluster);
    for (uint32_t p = 0; p < count; p++) {
        if (p % PAUSE_SLOTS == 0)
            pairs_pause(pairs);
        if (p == position)
            continue;
        const uint32_t slot = pool->order[p];
        struct cluster *other = pool_cluster(pool, slot);
        const float cost = cost_between(&one, other, slot, cluster->nearest_cost);
        *cost_at(pairs, changed, slot) = cost;
        if (other->nearest == changed || other->nearest == removed)
            other->stale = other->nearest_cost < INFINITY;
        if (fabsf(cost) < cluster->nearest_cost) {
            cluster->nearest = slot;
            cluster->nearest_cost = cost;
        }
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
        update(pairs, pool, scaling, p, NO_SLOT, p);
}

void pairs_update(struct pairs *pairs, struct pool *pool, struct scaling *scaling,
                  uint32_t position, uint32_t removed)
{
    pool_place(pool, scaling, pool->order[position], scaling->now);
    update(pairs, pool, scaling, position, removed, pool->count);
}

void pairs_forget(struct pairs *pairs, struct pool *pool, uint32_t removed)
{
    for (uint32_t p = 0; p < pool->count; p++) {
        if (pool_at(pool, p)->nearest == removed)
            pool_at(pool, p)->stale = true;
        pause_at(pairs, p);
    }
}

/* Two clusters by their positions, and the cost of merging them. */
struct pair {
    uint32_t earlier, later;
    float cost;
};

static struct pair pair_at(const struct pool *pool, uint32_t position)
{
    const struct cluster *cluster = pool_at(pool, position);
    const uint32_t nearest = pool_position(pool, cluster->nearest);
    return (struct pair){.earlier = nearest < position ? nearest : position,
                         .later = nearest < position ? position : nearest,
                         .cost = cluster->nearest_cost};
}

/* Of pairs that cost the same. */
static bool is_first(const struct pair *a, const struct pair *b)
{
    return a->earlier != b->earlier ? a->earlier < b->earlier : a->later < b->later;
}

/*
 * The position of the cluster whose closest other one costs least, NO_SLOT if there is none:
 * one that is not known if there is such a one, else that of the first pair.
 */
static uint32_t find_closest(const struct pairs *pairs, const struct pool *pool)
{
    float closest = INFINITY;
    uint32_t best = NO_SLOT;
    for (uint32_t p = 0; p < pool->count; p++) {
        const struct cluster *cluster = pool_at(pool, p);
        pause_at(pairs, p);
        if (cluster->nearest_cost > closest || cluster->nearest_cost == INFINITY)
            continue;
        if (cluster->nearest_cost == closest && !cluster->stale) {
            if (pool_at(pool, best)->stale)
                continue;
            const struct pair one = pair_at(pool, p), other = pair_at(pool, best);
            if (!is_first(&one, &other))
                continue;
        }
        closest = cluster->nearest_cost;
        best = p;
    }
    return best;
}

bool pairs_closest(const struct pairs *pairs, struct pool *pool, const struct scaling *scaling,
                   uint32_t *earlier, uint32_t *later, double *cost)
{
    uint32_t best;
    while ((best = find_closest(pairs, pool)) != NO_SLOT && pool_at(pool, best)->stale) {
        find_nearest(pairs, pool, scaling, best);
        pairs_pause(pairs);
    }
    if (best == NO_SLOT)
        return false;
    const struct pair found = pair_at(pool, best);
    *cost = (double)found.cost;
    *earlier = found.earlier;
    *later = found.later;
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
        const struct one one = one_of(pool, scaling, pool->order[p]);
        for (uint32_t q = p + 1; q < pool->count; q++) {
            const float cost = cost_between(&one, pool_at(pool, q), pool->order[q], closest);
            if (fabsf(cost) < closest) {
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
        forget_nearest(pool_at(pool, p));
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
    *pairs = (struct pairs){.account = pairs->account};
}
