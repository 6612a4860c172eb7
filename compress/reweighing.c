/* See reweighing.h. */
#include "compress/reweighing.h"

/*
 * So many clusters change over at once, some 40 microseconds.  Of more, points and costs for
 * every iteration, some 20 microseconds.
 */
enum { AT_ONCE = 68, POINTS_EACH = 32, COSTS_EACH = 2048 };

void reweighing_start(struct reweighing *change, struct pool *pool, struct pairs *pairs,
                      struct scaling *scaling)
{
    if (pool->count <= AT_ONCE) {
        scaling_weigh(scaling, scaling->now);
        pairs_compute(pairs, pool, scaling);
        return;
    }
    scaling_weigh(scaling, !scaling->now);
    *change = (struct reweighing){REWEIGHING_POINTS, 0};
}

static void place_some(struct reweighing *change, struct pool *pool, struct scaling *scaling)
{
    for (int n = 0; n < POINTS_EACH && change->slot < pool->capacity; n++, change->slot++)
        if (pool_cluster(pool, change->slot)->size > 0)
            pool_place(pool, scaling, change->slot, !scaling->now);
    if (change->slot < pool->capacity)
        return;
    scaling->now = pool->now = !scaling->now;
    *change = (struct reweighing){REWEIGHING_COSTS, 0};
}

static void cost_some(struct reweighing *change, struct pool *pool, struct pairs *pairs,
                      struct scaling *scaling)
{
    for (uint32_t costs = 0; costs < COSTS_EACH && change->slot < pool->capacity;
         change->slot++) {
        if (pool_cluster(pool, change->slot)->size == 0)
            continue;
        pairs_update(pairs, pool, scaling, pool_position(pool, change->slot), NO_SLOT);
        costs += pool->count;
    }
    if (change->slot == pool->capacity)
        change->step = REWEIGHING_NONE;
}

void reweighing_go_on(struct reweighing *change, struct pool *pool, struct pairs *pairs,
                      struct scaling *scaling)
{
    if (change->step == REWEIGHING_POINTS)
        place_some(change, pool, scaling);
    else if (change->step == REWEIGHING_COSTS)
        cost_some(change, pool, pairs, scaling);
}

void reweighing_note(const struct reweighing *change, struct pool *pool,
                     struct scaling *scaling, uint32_t slot)
{
    if (change->step == REWEIGHING_POINTS)
        pool_place(pool, scaling, slot, !scaling->now);
}

void reweighing_end(struct reweighing *change, struct pool *pool, struct pairs *pairs,
                    struct scaling *scaling)
{
    if (change->step == REWEIGHING_COSTS)
        change->step = REWEIGHING_NONE;
    pairs_compute(pairs, pool, scaling);
}
