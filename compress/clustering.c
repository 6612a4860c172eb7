/*
 * The on-line clustering algorithm.  See clustering.h.
 *
 * The rooms it is built from: classes (equivalence.h) say who may be together, the pool
 * (pool.h) holds the clusters, pairs (pairs.h) knows which two are closest, the map
 * (itermap.h) knows where every iteration went.  This file only says in which order things
 * happen:
 *
 *     classify -> append as a cluster of its own -> one too many? merge the closest pair
 *
 * and what happens instead when memory runs out (absorb) or when there are so many classes that
 * no two clusters may be merged (crowded).
 */
#include "compress/clustering.h"

#include <math.h>

#include "compress/account.h"
#include "compress/equivalence.h"
#include "compress/itermap.h"
#include "compress/pairs.h"
#include "compress/pool.h"
#include "compress/scaling.h"

/* Rows of condensed values that belong to the clustering itself. */
enum { ROWS = 5 };

struct clustering {
    struct account account;
    uint32_t max_clusters; /* in the end; CLUSTERS_AUTO: chosen so far */
    uint32_t room;         /* most clusters while iterations are added */
    uint32_t condensed_count;
    size_t auto_bytes; /* 0: max_clusters does not grow */
    bool may_relax;    /* EQUIVALENCE_AUTO, and still strict */
    uint64_t iterations;
    uint64_t lost;
    struct classes classes;
    struct pool pool;
    struct pairs pairs;
    struct itermap *map;
    uint32_t landed; /* slot of the cluster that the newest iteration is in */
    struct scaling scaling;
    double *row;   /* the condensed row of the iteration being added */
    float *point;  /* the same, for costs */
    double rows[]; /* memory of `row` and of the rows of `scaling` */
};

/*
 * The share of a metric's largest value by which members of a cluster may move without more
 * clusters being wanted, and how much more is tolerated when all memory is used.
 */
#define AUTO_TOLERATED 0.005
#define AUTO_RESTRAINT 19

/* The least number of clusters allowed until the end, in all and to spare. */
enum { LEAST_ROOM = 64, LEAST_SPARE = 4 };

/*
 * The number of clusters allowed until the end, if there may be MAX then.  Which of the latest
 * iterations belong together shows only later: with some spare clusters nothing has to be
 * decided at once.  The fewer clusters, the more that matters, and the less memory it takes.
 */
static uint32_t room_for(uint32_t max, enum clustering_method method)
{
    if (method == CLUSTERING_SZEBENYI || max == 0)
        return max;
    return max + LEAST_SPARE > LEAST_ROOM ? max + LEAST_SPARE : LEAST_ROOM;
}

/*
 * How much the size of a cluster counts where none is to spare (see cost.h), and with those
 * that are: what is not decided at once does not go wrong.  Found by trying: errors on flat,
 * periodic, stepwise, drifting, randomly walking, mixed and bursty series and on such with
 * outliers, at 8 to 256 clusters, are all near their least there.
 */
#define SIZE_SHARE 0.12

static double size_share(const struct clustering *c)
{
    return c->max_clusters > 0 ? SIZE_SHARE * c->max_clusters / c->room : SIZE_SHARE;
}

/* Enough for the map of a program whose iterations repeat. */
enum { MAP_LEAST_BYTES = 8192 };

static size_t clustering_bytes(uint32_t condensed_count)
{
    return sizeof(struct clustering) + ROWS * row_length(condensed_count) * sizeof(double);
}

struct clustering *clustering_create(const struct clustering_config *config)
{
    size_t length = row_length(config->condensed_count);
    bool is_auto = config->max_clusters == CLUSTERS_AUTO;
    struct account account = {.source = config->memory};
    struct clustering *c = account_take(&account, clustering_bytes(config->condensed_count));
    if (!c)
        return NULL;
    *c = (struct clustering){
        .account = account,
        .max_clusters = is_auto ? CLUSTERS_AUTO_LEAST : config->max_clusters,
        .auto_bytes = is_auto ? config->auto_bytes : 0,
        .condensed_count = config->condensed_count,
        .may_relax = config->equivalence == EQUIVALENCE_AUTO,
        .classes.mode = config->equivalence,
        .pairs = {.pause = config->pause, .pause_context = config->pause_context},
        .pool = {.row_length = length,
                 .spread_length = row_length(config->condensed_count - config->sketch_count),
                 .point_length = config->method == CLUSTERING_SZEBENYI ? 0 : length},
        .scaling = {.method = config->method,
                    .length = length,
                    .sketch = config->condensed_count - config->sketch_count,
                    .sketch_count = config->sketch_count},
    };
    c->room = room_for(c->max_clusters, config->method);
    if (c->may_relax)
        c->classes.mode = EQUIVALENCE_HYBRID;
    for (size_t i = 0; i < ROWS * length; i++)
        c->rows[i] = 0;
    c->row = c->rows;
    c->point = (float *)(c->rows + 4 * length);
    c->scaling.sums = c->rows + length;
    c->scaling.weights = c->rows + 2 * length;
    c->scaling.maxima = c->rows + 3 * length;
    bool too_small = config->map_bytes > 0 && config->map_bytes < MAP_LEAST_BYTES;
    c->map = itermap_create(&c->account, too_small ? MAP_LEAST_BYTES : config->map_bytes);
    if (c->map)
        return c;
    clustering_destroy(c);
    return NULL;
}

void clustering_destroy(struct clustering *clustering)
{
    if (!clustering)
        return;
    itermap_destroy(clustering->map);
    struct account account = clustering->account;
    pairs_stop(&clustering->pairs, &account);
    pool_clear(&clustering->pool, &account);
    classes_clear(&clustering->classes, &account);
    account_give_back(&account, clustering, clustering_bytes(clustering->condensed_count));
}

/*
 * There are more clusters than allowed only if every class has just one.  Then clusters were
 * never merged across classes, and the class number is the position of its cluster.
 */
static bool crowded(const struct clustering *c)
{
    return c->max_clusters > 0 && c->pool.count > c->room;
}

/* Weakens the equivalence to COMMUNICATION, which ignores visits, and regroups the clusters. */
static void forget_visits(struct clustering *c)
{
    classes_unite(&c->classes, EQUIVALENCE_COMMUNICATION);
    for (uint32_t p = 0; p < c->pool.count; p++) {
        uint32_t *class_id = &pool_at(&c->pool, p)->class_id;
        *class_id = classes_united(&c->classes, *class_id);
    }
    classes_drop_united(&c->classes, &c->account);
}

/* Weakens the equivalence to NONE: all iterations are of class 0, which needs no signature. */
static void forget_paths(struct clustering *c)
{
    c->may_relax = false;
    classes_clear(&c->classes, &c->account);
    c->classes.mode = EQUIVALENCE_NONE;
    for (uint32_t p = 0; p < c->pool.count; p++)
        pool_at(&c->pool, p)->class_id = 0;
}

static void relax(struct clustering *c)
{
    if (c->classes.mode == EQUIVALENCE_HYBRID)
        forget_visits(c);
    else
        forget_paths(c);
    if (pairs_active(&c->pairs))
        pairs_compute(&c->pairs, &c->pool, &c->scaling);
}

/* Whether the number of CLASSES is what keeps too many clusters apart. */
static bool are_too_many(const struct clustering *c, uint32_t classes)
{
    return c->may_relax && classes > (c->max_clusters / 2 > 0 ? c->max_clusters / 2 : 1);
}

/* Whether a cluster has to go and classes keep too many apart. */
static bool classes_crowd_out(const struct clustering *c, uint32_t classes)
{
    return c->max_clusters > 0 && c->pool.count >= c->room && are_too_many(c, classes);
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

/* Makes the newest iteration a member of the cluster at POSITION; false if out of memory. */
static bool take_in(struct clustering *c, uint32_t position,
                    const struct iteration_profile *profile)
{
    if (!pool_add(&c->pool, &c->account, position, profile, c->row))
        return false;
    c->landed = c->pool.order[position];
    if (pairs_active(&c->pairs))
        pairs_update(&c->pairs, &c->pool, &c->scaling, position, NO_SLOT);
    return true;
}

static bool merge(struct clustering *c, uint32_t earlier, uint32_t later)
{
    struct cluster *a = pool_at(&c->pool, earlier), *b = pool_at(&c->pool, later);
    uint32_t slot = c->pool.order[earlier], removed = c->pool.order[later];
    uint32_t labels[] = {a->label, b->label};
    if (!pool_merge(&c->pool, &c->account, earlier, later))
        return false;
    a->label = itermap_merge(c->map, labels[0], labels[1], slot);
    if (c->landed == removed)
        c->landed = slot;
    pairs_pause(&c->pairs);
    if (pairs_active(&c->pairs))
        pairs_update(&c->pairs, &c->pool, &c->scaling, earlier, removed);
    return true;
}

/*
 * Whether a merger at COST moves its SIZE iterations so far that more clusters are worth their
 * memory.
 */
static bool is_too_dear(const struct clustering *c, double cost, double size)
{
    double used = (double)c->account.held / (double)c->auto_bytes;
    double tolerated = AUTO_TOLERATED * (1 + AUTO_RESTRAINT * used);
    return cost > tolerated * tolerated * size * (double)c->scaling.live_metrics;
}

/*
 * Allows more clusters instead of merging the closest two at COST; false if they have to be
 * merged.
 */
static bool allow_more(struct clustering *c, uint32_t earlier, uint32_t later, double cost)
{
    double size = (double)pool_at(&c->pool, earlier)->size + pool_at(&c->pool, later)->size;
    uint32_t more = c->max_clusters + c->max_clusters / 4;
    if (c->account.held >= c->auto_bytes || more > CLUSTERS_AUTO_MOST ||
        !is_too_dear(c, cost, size) ||
        !pairs_grow(&c->pairs, &c->account, room_for(more, c->scaling.method) + 1))
        return false;
    c->max_clusters = more;
    c->room = room_for(more, c->scaling.method);
    return true;
}

/* Merges the closest two at any cost; false if there are none, or memory runs out. */
static bool merge_two(struct clustering *c)
{
    uint32_t earlier, later;
    double cost;
    bool has_matrix = pairs_active(&c->pairs) || pairs_start(&c->pairs, &c->account, &c->pool,
                                                             &c->scaling, c->pool.capacity);
    bool found = has_matrix ? pairs_closest(&c->pairs, &c->pool, &earlier, &later, &cost)
                            : pairs_search(&c->pool, &c->scaling, &earlier, &later);
    return found && merge(c, earlier, later);
}

/*
 * Merges the closest two, since the newest cluster is one too many; false, with nothing merged,
 * if out of memory.
 */
static bool merge_closest(struct clustering *c)
{
    uint32_t earlier, later;
    double cost;
    if (pairs_active(&c->pairs))
        pairs_update(&c->pairs, &c->pool, &c->scaling, c->pool.count - 1, NO_SLOT);
    else if (!pairs_start(&c->pairs, &c->account, &c->pool, &c->scaling, c->pool.capacity))
        return false;
    if (pairs_closest(&c->pairs, &c->pool, &earlier, &later, &cost))
        return allow_more(c, earlier, later, cost) || merge(c, earlier, later);
    /* The pool is crowded from now on, and distances are not used any more. */
    pairs_stop(&c->pairs, &c->account);
    return true;
}

/* When memory runs out, spare clusters are merged first.  False if there are none. */
static bool spare_one(struct clustering *c)
{
    if (c->max_clusters == 0 || c->pool.count <= c->max_clusters || crowded(c) || !merge_two(c))
        return false;
    c->room = c->pool.count;
    return true;
}

/* Removes the newest cluster, with its one iteration. */
static void drop_newest(struct clustering *c)
{
    uint32_t position = c->pool.count - 1, slot = c->pool.order[position];
    pool_remove(&c->pool, &c->account, position);
    if (pairs_active(&c->pairs))
        pairs_forget(&c->pairs, &c->pool, slot);
}

/* Makes the newest iteration a cluster; false, and nothing changed, if out of memory. */
static bool append(struct clustering *c, const struct iteration_profile *profile,
                   uint32_t class_id)
{
    uint32_t iteration = (uint32_t)(c->iterations - 1);
    uint32_t slot, limit;
    do {
        limit = c->max_clusters > 0 ? c->room + 1 : 0;
        slot = pool_append(&c->pool, &c->account, limit, profile, c->row, iteration, class_id);
    } while (slot == NO_SLOT && spare_one(c));
    if (slot == NO_SLOT)
        return false;
    pairs_pause(&c->pairs);
    c->pool.clusters[slot].label = ITERMAP_LABEL_UNMAPPED;
    c->landed = slot;
    if (c->pool.count == limit) {
        if (merge_closest(c))
            return true;
        drop_newest(c);
        return false;
    }
    /* There is a matrix already if more clusters were allowed. */
    if (pairs_active(&c->pairs))
        pairs_update(&c->pairs, &c->pool, &c->scaling, c->pool.count - 1, NO_SLOT);
    return true;
}

/* Adds an iteration while there is memory; false, with nothing kept, if there is none. */
static bool admit(struct clustering *c, const struct iteration_profile *profile)
{
    uint64_t hash = hash_of(c, profile);
    uint32_t class_id = find_class(c, profile, hash);
    while (classes_crowd_out(c, c->classes.count + (class_id == CLASS_NONE))) {
        relax(c);
        hash = hash_of(c, profile);
        class_id = find_class(c, profile, hash);
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

/*
 * Computes the distance of every cluster to the newest iteration: INFINITY for other classes.
 */
static void find_candidates(struct clustering *c, uint32_t class_id)
{
    const struct cost_side newest = {c->row, c->point, 1};
    scaling_place(&c->scaling, c->row, c->point);
    for (uint32_t p = 0; p < c->pool.count; p++) {
        struct cluster *cluster = pool_at(&c->pool, p);
        cluster->candidate = INFINITY;
        if (!pairs_active(&c->pairs))
            pool_place(&c->pool, &c->scaling, c->pool.order[p]);
        const struct cost_side side = pool_side(&c->pool, c->pool.order[p]);
        if (cluster->class_id == class_id)
            cluster->candidate = (double)cost_of_merging(&c->scaling, &newest, &side);
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

/*
 * Adds an iteration when memory runs out: to the closest cluster that can take it without
 * memory.
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

/*
 * Absorbs an iteration, with a weaker equivalence if need be: better to lose that than a
 * measurement.
 */
static bool relax_and_absorb(struct clustering *c, const struct iteration_profile *profile)
{
    while (c->may_relax) {
        relax(c);
        if (absorb(c, profile))
            return true;
    }
    return false;
}

/*
 * Enters the newest iteration's cluster into the map, once that is settled: a cluster gets a
 * label only if it stays.
 */
static void note_where(struct clustering *c, bool kept)
{
    if (!kept) {
        c->lost++;
        itermap_append(c->map, ITERMAP_LABEL_NONE);
        return;
    }
    uint32_t *label = &c->pool.clusters[c->landed].label;
    if (*label == ITERMAP_LABEL_UNMAPPED)
        *label = itermap_label(c->map, c->landed);
    itermap_append(c->map, *label);
}

bool clustering_add(struct clustering *clustering, const struct iteration_profile *profile)
{
    struct clustering *c = clustering;
    /* First, since what follows may pause, and who counts meanwhile counts this one. */
    const bool countable = c->iterations++ < UINT32_MAX;
    /* Not computed earlier: the thread that creates a clustering may trap inexact results. */
    if (c->scaling.size_share == 0)
        c->scaling.size_share = size_share(c);
    row_make(c->row, profile->condensed, c->condensed_count);
    if (scaling_add(&c->scaling, c->row, profile->samples) && pairs_active(&c->pairs))
        pairs_compute(&c->pairs, &c->pool, &c->scaling);
    bool admitted = countable && admit(c, profile);
    bool kept = admitted || (countable && (absorb(c, profile) || relax_and_absorb(c, profile)));
    note_where(c, kept);
    return admitted;
}

void clustering_finish(struct clustering *clustering)
{
    struct clustering *c = clustering;
    if (c->max_clusters == 0 || c->pool.count <= c->max_clusters || crowded(c))
        return;
    while (are_too_many(c, c->classes.count))
        relax(c);
    while (c->pool.count > c->max_clusters && merge_two(c))
        continue;
}

void clustering_skip(struct clustering *clustering, uint64_t count)
{
    itermap_append_many(clustering->map, ITERMAP_LABEL_NONE, count);
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

uint32_t clustering_limit(const struct clustering *clustering)
{
    return clustering->max_clusters;
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
