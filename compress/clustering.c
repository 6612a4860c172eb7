/*
 * The on-line clustering algorithm.  See clustering.h.
 *
 * The rooms it is built from: classes (equivalence.h) say who may be together, the pool
 * (pool.h) holds the clusters, pairs (pairs.h) knows which two are closest, room (room.c) says
 * how many there may be, the map (itermap.h) knows where every iteration went.  This file only
 * says in which order things happen:
 *
 *     classify -> append as a cluster of its own -> one too many? merge the closest pair
 *
 * and what happens instead when memory runs out (absorb) or when there are so many classes that
 * no two clusters may be merged (crowded).
 */
#include "compress/clustering.h"

#include <math.h>

#include "compress/clustering_state.h"
#include "compress/unexplained.h"

/*
 * Rows of condensed values that belong to the clustering itself: the newest iteration's, sums,
 * squares, maxima, two sets of weights, tops and numbers of cells, and a point of floats, which
 * is longer than half a row by POINT_ROOM doubles.
 */
enum { ROWS = 9, POINT_ROOM = FEATURES_MOST / 2 };

/* CLUSTERS_AUTO: by how much the number of clusters may fall with one iteration. */
enum { SHRINK_EACH = 3 };

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

/* What is known of cells may take this part of what the map may: enough for some 3000 call
 * paths where that is 8 MB. */
enum { CELLS_PART = 4 };

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
    c->cells.occurred = c->rows + 7 * length;
    c->point = (float *)(c->rows + 8 * length);
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
    struct account account = {.source = config->memory,
                              .pause = config->pause,
                              .pause_context = config->pause_context};
    struct clustering *c = account_take(&account, clustering_bytes(config->condensed_count));
    if (!c)
        return NULL;
    *c = (struct clustering){
        .account = account,
        .condensed_count = config->condensed_count,
        .pairs = {.account = &c->account},
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

/* Weakens the equivalence to COMMUNICATION, which ignores visits, and regroups the clusters. */
static void forget_visits(struct clustering *c)
{
    classes_unite(&c->classes, &c->account, EQUIVALENCE_COMMUNICATION);
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

/*
 * Where classes are united the pool is not crowded any more, although there may be more
 * clusters than allowed: spare_one lowers what is allowed after classes were found to be few
 * enough.
 */
static void admit_crowd(struct clustering *c)
{
    if (room_is_crowded(c) && c->is_auto)
        room_set(c, c->pool.count);
    else if (room_is_crowded(c))
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
    const struct class_pair pair = classes_unite_similar(&c->classes, &c->account);
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
        classes_liken(&c->classes, &c->account);
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

static uint64_t hash_of(const struct clustering *c, const struct iteration_profile *profile)
{
    return equivalence_hash(c->classes.mode, &c->account, profile->paths, profile->path_count);
}

static uint32_t find_class(const struct clustering *c, const struct iteration_profile *profile,
                           uint64_t hash)
{
    if (c->classes.mode == EQUIVALENCE_NONE)
        return 0;
    return classes_find(&c->classes, &c->account, hash, profile->paths, profile->path_count);
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
                     ? pairs_closest(&c->pairs, &c->pool, &c->scaling, &earlier, &later, &cost)
                     : pairs_search(&c->pairs, &c->pool, &c->scaling, &earlier, &later);
    return found && merge(c, earlier, later);
}

/*
 * CLUSTERS_AUTO: lets the number of clusters, of which there are as many as there is room for,
 * fall by one if that costs little, or has to be.  Returns whether it has.
 */
static bool shrink(struct clustering *c)
{
    uint32_t earlier, later;
    double cost;
    if (!room_may_fall(c) ||
        !pairs_closest(&c->pairs, &c->pool, &c->scaling, &earlier, &later, &cost))
        return false;
    bool dear = room_is_too_dear(c, earlier, later);
    if (dear && room_is_worth_it(c))
        return false;
    c->broke_bound |= dear;
    if (!merge(c, earlier, later))
        return false;
    room_set(c, c->pool.count);
    return true;
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
    if (!pairs_closest(&c->pairs, &c->pool, &c->scaling, &earlier, &later, &cost)) {
        /* The pool is crowded from now on, and distances are not used any more. */
        pairs_stop(&c->pairs, &c->account);
        return true;
    }
    if (room_allows_more(c, earlier, later)) {
        room_set(c, c->room + 1);
        return true;
    }
    c->broke_bound |= c->error_bound > 0 && room_is_too_dear(c, earlier, later);
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
    if (least == 0 || c->pool.count <= least || room_is_crowded(c) || !merge_two(c))
        return false;
    if (c->is_auto)
        room_fill_up(c, c->pool.count);
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
             (c->scaling.method != CLUSTERING_SZEBENYI && room_fills_up(c) && start_costs(c)))
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

/*
 * Adds the class of an iteration that is of none, and returns its number; CLASS_NONE if out of
 * memory.  Where only one class is allowed, both are united at once: otherwise each would keep
 * a cluster.
 */
static uint32_t add_class(struct clustering *c, const struct iteration_profile *profile,
                          uint64_t hash)
{
    if (classes_add(&c->classes, &c->account, hash, profile->paths, profile->path_count) ==
        CLASS_NONE)
        return CLASS_NONE;
    while (classes_crowd_out(c, c->classes.count))
        thin_out(c);
    return c->classes.count - 1;
}

/* Adds an iteration while there is memory; false, with nothing kept, if there is none. */
static bool admit(struct clustering *c, const struct iteration_profile *profile)
{
    if (room_is_full(c))
        room_fill_up(c, c->pool.count);
    uint64_t hash = hash_of(c, profile);
    uint32_t class_id = find_class(c, profile, hash);
    while (classes_crowd_out(c, c->classes.count + (class_id == CLASS_NONE))) {
        thin_out(c);
        hash = hash_of(c, profile);
        class_id = find_class(c, profile, hash);
    }
    if (class_id != CLASS_NONE)
        return room_is_crowded(c) ? take_in(c, class_id, profile)
                                  : append(c, profile, class_id);
    const uint32_t classes = c->classes.count;
    class_id = add_class(c, profile, hash);
    if (class_id == CLASS_NONE)
        return false;
    if (append(c, profile, class_id))
        return true;
    if (c->classes.count > classes)
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
           pairs_closest(&c->pairs, &c->pool, &c->scaling, &earlier, &later, &cost) &&
           !room_is_too_dear(c, earlier, later) && merge(c, earlier, later))
        room_set(c, c->pool.count + ROOM_SPARE);
}

void clustering_finish(struct clustering *clustering)
{
    struct clustering *c = clustering;
    if (c->error_bound > 0 && c->is_auto) {
        merge_within_bound(c);
        return;
    }
    if (c->max_clusters == 0 || c->pool.count <= c->max_clusters ||
        (room_is_crowded(c) && (!c->may_relax || c->is_auto)) || (c->is_auto && !c->full))
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
