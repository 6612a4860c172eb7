/* How many clusters there may be.  See clustering_state.h. */
#include "compress/clustering_state.h"

/*
 * The share of a metric's largest value by which members of a cluster may move without more
 * clusters being wanted, and how much more is tolerated when all memory is used.
 */
#define AUTO_TOLERATED 0.005
#define AUTO_RESTRAINT 19

uint32_t room_for(uint32_t max, enum clustering_method method)
{
    if (method == CLUSTERING_SZEBENYI || max == 0)
        return max;
    return max + ROOM_SPARE > ROOM_LEAST ? max + ROOM_SPARE : ROOM_LEAST;
}

bool room_is_crowded(const struct clustering *c)
{
    return c->max_clusters > 0 && c->pool.count > c->room;
}

void room_set(struct clustering *c, uint32_t room)
{
    uint32_t spare = c->scaling.method == CLUSTERING_SZEBENYI ? 0 : ROOM_SPARE;
    c->room = room;
    c->max_clusters = room > spare + 1 ? room - spare : 1;
}

/*
 * The bytes that are held, as a share of those that may be; with those that costs will need
 * once they are computed.
 */
static double used(const struct clustering *c)
{
    double coming = c->pairs.rows ? 0 : 0.5 * sizeof(float) * c->pool.count * c->pool.count;
    return ((double)c->account.held + coming) / (double)c->auto_bytes;
}

void room_fill_up(struct clustering *c, uint32_t room)
{
    const uint32_t least = room_for(CLUSTERS_AUTO_LEAST, c->scaling.method);
    c->full = true;
    room_set(c, room > least ? room : least);
}

bool room_is_full(const struct clustering *c)
{
    return c->is_auto && !c->full && (c->pool.count >= c->room || used(c) >= 1);
}

bool room_fills_up(const struct clustering *c)
{
    return 4 * (uint64_t)c->pool.count > 3 * (uint64_t)c->room ||
           (c->is_auto && !c->full && 4 * used(c) > 3);
}

/*
 * Whether a merger would break the error bound: in a total of the cluster that it makes, or in
 * a cell by how far that moves.
 */
static bool breaks_bound(const struct clustering *c, uint32_t earlier, uint32_t later)
{
    uint32_t a = c->pool.order[earlier], b = c->pool.order[later];
    const struct cost_side sides[] = {pool_side(&c->pool, a), pool_side(&c->pool, b)};
    double size = sides[0].size + sides[1].size, factor = sides[0].size * sides[1].size / size;
    for (size_t i = 0; i < c->pool.row_length; i++) {
        double distance = sides[0].mean[i] - sides[1].mean[i];
        double spread = pool_spread(&c->pool, a)[i] + pool_spread(&c->pool, b)[i] +
                        distance * distance * factor;
        double allowed = c->error_bound * c->scaling.maxima[i];
        if (spread > allowed * allowed * size)
            return true;
    }
    return cost_exceeds(&c->scaling, &sides[0], &sides[1], c->error_bound);
}

bool room_is_too_dear(const struct clustering *c, uint32_t earlier, uint32_t later)
{
    if (c->error_bound > 0)
        return breaks_bound(c, earlier, later);
    double tolerated = AUTO_TOLERATED * (1 + AUTO_RESTRAINT * used(c));
    const struct cost_side a = pool_side(&c->pool, c->pool.order[earlier]);
    const struct cost_side b = pool_side(&c->pool, c->pool.order[later]);
    return cost_exceeds(&c->scaling, &a, &b, tolerated);
}

/* CLUSTERS_AUTO: the most clusters once clusters are merged, and the fewest. */
static uint32_t auto_most(const struct clustering *c)
{
    return c->error_bound > 0 ? CLUSTERS_AUTO_KEPT : CLUSTERS_AUTO_MOST;
}

static uint32_t auto_least(const struct clustering *c)
{
    uint32_t least = c->error_bound > 0 ? 1 : CLUSTERS_AUTO_LEAST;
    /* With fewer, classes would be too many, which takes equivalence away. */
    return least > 2 * c->classes.count ? least : 2 * c->classes.count;
}

bool room_may_fall(const struct clustering *c)
{
    return c->room > auto_least(c) + ROOM_SPARE;
}

bool room_is_worth_it(const struct clustering *c)
{
    return c->room <= auto_most(c) && used(c) < 1;
}

bool room_allows_more(const struct clustering *c, uint32_t earlier, uint32_t later)
{
    return c->is_auto && c->room < auto_most(c) && used(c) < 1 &&
           room_is_too_dear(c, earlier, later);
}
