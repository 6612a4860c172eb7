/* The table of clusters.  See pool.h. */
#include "compress/pool.h"

#include <math.h>
#include <string.h>

enum { FIRST_LISTED = 64 };

static size_t block_bytes(const struct pool *pool)
{
    return POOL_BLOCK * (sizeof(struct cluster) + 2 * pool->row_length * sizeof(double) +
                         2 * pool->point_length * sizeof(float));
}

static size_t lists_bytes(uint32_t listed)
{
    return listed / POOL_BLOCK * sizeof(struct cluster *) + listed * sizeof(uint32_t);
}

size_t pool_least_bytes(const struct pool *pool)
{
    return block_bytes(pool) + lists_bytes(FIRST_LISTED);
}

/* Makes room in the lists for twice as many slots. */
static bool grow_lists(struct pool *pool, struct account *account)
{
    uint32_t listed = pool->listed ? pool->listed * 2 : FIRST_LISTED;
    struct cluster **blocks = account_take(account, lists_bytes(listed));
    if (!blocks)
        return false;
    uint32_t *order = (uint32_t *)(blocks + listed / POOL_BLOCK);
    if (pool->capacity > 0) {
        memcpy(blocks, pool->blocks, pool->capacity / POOL_BLOCK * sizeof(*blocks));
        memcpy(order, pool->order, pool->capacity * sizeof(*order));
    }
    account_give_back(account, pool->blocks, lists_bytes(pool->listed));
    pool->blocks = blocks;
    pool->order = order;
    pool->listed = listed;
    return true;
}

static bool grow(struct pool *pool, struct account *account)
{
    if (pool->count < pool->capacity)
        return true;
    if (pool->capacity == pool->listed && !grow_lists(pool, account))
        return false;
    struct cluster *block = account_take(account, block_bytes(pool));
    if (!block)
        return false;
    memset(block, 0, POOL_BLOCK * sizeof(*block));
    pool->blocks[pool->capacity / POOL_BLOCK] = block;
    for (uint32_t i = 0; i < POOL_BLOCK; i++, pool->capacity++)
        pool->order[pool->capacity] = pool->capacity;
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
    double *mean = pool_row(pool, slot, 0), *spread = pool_row(pool, slot, 1);
    double size = pool_cluster(pool, slot)->size, added = rows->size;
    double share = added / size, weight = (size - added) * share;
    for (size_t i = 0; i < pool->row_length; i++) {
        double distance = rows->means[i] - mean[i];
        spread[i] += distance * distance * weight + (rows->spreads ? rows->spreads[i] : 0);
    }
    for (size_t i = 0; i < pool->row_length; i++)
        mean[i] += (rows->means[i] - mean[i]) * share;
}

uint32_t pool_append(struct pool *pool, struct account *account,
                     const struct iteration_profile *profile, const double *row, uint32_t first,
                     uint32_t class_id)
{
    struct sparse copy;
    if (!grow(pool, account) ||
        !sparse_copy(&copy, account, profile->cells, profile->values, profile->cell_count))
        return NO_SLOT;
    uint32_t slot = pool->order[pool->count++];
    struct cluster *cluster = pool_cluster(pool, slot);
    *cluster = (struct cluster){
        .profile = copy,
        .wall_ns = profile->wall_ns,
        .size = 1,
        .class_id = class_id,
        .first = first,
        .nearest = NO_SLOT,
        .nearest_cost = INFINITY,
    };
    presence_start(&cluster->presence, account, profile->paths, profile->path_count);
    memcpy(pool_row(pool, slot, 0), row, pool->row_length * sizeof(*row));
    memset(pool_row(pool, slot, 1), 0, pool->row_length * sizeof(*row));
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
    struct cluster *cluster = pool_at(pool, position);
    const uint32_t size = cluster->size;
    if (!add(pool, account, position, profile, &(struct rows){row, NULL, 1}))
        return false;
    presence_add(&cluster->presence, account, size, profile->paths, profile->path_count);
    return true;
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
    const uint32_t size = a->size;
    if (add_cluster(pool, account, earlier, later)) {
        presence_merge(&a->presence, account, size, &b->presence, b->size);
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
    sparse_clear(&pool_cluster(pool, slot)->profile, account);
    presence_clear(&pool_cluster(pool, slot)->presence, account);
    pool_cluster(pool, slot)->size = 0;
    pool->count--;
    memmove(&pool->order[position], &pool->order[position + 1],
            (pool->count - position) * sizeof(*pool->order));
    pool->order[pool->count] = slot;
}

uint32_t pool_position(const struct pool *pool, uint32_t slot)
{
    uint32_t first = pool_cluster(pool, slot)->first, low = 0, high = pool->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (pool_at(pool, middle)->first <= first)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void pool_place(struct pool *pool, struct scaling *scaling, uint32_t slot, unsigned set)
{
    const struct cluster *cluster = pool_cluster(pool, slot);
    if (pool->point_length > 0)
        weights_place(&scaling->sets[set], pool->row_length, pool_mean(pool, slot),
                      &cluster->profile, cluster->size, pool_point_of(pool, slot, set));
}

void pool_clear(struct pool *pool, struct account *account)
{
    for (uint32_t p = 0; p < pool->count; p++) {
        sparse_clear(&pool_at(pool, p)->profile, account);
        presence_clear(&pool_at(pool, p)->presence, account);
    }
    for (uint32_t slot = 0; slot < pool->capacity; slot += POOL_BLOCK)
        account_give_back(account, pool->blocks[slot / POOL_BLOCK], block_bytes(pool));
    account_give_back(account, pool->blocks, lists_bytes(pool->listed));
    *pool = (struct pool){.row_length = pool->row_length, .point_length = pool->point_length};
}
