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
#include "compress/cells.h"
#include "compress/equivalence.h"
#include "compress/itermap.h"
#include "compress/pairs.h"
#include "compress/pool.h"
#include "compress/reweighing.h"
#include "compress/scaling.h"
#include "compress/unexplained.h"

/*
 * Rows of condensed values that belong to the clustering itself: the newest iteration's, sums,
 * squares, maxima, two sets of weights, tops of cells, and a point of floats, which is longer
 * than half a row by POINT_ROOM doubles.
 */
enum { ROWS = 8, POINT_ROOM = FEATURES_MOST / 2 };

struct clustering {
    struct account account;
    uint32_t max_clusters; /* in the end; CLUSTERS_AUTO: chosen so far */
    uint32_t room;         /* most clusters while iterations are added */
    uint32_t condensed_count;
    bool is_auto;
    bool full; /* CLUSTERS_AUTO: there is no room any more to keep every iteration */
    size_t auto_bytes;
    double error_bound;
    bool broke_bound;
    bool merged;    /* some cluster has several iterations */
    bool may_relax; /* EQUIVALENCE_AUTO or SIMILAR, and not come to NONE */
    uint64_t iterations;
    uint64_t lost;
    struct classes classes;
    struct pool pool;
    struct pairs pairs;
    struct itermap *map;
    uint32_t landed; /* slot of the cluster that the newest iteration is in */
    struct cells cells;
    struct scaling scaling;
    struct reweighing change;
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

/* CLUSTERS_AUTO: by how much the number of clusters may fall with one iteration. */
enum { SHRINK_EACH = 3 };

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

/* What is known of cells may take this part of what the map may. */
enum { CELLS_PART = 32 };

static size_t clustering_bytes(uint32_t condensed_count)
{
    return sizeof(struct clustering) +
           (ROWS * row_length(condensed_count) + POINT_ROOM) * sizeof(double);
}

static struct pool empty_pool(const struct clustering_config *config)
{
    const size_t length = row_length(config->condensed_count);
    return (struct pool){.row_length = length,
                         .point_length =
                             config->method == CLUSTERING_SZEBENYI ? 0 : point_most(length)};
}

static size_t map_bytes(const struct clustering_config *config)
{
    const bool too_small = config->map_bytes > 0 && config->map_bytes < MAP_LEAST_BYTES;
    return too_small ? MAP_LEAST_BYTES : config->map_bytes;
}

size_t clustering_bytes_for_one(const struct clustering_config *config, size_t cells,
                                size_t paths)
{
    const struct pool pool = empty_pool(config);
    return clustering_bytes(config->condensed_count) + MAP_LEAST_BYTES +
           pool_least_bytes(&pool) + classes_bytes_for_one(paths) + sparse_bytes(cells) +
           presence_bytes(paths) +
           (config->role ? cells_bytes_for(config->map_bytes / CELLS_PART, cells) : 0);
}

static void share_out_rows(struct clustering *c, size_t length)
{
    for (size_t i = 0; i < ROWS * length + POINT_ROOM; i++)
        c->rows[i] = 0;
    c->row = c->rows;
    c->scaling.sums = c->rows + length;
    c->scaling.squares = c->rows + 2 * length;
    c->scaling.maxima = c->rows + 3 * length;
    c->scaling.sets[0].metrics = c->rows + 4 * length;
    c->scaling.sets[1].metrics = c->rows + 5 * length;
    c->cells.tops = c->rows + 6 * length;
    c->point = (float *)(c->rows + 7 * length);
}

static void configure(struct clustering *c, const struct clustering_config *config)
{
    c->is_auto = config->max_clusters == CLUSTERS_AUTO;
    c->max_clusters = c->is_auto ? CLUSTERS_AUTO_LEAST : config->max_clusters;
    c->room = c->is_auto ? CLUSTERS_AUTO_KEPT : room_for(config->max_clusters, config->method);
    c->auto_bytes = config->auto_bytes;
    c->error_bound = config->error_bound;
    c->may_relax =
        config->equivalence == EQUIVALENCE_AUTO || config->equivalence == EQUIVALENCE_SIMILAR;
    c->classes.mode =
        config->equivalence == EQUIVALENCE_AUTO ? EQUIVALENCE_HYBRID : config->equivalence;
}

struct clustering *clustering_create(const struct clustering_config *config)
{
    size_t length = row_length(config->condensed_count);
    struct account account = {.source = config->memory};
    struct clustering *c = account_take(&account, clustering_bytes(config->condensed_count));
    if (!c)
        return NULL;
    *c = (struct clustering){
        .account = account,
        .condensed_count = config->condensed_count,
        .pairs = {.pause = config->pause, .pause_context = config->pause_context},
        .pool = empty_pool(config),
        .cells = {.role = config->role,
                  .role_context = config->role_context,
                  .bound = config->map_bytes / CELLS_PART},
        .scaling = {.method = config->method, .length = length, .cells = &c->cells},
    };
    configure(c, config);
    share_out_rows(c, length);
    c->map = itermap_create(&c->account, map_bytes(config));
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
    cells_clear(&clustering->cells, &account);
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

static void set_room(struct clustering *c, uint32_t room)
{
    uint32_t spare = c->scaling.method == CLUSTERING_SZEBENYI ? 0 : LEAST_SPARE;
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

/* Weakens the equivalence to COMMUNICATION, which ignores visits, and regroups the clusters. */
static void forget_visits(struct clustering *c)
{
    classes_unite(&c->classes, EQUIVALENCE_COMMUNICATION, c->pairs.pause,
                  c->pairs.pause_context);
    for (uint32_t p = 0; p < c->pool.count; p++) {
        uint32_t *class_id = &pool_at(&c->pool, p)->class_id;
        *class_id = classes_united(&c->classes, *class_id);
    }
    pairs_pause(&c->pairs);
    classes_drop_united(&c->classes, &c->account);
    pairs_pause(&c->pairs);
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

/* Where classes are united the pool is not crowded any more, although there may be more
 * clusters than allowed. */
static void admit_crowd(struct clustering *c)
{
    if (crowded(c) && c->is_auto)
        set_room(c, c->pool.count);
    else if (crowded(c))
        c->room = c->pool.count;
}

/* Brings the costs to the classes that there are now. */
static void renew_costs(struct clustering *c)
{
    if (pairs_active(&c->pairs))
        reweighing_end(&c->change, &c->pool, &c->pairs, &c->scaling);
    else
        pairs_stop(&c->pairs, &c->account);
}

/* Weakens the equivalence by a step, since memory is out. */
static void relax(struct clustering *c)
{
    admit_crowd(c);
    if (c->classes.mode == EQUIVALENCE_HYBRID)
        forget_visits(c);
    else
        forget_paths(c);
    renew_costs(c);
}

/* To be called when the cluster at POSITION has changed; REMOVED is merged into it. */
static void update_costs(struct clustering *c, uint32_t position, uint32_t removed)
{
    reweighing_note(&c->change, &c->pool, &c->scaling, c->pool.order[position]);
    pairs_update(&c->pairs, &c->pool, &c->scaling, position, removed);
}

/* Unites the two classes that differ least, and lets their clusters be merged. */
static void unite_similar(struct clustering *c)
{
    admit_crowd(c);
    const struct class_pair pair =
        classes_unite_similar(&c->classes, &c->account, c->pairs.pause, c->pairs.pause_context);
    for (uint32_t p = 0; p < c->pool.count; p++) {
        uint32_t *class_id = &pool_at(&c->pool, p)->class_id;
        if (*class_id == pair.later)
            *class_id = pair.earlier;
        else if (*class_id > pair.later)
            --*class_id;
    }
    if (!pairs_active(&c->pairs)) {
        pairs_stop(&c->pairs, &c->account);
        return;
    }
    for (uint32_t p = 0; p < c->pool.count; p++)
        if (pool_at(&c->pool, p)->class_id == pair.earlier)
            update_costs(c, p, NO_SLOT);
}

/* Weakens the equivalence, since classes are too many: no more than it takes. */
static void thin_out(struct clustering *c)
{
    if (c->classes.mode == EQUIVALENCE_HYBRID) {
        relax(c);
        return;
    }
    if (c->classes.mode == EQUIVALENCE_COMMUNICATION)
        classes_liken(&c->classes);
    unite_similar(c);
}

/* Whether the number of CLASSES is what keeps too many clusters apart. */
static bool are_too_many(const struct clustering *c, uint32_t classes)
{
    return c->may_relax && c->classes.count > 1 &&
           classes > (c->max_clusters / 2 > 0 ? c->max_clusters / 2 : 1);
}

/* Whether a cluster has to go and classes keep too many apart. */
static bool classes_crowd_out(const struct clustering *c, uint32_t classes)
{
    return c->max_clusters > 0 && c->pool.count >= c->room && are_too_many(c, classes);
}

/* CLUSTERS_AUTO: there is no room to keep every iteration any more. */
static void fill_up(struct clustering *c, uint32_t room)
{
    const uint32_t least = room_for(CLUSTERS_AUTO_LEAST, c->scaling.method);
    c->full = true;
    set_room(c, room > least ? room : least);
}

/* CLUSTERS_AUTO: whether that is so now, before another iteration is added. */
static bool is_full(const struct clustering *c)
{
    return c->is_auto && !c->full && (c->pool.count >= c->room || used(c) >= 1);
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
    c->merged = true;
    c->landed = c->pool.order[position];
    if (pairs_active(&c->pairs))
        update_costs(c, position, NO_SLOT);
    else
        pairs_stop(&c->pairs, &c->account);
    return true;
}

static bool merge(struct clustering *c, uint32_t earlier, uint32_t later)
{
    struct cluster *a = pool_at(&c->pool, earlier), *b = pool_at(&c->pool, later);
    uint32_t slot = c->pool.order[earlier], removed = c->pool.order[later];
    uint32_t labels[] = {a->label, b->label};
    if (!pool_merge(&c->pool, &c->account, earlier, later))
        return false;
    c->merged = true;
    a->label = itermap_merge(c->map, labels[0], labels[1], slot);
    if (c->landed == removed)
        c->landed = slot;
    pairs_pause(&c->pairs);
    if (pairs_active(&c->pairs))
        update_costs(c, earlier, removed);
    return true;
}

/* Takes the first weights and begins the matrix; false if out of memory. */
static bool start_costs(struct clustering *c)
{
    if (c->pairs.rows)
        return true;
    c->change = (struct reweighing){REWEIGHING_NONE, 0};
    if (c->scaling.method != CLUSTERING_SZEBENYI) {
        while (!scaling_choose(&c->scaling))
            pairs_pause(&c->pairs);
        pairs_pause(&c->pairs);
        scaling_weigh(&c->scaling, c->scaling.now);
        pairs_pause(&c->pairs);
    }
    return pairs_start(&c->pairs, &c->account, &c->pool);
}

/* Makes sure that there are all costs; false if out of memory. */
static bool have_costs(struct clustering *c)
{
    return pairs_active(&c->pairs) ||
           (start_costs(c) &&
            pairs_build(&c->pairs, &c->account, &c->pool, &c->scaling, UINT64_MAX));
}

/* Merges the closest two at any cost; false if there are none, or memory runs out. */
static bool merge_two(struct clustering *c)
{
    uint32_t earlier, later;
    double cost;
    bool found = have_costs(c)
                     ? pairs_closest(&c->pairs, &c->pool, &earlier, &later, &cost)
                     : pairs_search(&c->pairs, &c->pool, &c->scaling, &earlier, &later);
    return found && merge(c, earlier, later);
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

/*
 * Whether merging two clusters would move their iterations so far that more clusters are worth
 * their memory.
 */
static bool is_too_dear(const struct clustering *c, uint32_t earlier, uint32_t later)
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

/*
 * CLUSTERS_AUTO: lets the number of clusters, of which there are as many as there is room for,
 * fall by one if that costs little, or has to be.  Returns whether it has.
 */
static bool shrink(struct clustering *c)
{
    uint32_t earlier, later;
    double cost;
    if (c->room <= auto_least(c) + LEAST_SPARE ||
        !pairs_closest(&c->pairs, &c->pool, &earlier, &later, &cost))
        return false;
    bool dear = is_too_dear(c, earlier, later);
    if (dear && c->room <= auto_most(c) && used(c) < 1)
        return false;
    c->broke_bound |= dear;
    if (!merge(c, earlier, later))
        return false;
    set_room(c, c->pool.count);
    return true;
}

/* CLUSTERS_AUTO: whether there may be one more instead of merging two. */
static bool allows_more(const struct clustering *c, uint32_t earlier, uint32_t later)
{
    return c->is_auto && c->room < auto_most(c) && used(c) < 1 &&
           is_too_dear(c, earlier, later);
}

/*
 * Merges the closest two, since the newest cluster is one too many; false, with nothing merged,
 * if out of memory.
 */
static bool merge_closest(struct clustering *c)
{
    uint32_t earlier, later;
    double cost;
    if (!have_costs(c))
        return false;
    if (!pairs_closest(&c->pairs, &c->pool, &earlier, &later, &cost)) {
        /* The pool is crowded from now on, and distances are not used any more. */
        pairs_stop(&c->pairs, &c->account);
        return true;
    }
    if (allows_more(c, earlier, later)) {
        set_room(c, c->room + 1);
        return true;
    }
    c->broke_bound |= c->error_bound > 0 && is_too_dear(c, earlier, later);
    if (!merge(c, earlier, later))
        return false;
    /* By some at once: each iteration that comes while there are many pays for all of them. */
    for (int i = 0; c->is_auto && i < SHRINK_EACH && shrink(c); i++)
        continue;
    return true;
}

/* When memory runs out, spare clusters are merged first.  False if there are none. */
static bool spare_one(struct clustering *c)
{
    uint32_t least = c->is_auto ? CLUSTERS_AUTO_LEAST : c->max_clusters;
    if (least == 0 || c->pool.count <= least || crowded(c) || !merge_two(c))
        return false;
    if (c->is_auto)
        fill_up(c, c->pool.count);
    else
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
    else
        pairs_stop(&c->pairs, &c->account);
}

/*
 * So many costs are computed with an iteration when clusters begin to be many: some 40
 * microseconds.
 */
enum { COSTS_EACH = 4096 };

/* Whether three quarters of what there is room for are used: time to compute costs. */
static bool fills_up(const struct clustering *c)
{
    return 4 * (uint64_t)c->pool.count > 3 * (uint64_t)c->room ||
           (c->is_auto && !c->full && 4 * used(c) > 3);
}

/*
 * Computes what costs the newest cluster needs, or begins with all of them before the first two
 * clusters have to be merged: otherwise that one iteration would take long.
 */
static void prepare_costs(struct clustering *c)
{
    if (c->max_clusters == 0 || c->pool.count > c->room + 1)
        return;
    if (pairs_active(&c->pairs))
        update_costs(c, c->pool.count - 1, NO_SLOT);
    else if (c->pairs.rows ||
             (c->scaling.method != CLUSTERING_SZEBENYI && fills_up(c) && start_costs(c)))
        pairs_build(&c->pairs, &c->account, &c->pool, &c->scaling, COSTS_EACH);
}

/* Makes the newest iteration a cluster; false, and nothing changed, if out of memory. */
static bool append(struct clustering *c, const struct iteration_profile *profile,
                   uint32_t class_id)
{
    uint32_t iteration = (uint32_t)(c->iterations - 1);
    uint32_t slot;
    do {
        slot = pool_append(&c->pool, &c->account, profile, c->row, iteration, class_id);
    } while (slot == NO_SLOT && spare_one(c));
    if (slot == NO_SLOT)
        return false;
    pairs_pause(&c->pairs);
    pool_cluster(&c->pool, slot)->label = ITERMAP_LABEL_UNMAPPED;
    c->landed = slot;
    if (pairs_active(&c->pairs) && !pairs_reserve(&c->pairs, &c->account, slot)) {
        pool_remove(&c->pool, &c->account, c->pool.count - 1);
        return false;
    }
    prepare_costs(c);
    if (c->max_clusters == 0 || c->pool.count != c->room + 1 || merge_closest(c))
        return true;
    drop_newest(c);
    return false;
}

/* Adds an iteration while there is memory; false, with nothing kept, if there is none. */
static bool admit(struct clustering *c, const struct iteration_profile *profile)
{
    if (is_full(c))
        fill_up(c, c->pool.count);
    uint64_t hash = hash_of(c, profile);
    uint32_t class_id = find_class(c, profile, hash);
    while (classes_crowd_out(c, c->classes.count + (class_id == CLASS_NONE))) {
        thin_out(c);
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
static void find_candidates(struct clustering *c, uint32_t class_id,
                            const struct iteration_profile *profile)
{
    const struct cost_side newest = {c->row, c->point, 1};
    const struct sparse cells = {.values = (int64_t *)profile->values,
                                 .cells = (uint32_t *)profile->cells,
                                 .count = profile->cell_count};
    if (c->pool.point_length > 0)
        weights_place(&c->scaling.sets[c->scaling.now], c->pool.row_length, c->row, &cells, 1,
                      c->point);
    for (uint32_t p = 0; p < c->pool.count; p++) {
        struct cluster *cluster = pool_at(&c->pool, p);
        cluster->candidate = INFINITY;
        if (!pairs_active(&c->pairs))
            pool_place(&c->pool, &c->scaling, c->pool.order[p], c->scaling.now);
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
    find_candidates(c, find_class(c, profile, hash_of(c, profile)), profile);
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
 * Counts the newest iteration in its class, and enters its cluster into the map, once that is
 * settled: a cluster gets a label only if it stays.
 */
static void note_where(struct clustering *c, bool kept)
{
    if (!kept) {
        c->lost++;
        itermap_append(c->map, ITERMAP_LABEL_NONE);
        return;
    }
    if (c->classes.mode != EQUIVALENCE_NONE)
        classes_count(&c->classes, pool_cluster(&c->pool, c->landed)->class_id);
    uint32_t *label = &pool_cluster(&c->pool, c->landed)->label;
    if (*label == ITERMAP_LABEL_UNMAPPED)
        *label = itermap_label(c->map, c->landed);
    itermap_append(c->map, *label);
}

/* Goes on with a change of weights, or begins one that the newest iteration makes necessary. */
static void keep_weights(struct clustering *c)
{
    if (c->scaling.method == CLUSTERING_SZEBENYI || !pairs_active(&c->pairs))
        return;
    if (c->change.step != REWEIGHING_NONE)
        reweighing_go_on(&c->change, &c->pool, &c->pairs, &c->scaling);
    else if (scaling_wants_change(&c->scaling, c->row))
        reweighing_start(&c->change, &c->pool, &c->pairs, &c->scaling);
}

/*
 * Measures what the clusters explain before features are chosen by it: now, since of the next
 * iteration the cells are known before its cluster.
 */
static void take_stock(struct clustering *c)
{
    if (c->scaling.method != CLUSTERING_SZEBENYI && pairs_active(&c->pairs) && c->lost == 0 &&
        c->change.step == REWEIGHING_NONE && scaling_chooses_next(&c->scaling))
        unexplained_measure(&c->pairs, &c->pool, &c->scaling);
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
    scaling_add(&c->scaling, c->row);
    if (c->cells.role && countable)
        cells_add(&c->cells, &c->account, profile, (uint32_t)(c->iterations - 1));
    pairs_pause(&c->pairs);
    keep_weights(c);
    bool admitted = countable && admit(c, profile);
    bool kept = admitted || (countable && (absorb(c, profile) || relax_and_absorb(c, profile)));
    note_where(c, kept);
    take_stock(c);
    return admitted;
}

/* Merges all clusters that the error bound allows to be merged. */
static void merge_within_bound(struct clustering *c)
{
    uint32_t earlier, later;
    double cost;
    while (c->pool.count > 1 && have_costs(c) &&
           pairs_closest(&c->pairs, &c->pool, &earlier, &later, &cost) &&
           !is_too_dear(c, earlier, later) && merge(c, earlier, later))
        set_room(c, c->pool.count + LEAST_SPARE);
}

void clustering_finish(struct clustering *clustering)
{
    struct clustering *c = clustering;
    if (c->error_bound > 0 && c->is_auto) {
        merge_within_bound(c);
        return;
    }
    if (c->max_clusters == 0 || c->pool.count <= c->max_clusters || crowded(c) ||
        (c->is_auto && !c->full))
        return;
    while (are_too_many(c, c->classes.count))
        thin_out(c);
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
