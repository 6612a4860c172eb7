/* What may be read of a clustering.  See clustering.h. */
#include "compress/clustering_state.h"

uint64_t clustering_iterations(const struct clustering *clustering)
{
    return clustering->iterations;
}

uint64_t clustering_lost(const struct clustering *clustering)
{
    return clustering->lost;
}

uint32_t clustering_limit(const struct clustering *clustering)
{
    const uint32_t count = clustering->pool.count, limit = clustering->max_clusters;
    return clustering->is_auto && count > limit ? count : limit;
}

bool clustering_keeps_all(const struct clustering *clustering)
{
    return !clustering->merged;
}

bool clustering_broke_bound(const struct clustering *clustering)
{
    return clustering->broke_bound;
}

uint32_t clustering_largest_count(const struct clustering *clustering)
{
    return clustering->cells.largest_count;
}

const struct cell_largest *clustering_largest(const struct clustering *clustering, uint32_t at)
{
    return cells_largest(&clustering->cells, at);
}

double clustering_squares(const struct clustering *clustering, uint32_t cell)
{
    return cells_squares(&clustering->cells, cell);
}

bool clustering_lacks_cells(const struct clustering *clustering)
{
    return clustering->cells.incomplete;
}

uint32_t clustering_count(const struct clustering *clustering)
{
    return clustering->pool.count;
}

void clustering_view(const struct clustering *clustering, uint32_t index,
                     struct cluster_view *view)
{
    uint32_t slot = clustering->pool.order[index];
    const struct cluster *cluster = pool_cluster(&clustering->pool, slot);
    *view = (struct cluster_view){
        .size = cluster->size,
        .class_id = cluster->class_id,
        .wall_ns = cluster->wall_ns,
        .cells = cluster->profile.cells,
        .values = cluster->profile.values,
        .cell_count = cluster->profile.count,
        .presence_known = !cluster->presence.unknown,
        .paths = cluster->presence.paths,
        .path_counts = cluster->presence.counts,
        .path_count = cluster->presence.count,
        .means = pool_mean(&clustering->pool, slot),
        .spreads = pool_spread(&clustering->pool, slot),
    };
}

const double *clustering_maxima(const struct clustering *clustering)
{
    return clustering->scaling.maxima;
}

static uint32_t cluster_of_owner(const struct clustering *clustering, uint32_t owner)
{
    if (owner == ITERMAP_NONE)
        return CLUSTER_NONE;
    return owner == ITERMAP_UNMAPPED ? CLUSTER_UNKNOWN
                                     : pool_position(&clustering->pool, owner);
}

void clustering_each_run(const struct clustering *clustering,
                         void (*see)(void *context, uint64_t length, uint32_t cluster),
                         void *context)
{
    struct itermap_cursor cursor;
    struct itermap_run run;
    itermap_start(clustering->map, &cursor, 0);
    while (itermap_next(&cursor, &run))
        see(context, run.length, cluster_of_owner(clustering, run.owner));
}

/* The positions of clusters by their slots, those of the first slots looked up beforehand. */
enum { SLOTS_AHEAD = 512 };
struct positions {
    const struct clustering *clustering;
    uint32_t of_slot[SLOTS_AHEAD];
};

static uint64_t name_owner(const void *context, uint32_t owner)
{
    const struct positions *positions = context;
    if (owner == ITERMAP_NONE)
        return 0;
    if (owner == ITERMAP_UNMAPPED)
        return positions->clustering->pool.count + UINT64_C(1);
    return UINT64_C(1) + (owner < SLOTS_AHEAD
                              ? positions->of_slot[owner]
                              : pool_position(&positions->clustering->pool, owner));
}

void clustering_save_map(const struct clustering *clustering, struct encoder *out)
{
    struct positions positions = {.clustering = clustering};
    const struct itermap_names names = {name_owner, &positions};
    for (uint32_t p = 0; p < clustering->pool.count; p++)
        if (clustering->pool.order[p] < SLOTS_AHEAD)
            positions.of_slot[clustering->pool.order[p]] = p;
    itermap_save(clustering->map, &names, out);
}

uint64_t clustering_unmapped(const struct clustering *clustering)
{
    return itermap_unmapped(clustering->map);
}

uint32_t clustering_cluster_of(const struct clustering *clustering, uint64_t iteration)
{
    return cluster_of_owner(clustering, itermap_owner(clustering->map, iteration));
}

uint32_t clustering_classes(const struct clustering *clustering)
{
    if (clustering->classes.mode == EQUIVALENCE_NONE)
        return clustering->pool.count > 0;
    return clustering->classes.count;
}

enum equivalence clustering_equivalence(const struct clustering *clustering)
{
    return clustering->classes.mode;
}

size_t clustering_memory(const struct clustering *clustering)
{
    return clustering->account.held;
}
