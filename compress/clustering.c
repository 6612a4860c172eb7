/*
 * The on-line clustering algorithm.  See clustering.h.
 *
 * The rooms it is built from: classes (equivalence.h) say who may be together, the pool
 * (pool.h) holds the clusters, pairs (pairs.h) knows which two are closest, the forest
 * (disjoint.h) knows where every iteration went.  This file only says in which order things
 * happen:
 *
 *     classify -> append as a cluster of its own -> one too many? merge the closest pair
 *
 * and what happens instead when memory is out (absorb) or when there are so many classes that
 * no two clusters may be merged (crowded).
 */
#include "clustering.h"

#include <math.h>

#include "account.h"
#include "disjoint.h"
#include "distance.h"
#include "equivalence.h"
#include "pairs.h"
#include "pool.h"

/* Of condensed values, that a clustering has itself. */
enum { ROWS = 4 };

struct clustering {
    struct account account;
    uint32_t max_clusters;
    uint32_t condensed_count;
    bool may_relax; /* EQUIVALENCE_AUTO, and still strict */
    uint64_t iterations;
    uint64_t lost;
    struct classes classes;
    struct pool pool;
    struct pairs pairs;
    struct disjoint map;
    struct average average;
    double *row;   /* the condensed row of the iteration being added */
    double rows[]; /* memory of that row and of the average's three */
};

static size_t clustering_bytes(uint32_t condensed_count)
{
    return sizeof(struct clustering) +
           ROWS * distance_row_length(condensed_count) * sizeof(double);
}

struct clustering *clustering_create(const struct clustering_config *config)
{
    size_t length = distance_row_length(config->condensed_count);
    struct account account = {.source = config->memory};
    struct clustering *c = account_take(&account, clustering_bytes(config->condensed_count));
    if (!c)
        return NULL;
    *c = (struct clustering){
        .account = account,
        .max_clusters = config->max_clusters,
        .condensed_count = config->condensed_count,
        .may_relax = config->equivalence == EQUIVALENCE_AUTO,
        .classes.mode = config->equivalence,
        .pool.row_length = length,
        .average.length = length,
    };
    if (c->may_relax)
        c->classes.mode = EQUIVALENCE_HYBRID;
    for (size_t i = 0; i < ROWS * length; i++)
        c->rows[i] = 0;
    c->row = c->rows;
    c->average.sums = c->rows + length;
    c->average.weights = c->rows + 2 * length;
    c->average.maxima = c->rows + 3 * length;
    return c;
}

void clustering_destroy(struct clustering *clustering)
{
    if (!clustering)
        return;
    struct account account = clustering->account;
    pairs_stop(&clustering->pairs, &account);
    pool_clear(&clustering->pool, &account);
    classes_clear(&clustering->classes, &account);
    disjoint_clear(&clustering->map, &account);
    account_give_back(&account, clustering, clustering_bytes(clustering->condensed_count));
}

/*
 * More clusters than allowed are there only if every class has just one, and then no clusters
 * were ever merged across classes: the class number is the position of its cluster.
 */
static bool crowded(const struct clustering *c)
{
    return c->max_clusters > 0 && c->pool.count > c->max_clusters;
}

/* From now on all iterations are alike: they are of class 0, which needs no signature. */
static void relax(struct clustering *c)
{
    c->may_relax = false;
    classes_clear(&c->classes, &c->account);
    c->classes.mode = EQUIVALENCE_NONE;
    for (uint32_t p = 0; p < c->pool.count; p++)
        pool_at(&c->pool, p)->class_id = 0;
    if (pairs_active(&c->pairs))
        pairs_compute(&c->pairs, &c->pool, &c->average);
}

/* Whether a cluster has to go and too many of them are there only because of their class. */
static bool classes_crowd_out(const struct clustering *c, uint32_t classes)
{
    uint32_t tolerated = c->max_clusters / 2 > 0 ? c->max_clusters / 2 : 1;
    return c->may_relax && c->max_clusters > 0 && c->pool.count >= c->max_clusters &&
           classes > tolerated;
}

static uint64_t hash_of(const struct clustering *c, const struct iteration_profile *profile)
{
    return equivalence_hash(c->classes.mode, profile->paths, profile->path_count);
}

static uint32_t find_class(const struct clustering *c, const struct iteration_profile *profile,
                           uint64_t hash)
{
    if (c->classes.mode == EQUIVALENCE_NONE)
        return 0;
    return classes_find(&c->classes, hash, profile->paths, profile->path_count);
}

/* Makes the newest iteration a member of the cluster at POSITION; false if memory is out. */
static bool take_in(struct clustering *c, uint32_t position,
                    const struct iteration_profile *profile)
{
    uint32_t iteration = (uint32_t)(c->iterations - 1);
    if (!pool_add(&c->pool, &c->account, position, profile, c->row))
        return false;
    disjoint_join(&c->map, pool_at(&c->pool, position)->root, iteration);
    if (pairs_active(&c->pairs))
        pairs_update(&c->pairs, &c->pool, &c->average, position, NO_SLOT);
    return true;
}

static bool merge(struct clustering *c, uint32_t earlier, uint32_t later)
{
    struct cluster *a = pool_at(&c->pool, earlier), *b = pool_at(&c->pool, later);
    uint32_t slot = c->pool.order[earlier], removed = c->pool.order[later];
    uint32_t root = a->size >= b->size ? a->root : b->root;
    uint32_t child = a->size >= b->size ? b->root : a->root;
    if (!pool_merge(&c->pool, &c->account, earlier, later))
        return false;
    disjoint_join(&c->map, root, child);
    disjoint_root(&c->map, root, slot);
    a->root = root;
    pairs_update(&c->pairs, &c->pool, &c->average, earlier, removed);
    return true;
}

/* With the newest cluster there is one too many; false, and nothing merged, if memory is out.
 */
static bool merge_closest(struct clustering *c)
{
    uint32_t earlier, later;
    if (pairs_active(&c->pairs))
        pairs_update(&c->pairs, &c->pool, &c->average, c->pool.count - 1, NO_SLOT);
    else if (!pairs_start(&c->pairs, &c->account, &c->pool, &c->average, c->pool.count))
        return false;
    if (pairs_closest(&c->pool, &earlier, &later))
        return merge(c, earlier, later);
    /* From now on it is crowded, and distances are of no use any more. */
    pairs_stop(&c->pairs, &c->account);
    return true;
}

/* Takes the newest cluster, with its one iteration, out again. */
static void drop_newest(struct clustering *c)
{
    uint32_t position = c->pool.count - 1, slot = c->pool.order[position];
    disjoint_remove(&c->map, c->pool.clusters[slot].first);
    pool_remove(&c->pool, &c->account, position);
    if (pairs_active(&c->pairs))
        pairs_forget(&c->pairs, &c->pool, slot);
}

/* Makes the newest iteration a cluster; false, and nothing changed, if memory is out. */
static bool append(struct clustering *c, const struct iteration_profile *profile,
                   uint32_t class_id)
{
    uint32_t iteration = (uint32_t)(c->iterations - 1);
    uint32_t limit = c->max_clusters > 0 ? c->max_clusters + 1 : 0;
    uint32_t slot =
        pool_append(&c->pool, &c->account, limit, profile, c->row, iteration, class_id);
    if (slot == NO_SLOT)
        return false;
    disjoint_root(&c->map, iteration, slot);
    if (c->pool.count != limit || merge_closest(c))
        return true;
    drop_newest(c);
    return false;
}

/* The way of an iteration while there is memory; false, and nothing kept, if there is none. */
static bool admit(struct clustering *c, const struct iteration_profile *profile)
{
    uint64_t hash = hash_of(c, profile);
    uint32_t class_id = find_class(c, profile, hash);
    if (classes_crowd_out(c, c->classes.count + (class_id == CLASS_NONE))) {
        relax(c);
        class_id = 0;
    }
    if (class_id != CLASS_NONE)
        return crowded(c) ? take_in(c, class_id, profile) : append(c, profile, class_id);
    class_id = classes_add(&c->classes, &c->account, hash, profile->paths, profile->path_count);
    if (class_id == CLASS_NONE)
        return false;
    if (append(c, profile, class_id))
        return true;
    classes_remove_last(&c->classes, &c->account);
    return false;
}

/* Notes in every cluster how far the newest iteration is away: INFINITY for other classes. */
static void find_candidates(struct clustering *c, uint32_t class_id)
{
    for (uint32_t p = 0; p < c->pool.count; p++) {
        struct cluster *cluster = pool_at(&c->pool, p);
        cluster->candidate = INFINITY;
        if (cluster->class_id == class_id)
            cluster->candidate = distance_between(c->row, pool_mean(&c->pool, c->pool.order[p]),
                                                  &c->average, (uint64_t)cluster->size + 1);
    }
}

static struct cluster *closest_candidate(const struct clustering *c, uint32_t *position)
{
    struct cluster *closest = NULL;
    for (uint32_t p = 0; p < c->pool.count; p++) {
        struct cluster *cluster = pool_at(&c->pool, p);
        if (cluster->candidate < (closest ? closest->candidate : INFINITY)) {
            closest = cluster;
            *position = p;
        }
    }
    return closest;
}

/* The way of an iteration when memory is out: into the closest cluster that needs none for it.
 */
static bool absorb(struct clustering *c, const struct iteration_profile *profile)
{
    uint32_t position = 0;
    struct cluster *cluster;
    find_candidates(c, find_class(c, profile, hash_of(c, profile)));
    while ((cluster = closest_candidate(c, &position))) {
        if (take_in(c, position, profile))
            return true;
        cluster->candidate = INFINITY;
    }
    return false;
}

/* Where equivalence may relax, losing it is better than losing what was measured. */
static bool relax_and_absorb(struct clustering *c, const struct iteration_profile *profile)
{
    if (!c->may_relax)
        return false;
    relax(c);
    return absorb(c, profile);
}

bool clustering_add(struct clustering *clustering, const struct iteration_profile *profile)
{
    struct clustering *c = clustering;
    distance_make_row(c->row, profile->condensed, c->condensed_count);
    average_add(&c->average, c->row);
    /* The number of the iteration is used as soon as there is room for it in the map. */
    bool mapped = disjoint_reserve(&c->map, &c->account, c->iterations++);
    if (mapped && admit(c, profile))
        return true;
    if (!mapped || !(absorb(c, profile) || relax_and_absorb(c, profile)))
        c->lost++;
    return false;
}

void clustering_skip(struct clustering *clustering, uint64_t count)
{
    clustering->iterations += count;
}

uint64_t clustering_iterations(const struct clustering *clustering)
{
    return clustering->iterations;
}

uint64_t clustering_lost(const struct clustering *clustering)
{
    return clustering->lost;
}

uint32_t clustering_count(const struct clustering *clustering)
{
    return clustering->pool.count;
}

void clustering_view(const struct clustering *clustering, uint32_t index,
                     struct cluster_view *view)
{
    uint32_t slot = clustering->pool.order[index];
    const struct cluster *cluster = &clustering->pool.clusters[slot];
    *view = (struct cluster_view){
        .size = cluster->size,
        .class_id = cluster->class_id,
        .wall_ns = cluster->wall_ns,
        .cells = cluster->profile.cells,
        .values = cluster->profile.values,
        .cell_count = cluster->profile.count,
        .sums = pool_sum(&clustering->pool, slot),
        .spreads = pool_spread(&clustering->pool, slot),
    };
}

const double *clustering_maxima(const struct clustering *clustering)
{
    return clustering->average.maxima;
}

uint32_t clustering_cluster_of(const struct clustering *clustering, uint64_t iteration)
{
    uint32_t slot = disjoint_slot(&clustering->map, iteration);
    return slot == DISJOINT_NONE ? UINT32_MAX : pool_position(&clustering->pool, slot);
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
