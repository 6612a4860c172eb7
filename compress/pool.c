/* The table of clusters.  See pool.h. */
#include "compress/pool.h"

#include <math.h>
#include <string.h>

#define FIRST_CAPACITY 8

static size_t block_bytes(const struct pool *pool, uint32_t capacity)
{
    size_t doubles = pool->row_length + pool->spread_length;
    return capacity * (sizeof(struct cluster) + doubles * sizeof(double) +
                       pool->point_length * sizeof(float) + sizeof(uint32_t));
}

static void lay_out(struct pool *pool, void *block, uint32_t capacity)
{
    pool->capacity = capacity;
    pool->clusters = block;
    pool->means = (double *)(pool->clusters + capacity);
    pool->spreads = pool->means + capacity * pool->row_length;
    pool->points = (float *)(pool->spreads + capacity * pool->spread_length);
    pool->order = (uint32_t *)(pool->points + capacity * pool->point_length);
}

static void copy_content(struct pool *to, const struct pool *from)
{
    size_t slots = from->capacity;
    if (slots == 0)
        return;
    memcpy(to->clusters, from->clusters, slots * sizeof(*to->clusters));
    memcpy(to->means, from->means, slots * from->row_length * sizeof(*to->means));
    memcpy(to->spreads, from->spreads, slots * from->spread_length * sizeof(*to->spreads));
    memcpy(to->points, from->points, slots * from->point_length * sizeof(float));
    memcpy(to->order, from->order, slots * sizeof(*to->order));
}

static bool grow(struct pool *pool, struct account *account, uint32_t limit)
{
    if (pool->count < pool->capacity)
        return true;
    uint32_t capacity = pool->capacity ? pool->capacity * 2 : FIRST_CAPACITY;
    if (capacity > limit && limit > pool->capacity)
        capacity = limit;
    void *block = account_take(account, block_bytes(pool, capacity));
    if (!block)
        return false;
    struct pool larger = *pool;
    lay_out(&larger, block, capacity);
    copy_content(&larger, pool);
    for (uint32_t slot = pool->capacity; slot < capacity; slot++)
        larger.order[slot] = slot;
    account_give_back(account, pool->clusters, block_bytes(pool, pool->capacity));
    *pool = larger;
    return true;
}

/* The condensed values of SIZE iterations. */
struct rows {
    const double *means;
    const double *spreads; /* NULL: all are 0 */
    uint32_t size;
};

/*
 * Adds ROWS to those of SLOT, whose size includes them already.  Spreads are combined without
 * subtracting large numbers from each other (T. Chan, G. Golub, R. LeVeque, "Updating
 * Formulae and a Pairwise Algorithm for Computing Sample Variances", 1979).
 */
static void add_rows(struct pool *pool, uint32_t slot, const struct rows *rows)
{
    double *mean = pool->means + slot * pool->row_length;
    double *spread = pool->spreads + slot * pool->spread_length;
    double size = pool->clusters[slot].size, added = rows->size;
    double share = added / size, weight = (size - added) * share;
    for (size_t i = 0; i < pool->spread_length; i++) {
        double distance = rows->means[i] - mean[i];
        spread[i] += distance * distance * weight + (rows->spreads ? rows->spreads[i] : 0);
    }
    for (size_t i = 0; i < pool->row_length; i++)
        mean[i] += (rows->means[i] - mean[i]) * share;
}

uint32_t pool_append(struct pool *pool, struct account *account, uint32_t limit,
                     const struct iteration_profile *profile, const double *row, uint32_t first,
                     uint32_t class_id)
{
    struct sparse copy;
    if (!grow(pool, account, limit) ||
        !sparse_copy(&copy, account, profile->cells, profile->values, profile->cell_count))
        return NO_SLOT;
    uint32_t slot = pool->order[pool->count++];
    pool->clusters[slot] = (struct cluster){
        .profile = copy,
        .wall_ns = profile->wall_ns,
        .size = 1,
        .class_id = class_id,
        .first = first,
        .nearest = NO_SLOT,
        .nearest_cost = INFINITY,
    };
    memcpy(pool->means + slot * pool->row_length, row, pool->row_length * sizeof(*row));
    memset(pool->spreads + slot * pool->spread_length, 0, pool->spread_length * sizeof(*row));
    return slot;
}

static bool add(struct pool *pool, struct account *account, uint32_t position,
                const struct iteration_profile *profile, const struct rows *rows)
{
    struct cluster *cluster = pool_at(pool, position);
    if (!sparse_add(&cluster->profile, account, profile->cells, profile->values,
                    profile->cell_count))
        return false;
    cluster->wall_ns = (int64_t)((uint64_t)cluster->wall_ns + (uint64_t)profile->wall_ns);
    cluster->size += rows->size;
    add_rows(pool, pool->order[position], rows);
    return true;
}

bool pool_add(struct pool *pool, struct account *account, uint32_t position,
              const struct iteration_profile *profile, const double *row)
{
    return add(pool, account, position, profile, &(struct rows){row, NULL, 1});
}

static void exchange_profiles(struct cluster *a, struct cluster *b)
{
    struct sparse profile = a->profile;
    a->profile = b->profile;
    b->profile = profile;
}

static bool add_cluster(struct pool *pool, struct account *account, uint32_t to, uint32_t from)
{
    const struct cluster *cluster = pool_at(pool, from);
    struct iteration_profile members = {
        .cells = cluster->profile.cells,
        .values = cluster->profile.values,
        .cell_count = cluster->profile.count,
        .wall_ns = cluster->wall_ns,
    };
    uint32_t slot = pool->order[from];
    return add(pool, account, to, &members,
               &(struct rows){pool_mean(pool, slot), pool_spread(pool, slot), cluster->size});
}

bool pool_merge(struct pool *pool, struct account *account, uint32_t earlier, uint32_t later)
{
    struct cluster *a = pool_at(pool, earlier), *b = pool_at(pool, later);
    /* The smaller profile is added to the larger one: often that needs no memory. */
    bool exchange = a->profile.count < b->profile.count;
    if (exchange)
        exchange_profiles(a, b);
    if (add_cluster(pool, account, earlier, later)) {
        pool_remove(pool, account, later);
        return true;
    }
    if (exchange)
        exchange_profiles(a, b);
    return false;
}

void pool_remove(struct pool *pool, struct account *account, uint32_t position)
{
    uint32_t slot = pool->order[position];
    sparse_clear(&pool->clusters[slot].profile, account);
    pool->count--;
    memmove(&pool->order[position], &pool->order[position + 1],
            (pool->count - position) * sizeof(*pool->order));
    pool->order[pool->count] = slot;
}

uint32_t pool_position(const struct pool *pool, uint32_t slot)
{
    uint32_t first = pool->clusters[slot].first, low = 0, high = pool->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (pool_at(pool, middle)->first <= first)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void pool_place(struct pool *pool, const struct scaling *scaling, uint32_t slot)
{
    if (pool->point_length > 0)
        scaling_place(scaling, pool_mean(pool, slot), pool->points + slot * pool->point_length);
}

void pool_clear(struct pool *pool, struct account *account)
{
    for (uint32_t p = 0; p < pool->count; p++)
        sparse_clear(&pool_at(pool, p)->profile, account);
    account_give_back(account, pool->clusters, block_bytes(pool, pool->capacity));
    *pool = (struct pool){.row_length = pool->row_length,
                          .spread_length = pool->spread_length,
                          .point_length = pool->point_length};
}
