/* The distance matrix and the closest pair.  See pairs.h. */
#include "pairs.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "cost.h"

static size_t matrix_length(uint32_t slots)
{
    return (size_t)slots * (slots - 1) / 2;
}

static double *distance_at(const struct pairs *pairs, uint32_t a, uint32_t b)
{
    return &pairs->distances[a > b ? matrix_length(a) + b : matrix_length(b) + a];
}

/* LATER's distance to the earlier cluster of SLOT, which may now have a closer neighbour. */
static void offer(struct pool *pool, uint32_t slot, uint32_t later, double distance)
{
    struct cluster *cluster = &pool->clusters[slot];
    const struct cluster *clusters = pool->clusters;
    if (cluster->nearest != NO_SLOT) {
        if (distance > cluster->nearest_distance)
            return;
        if (distance == cluster->nearest_distance &&
            clusters[later].first > clusters[cluster->nearest].first)
            return;
    }
    cluster->nearest = later;
    cluster->nearest_distance = distance;
}

static void find_nearest(const struct pairs *pairs, struct pool *pool, uint32_t position)
{
    uint32_t slot = pool->order[position], nearest = NO_SLOT;
    uint32_t class_id = pool->clusters[slot].class_id;
    double nearest_distance = INFINITY;
    for (uint32_t p = position + 1; p < pool->count; p++) {
        uint32_t other = pool->order[p];
        if (pool->clusters[other].class_id != class_id)
            continue;
        double distance = *distance_at(pairs, slot, other);
        if (distance < nearest_distance) {
            nearest_distance = distance;
            nearest = other;
        }
    }
    pool->clusters[slot].nearest = nearest;
    pool->clusters[slot].nearest_distance = nearest_distance;
}

static void compute(struct pairs *pairs, const struct pool *pool, const struct scaling *scaling,
                    uint32_t a, uint32_t b)
{
    *distance_at(pairs, a, b) =
        cost_of_merging(scaling, pool_side(pool, a), pool_side(pool, b));
}

void pairs_compute(struct pairs *pairs, struct pool *pool, const struct scaling *scaling)
{
    for (uint32_t p = 0; p < pool->count; p++) {
        uint32_t slot = pool->order[p];
        for (uint32_t q = p + 1; q < pool->count; q++)
            if (pool_at(pool, q)->class_id == pool->clusters[slot].class_id)
                compute(pairs, pool, scaling, slot, pool->order[q]);
        find_nearest(pairs, pool, p);
    }
}

void pairs_update(struct pairs *pairs, struct pool *pool, const struct scaling *scaling,
                  uint32_t position, uint32_t removed)
{
    uint32_t changed = pool->order[position];
    uint32_t class_id = pool->clusters[changed].class_id;
    for (uint32_t p = 0; p < pool->count; p++) {
        uint32_t slot = pool->order[p];
        if (slot != changed && pool->clusters[slot].class_id == class_id)
            compute(pairs, pool, scaling, slot, changed);
    }
    for (uint32_t p = 0; p < pool->count; p++) {
        uint32_t slot = pool->order[p];
        const struct cluster *cluster = &pool->clusters[slot];
        if (cluster->class_id != class_id)
            continue;
        if (slot == changed || cluster->nearest == changed || cluster->nearest == removed)
            find_nearest(pairs, pool, p);
        else if (p < position)
            offer(pool, slot, changed, *distance_at(pairs, slot, changed));
    }
}

void pairs_forget(struct pairs *pairs, struct pool *pool, uint32_t removed)
{
    for (uint32_t p = 0; p < pool->count; p++)
        if (pool_at(pool, p)->nearest == removed)
            find_nearest(pairs, pool, p);
}

bool pairs_closest(const struct pool *pool, uint32_t *earlier, uint32_t *later, double *cost)
{
    double closest = INFINITY;
    uint32_t best = NO_SLOT;
    for (uint32_t p = 0; p < pool->count; p++) {
        const struct cluster *cluster = pool_at(pool, p);
        if (cluster->nearest != NO_SLOT && cluster->nearest_distance < closest) {
            closest = cluster->nearest_distance;
            best = p;
        }
    }
    if (best == NO_SLOT)
        return false;
    *cost = closest;
    *earlier = best;
    *later = pool_position(pool, pool_at(pool, best)->nearest);
    return true;
}

bool pairs_start(struct pairs *pairs, struct account *account, struct pool *pool,
                 const struct scaling *scaling, uint32_t slots)
{
    pairs->distances = account_take(account, matrix_length(slots) * sizeof(double));
    if (!pairs->distances)
        return false;
    pairs->slots = slots;
    pairs_compute(pairs, pool, scaling);
    return true;
}

bool pairs_grow(struct pairs *pairs, struct account *account, uint32_t slots)
{
    double *larger = account_take(account, matrix_length(slots) * sizeof(double));
    if (!larger)
        return false;
    /* Row by row: the old matrix is the beginning of the new one. */
    memcpy(larger, pairs->distances, matrix_length(pairs->slots) * sizeof(double));
    account_give_back(account, pairs->distances, matrix_length(pairs->slots) * sizeof(double));
    *pairs = (struct pairs){slots, larger};
    return true;
}

bool pairs_active(const struct pairs *pairs)
{
    return pairs->distances != NULL;
}

void pairs_stop(struct pairs *pairs, struct account *account)
{
    account_give_back(account, pairs->distances, matrix_length(pairs->slots) * sizeof(double));
    *pairs = (struct pairs){0};
}
