/*
 * Proves that CLUSTERS_AUTO keeps every iteration while there is room, that clustering then
 * begins without a jump in numbers, memory or work, and that an error bound is kept, or that it
 * is said that it was not.  And that what is known of cells takes no more than it may.
 */
#include "compress/clustering.h"

#include <math.h>

#include "counting_memory.h"
#include "random_iterations.h"
#include "tap.h"

#include <stdlib.h>

enum { ITERATIONS = 3000, METRICS = 4, CELLS = 60 };

static struct cell_role role_of(void *context, uint32_t cell)
{
    (void)context;
    return (struct cell_role){
        .metric = cell % METRICS, .compared = true, .largest = cell % 5 == 0};
}

static struct clustering *create(struct counting_memory *memory, size_t bytes, double bound)
{
    struct clustering_config config = {.max_clusters = CLUSTERS_AUTO,
                                       .condensed_count = METRICS,
                                       .role = role_of,
                                       .memory = counting_source(memory),
                                       .method = CLUSTERING_ADAPTIVE,
                                       .equivalence = EQUIVALENCE_AUTO,
                                       .auto_bytes = bytes,
                                       .error_bound = bound};
    return clustering_create(&config);
}

/* One iteration takes what is said, so that memory can be set aside for it. */
static void one_takes_what_is_said(uint32_t cells)
{
    struct counting_memory memory = {0};
    const struct clustering_config config = {.max_clusters = CLUSTERS_AUTO,
                                             .condensed_count = METRICS,
                                             .role = role_of,
                                             .memory = counting_source(&memory),
                                             .method = CLUSTERING_ADAPTIVE,
                                             .equivalence = EQUIVALENCE_WEAK,
                                             .map_bytes = 64 << 20};
    struct clustering *clustering = clustering_create(&config);
    uint32_t *numbers = malloc(cells * sizeof *numbers);
    int64_t *values = malloc(cells * sizeof *values);
    struct path_entry *paths = malloc(cells * sizeof *paths);
    for (uint32_t i = 0; i < cells; i++) {
        numbers[i] = 5 * i;
        values[i] = 1;
        paths[i] = (struct path_entry){.path = i, .kind = PATH_MPI, .visits = 1};
    }
    const double condensed[METRICS] = {1};
    OK(clustering_add(clustering, &(struct iteration_profile){.cells = numbers,
                                                              .values = values,
                                                              .cell_count = cells,
                                                              .paths = paths,
                                                              .path_count = cells,
                                                              .condensed = condensed}),
       "an iteration of %u cells", cells);
    const size_t said = clustering_bytes_for_one(&config, cells, cells);
    OK(memory.held <= said && said <= 2 * memory.held, "takes %zu bytes, said are %zu",
       memory.held, said);
    clustering_destroy(clustering);
    free(numbers);
    free(values);
    free(paths);
}

/* Values around 1000 that vary by up to NOISE, a share; they drift as well. */
static void make(struct random_iteration *it, uint32_t number, double noise)
{
    uint64_t state = number + 17;
    memset(it->condensed, 0, METRICS * sizeof(*it->condensed));
    for (uint32_t c = 0; c < CELLS; c++) {
        double chance = (double)(random_next(&state) % 2001) / 1000 - 1;
        it->cells[c] = c;
        it->values[c] = (int64_t)(100000 * (1 + noise * chance) * (1 + number / 3000.0));
        it->condensed[c % METRICS] += (double)it->values[c];
    }
    it->profile = (struct iteration_profile){.cells = it->cells,
                                             .values = it->values,
                                             .cell_count = CELLS,
                                             .condensed = it->condensed,
                                             .wall_ns = 1000};
}

static void every_iteration_is_kept(void)
{
    struct counting_memory memory = {0};
    struct random_iteration it;
    struct clustering *clustering = create(&memory, 8 << 20, 0);
    for (uint32_t i = 0; i < 300; i++) {
        make(&it, i, 0.05);
        clustering_add(clustering, &it.profile);
    }
    clustering_finish(clustering);
    EQ_INT(clustering_count(clustering), 300, "300 iterations are kept");
    OK(clustering_keeps_all(clustering), "and it is said so");
    EQ_INT(clustering_limit(clustering), 300, "with as many clusters allowed");
    clustering_destroy(clustering);
}

/* Iterations of CLASSES kinds, which differ in what they call, in turn. */
static void make_kind(struct random_iteration *it, uint32_t number, uint32_t classes)
{
    make(it, number, 0.01);
    it->paths[0] = (struct path_entry){.path = number % classes, .kind = PATH_MPI, .visits = 1};
    it->profile.paths = it->paths;
    it->profile.path_count = 1;
}

static uint32_t largest_cluster(const struct clustering *clustering)
{
    uint32_t largest = 0;
    for (uint32_t i = 0; i < clustering_count(clustering); i++) {
        struct cluster_view view;
        clustering_view(clustering, i, &view);
        largest = view.size > largest ? view.size : largest;
    }
    return largest;
}

/* Where memory for keeping all ends, classes that are not too many for what there is stay. */
static void classes_stay_when_clustering_begins(void)
{
    struct counting_memory memory = {0};
    struct random_iteration it;
    struct clustering *clustering = create(&memory, 16 << 20, 0);
    for (uint32_t i = 0; i < ITERATIONS; i++) {
        make_kind(&it, i, 60);
        clustering_add(clustering, &it.profile);
    }
    clustering_finish(clustering);
    EQ_INT(clustering_equivalence(clustering), EQUIVALENCE_HYBRID, "60 classes stay apart");
    EQ_INT(clustering_classes(clustering), 60, "all of them");
    clustering_destroy(clustering);
}

/* Where there are as many classes as iterations, they do not all end up in one cluster. */
static void too_many_classes_are_clustered(void)
{
    struct counting_memory memory = {0};
    struct random_iteration it;
    struct clustering *clustering = create(&memory, 1 << 20, 0);
    for (uint32_t i = 0; i < ITERATIONS; i++) {
        make_kind(&it, i, ITERATIONS);
        clustering_add(clustering, &it.profile);
    }
    clustering_finish(clustering);
    EQ_INT(clustering_equivalence(clustering), EQUIVALENCE_SIMILAR,
           "those are united that differ least");
    OK(largest_cluster(clustering) < ITERATIONS / 8, "the largest cluster has %u iterations",
       largest_cluster(clustering));
    clustering_destroy(clustering);
}

/*
 * With classes that may be united there are never more clusters than asked for, few as these
 * may be: not when any iteration is the last, and by the published method not before either.
 */
static void few_clusters_are_enough(enum clustering_method method, enum equivalence equivalence,
                                    uint32_t most, uint32_t kinds)
{
    uint32_t meanwhile = 0, finally = 0;
    for (uint32_t count = 1; count <= 20; count++) {
        struct random_iteration it;
        struct counting_memory memory = {0};
        const struct clustering_config config = {.max_clusters = most,
                                                 .condensed_count = METRICS,
                                                 .memory = counting_source(&memory),
                                                 .method = method,
                                                 .equivalence = equivalence};
        struct clustering *clustering = clustering_create(&config);
        for (uint32_t i = 0; i < count; i++) {
            make_kind(&it, i, kinds);
            clustering_add(clustering, &it.profile);
            if (clustering_count(clustering) > meanwhile)
                meanwhile = clustering_count(clustering);
        }
        clustering_finish(clustering);
        if (clustering_count(clustering) > finally)
            finally = clustering_count(clustering);
        clustering_destroy(clustering);
    }
    OK(finally <= most, "of %u kinds of iterations there are at most %u clusters in the end",
       kinds, most);
    OK(method != CLUSTERING_SZEBENYI || meanwhile <= most, "and no more before");
}

static void few_clusters_are_enough_by_any_method(uint32_t most, uint32_t kinds)
{
    few_clusters_are_enough(CLUSTERING_SZEBENYI, EQUIVALENCE_SIMILAR, most, kinds);
    few_clusters_are_enough(CLUSTERING_SZEBENYI, EQUIVALENCE_AUTO, most, kinds);
    few_clusters_are_enough(CLUSTERING_ADAPTIVE, EQUIVALENCE_SIMILAR, most, kinds);
    few_clusters_are_enough(CLUSTERING_ADAPTIVE, EQUIVALENCE_AUTO, most, kinds);
}

/*
 * Clusters in the end, of which there may be one, of iterations of nearly as many classes, if
 * LENGTH requests for memory from number FIRST on fail; CLUSTERS_AUTO if none did.
 */
static uint32_t clusters_if_requests_fail(uint64_t first, uint64_t length)
{
    enum { KINDS = 7, KEPT = 9 };
    struct counting_memory memory = {.fail_from = first, .fail_to = first + length - 1};
    struct random_iteration it;
    const struct clustering_config config = {.max_clusters = 1,
                                             .condensed_count = METRICS,
                                             .memory = counting_source(&memory),
                                             .method = CLUSTERING_ADAPTIVE,
                                             .equivalence = EQUIVALENCE_SIMILAR};
    struct clustering *clustering = clustering_create(&config);
    for (uint32_t i = 0; clustering && i < KEPT; i++) {
        make_kind(&it, i, i + 1 < KEPT ? KINDS : KEPT);
        clustering_add(clustering, &it.profile);
    }
    const uint64_t failures = memory.failures;
    uint32_t clusters = 1;
    if (clustering && failures > 0) {
        clustering_finish(clustering);
        clusters = memory.failures > failures ? 1 : clustering_count(clustering);
    }
    clustering_destroy(clustering);
    return failures > 0 ? clusters : CLUSTERS_AUTO;
}

/* Memory that ran out once, so that spare clusters were merged, leaves no more than asked for.
 */
static void one_cluster_is_left_whatever_memory_did(uint64_t length)
{
    uint64_t first = 1, wrong = 0;
    for (uint32_t clusters;
         (clusters = clusters_if_requests_fail(first, length)) != CLUSTERS_AUTO; first++)
        if (clusters > 1 && wrong == 0)
            wrong = first;
    OK(wrong == 0 && first > 20, "%u requests fail, from any of %u on: there is one cluster",
       (unsigned)length, (unsigned)first);
}

/* The most that iterations change: clusters down, up, and bytes held in all. */
struct changes {
    int down, up;
    size_t held;
    uint32_t most, last;
};

static struct changes run(struct clustering *clustering, struct counting_memory *memory,
                          double noise)
{
    struct changes changes = {0};
    struct random_iteration it;
    for (uint32_t i = 0; i < ITERATIONS; i++) {
        make(&it, i, noise);
        clustering_add(clustering, &it.profile);
        int change = (int)clustering_count(clustering) - (int)changes.last;
        changes.last = clustering_count(clustering);
        changes.down = -change > changes.down ? -change : changes.down;
        changes.up = change > changes.up ? change : changes.up;
        changes.most = changes.last > changes.most ? changes.last : changes.most;
        changes.held = memory->held > changes.held ? memory->held : changes.held;
    }
    return changes;
}

static void clustering_begins_gently(size_t bytes, double noise)
{
    struct counting_memory memory = {0};
    struct clustering *clustering = create(&memory, bytes, 0);
    struct changes changes = run(clustering, &memory, noise);
    OK(changes.most > 200 && changes.most <= CLUSTERS_AUTO_KEPT,
       "%zu bytes, noise of %g: %u iterations were kept", bytes, noise, changes.most);
    OK(changes.down > 1 && changes.down <= 3 && changes.up <= 1,
       "their number falls by at most three");
    OK(changes.held <= bytes + bytes / 8, "%zu bytes are held at most", changes.held);
    clustering_finish(clustering);
    OK(clustering_count(clustering) >= CLUSTERS_AUTO_LEAST &&
           clustering_count(clustering) <= CLUSTERS_AUTO_MOST,
       "%u clusters are left", clustering_count(clustering));
    OK(!clustering_keeps_all(clustering), "it is not said that all are kept");
    clustering_destroy(clustering);
    EQ_INT(memory.held, 0, "no leak");
}

/* The largest error of any metric in any cluster, as a share of the largest value. */
static double worst_error(const struct clustering *clustering)
{
    double worst = 0;
    for (uint32_t n = 0; n < clustering_count(clustering); n++) {
        struct cluster_view view;
        clustering_view(clustering, n, &view);
        for (uint32_t k = 0; k < METRICS; k++)
            worst = fmax(worst,
                         sqrt(view.spreads[k] / view.size) / clustering_maxima(clustering)[k]);
    }
    return worst;
}

static void a_bound_is_kept(double bound, double noise)
{
    struct counting_memory memory = {0};
    struct clustering *clustering = create(&memory, 16 << 20, bound);
    run(clustering, &memory, noise);
    clustering_finish(clustering);
    double worst = worst_error(clustering);
    OK(worst <= bound * (1 + 1e-9), "%g %%: %u clusters are off by %g %% at most", 100 * bound,
       clustering_count(clustering), 100 * worst);
    OK(!clustering_broke_bound(clustering), "it is not said to be broken");
    OK(clustering_count(clustering) < 900, "clusters were merged");
    clustering_destroy(clustering);
}

static struct cell_role compared(void *context, uint32_t cell)
{
    (void)context, (void)cell;
    return (struct cell_role){.metric = 0, .compared = true};
}

/* COUNT cells move between iterations by 5 % of their mean, each half of them against the
 * other, so that totals stay. */
static void a_bound_is_kept_in_call_paths(uint32_t count)
{
    enum { CELLS_MOST = 512 };
    struct counting_memory memory = {0};
    struct clustering_config config = {.max_clusters = CLUSTERS_AUTO,
                                       .condensed_count = 1,
                                       .role = compared,
                                       .memory = counting_source(&memory),
                                       .method = CLUSTERING_ADAPTIVE,
                                       .auto_bytes = 16 << 20,
                                       .error_bound = 0.01};
    struct clustering *clustering = clustering_create(&config);
    uint32_t cells[CELLS_MOST];
    int64_t values[CELLS_MOST];
    const double total = 1000.0 * count;
    for (uint32_t i = 0; i < 100; i++) {
        for (uint32_t c = 0; c < count; c++) {
            cells[c] = c;
            values[c] = 1000 + ((i + c) % 2 ? 50 : -50);
        }
        clustering_add(clustering, &(struct iteration_profile){.cells = cells,
                                                               .values = values,
                                                               .cell_count = count,
                                                               .condensed = &total});
    }
    clustering_finish(clustering);
    EQ_INT(clustering_count(clustering), 2, "a bound of 1 %% keeps apart what %u cells do",
           count);
    clustering_destroy(clustering);
}

static void a_broken_bound_is_said(void)
{
    struct counting_memory memory = {0};
    struct clustering *clustering = create(&memory, 1 << 20, 1e-6);
    run(clustering, &memory, 0.5);
    clustering_finish(clustering);
    OK(clustering_broke_bound(clustering),
       "a bound that there is no room for is said to be broken");
    clustering_destroy(clustering);
}

/* Iteration NUMBER of very many cells: 60 of 3000, in turn. */
static void make_wide(struct random_iteration *it, uint32_t number)
{
    make(it, number, 0.5);
    for (uint32_t c = 0; c < CELLS; c++)
        it->cells[c] += number % 50 * CELLS;
}

/* Nothing is compared, so that clusters are those of a clustering without roles. */
static struct cell_role only_largest(void *context, uint32_t cell)
{
    (void)context;
    return (struct cell_role){.metric = cell % METRICS, .largest = true};
}

/* What the first iterations' cells had at most is known; of later ones it is said not to be. */
static void cells_have_a_bound(size_t map_bytes)
{
    struct counting_memory memory = {0};
    struct clustering_config config = {.max_clusters = 1,
                                       .condensed_count = METRICS,
                                       .memory = counting_source(&memory),
                                       .method = CLUSTERING_ADAPTIVE,
                                       .map_bytes = map_bytes};
    struct clustering *without = clustering_create(&config);
    config.role = only_largest;
    struct clustering *with = clustering_create(&config);
    struct random_iteration it;
    int64_t largest = 0;
    for (uint32_t i = 0; i < 500; i++) {
        make_wide(&it, i);
        clustering_add(without, &it.profile);
        clustering_add(with, &it.profile);
        if (i % 50 == 0 && it.values[0] > largest)
            largest = it.values[0];
    }
    const size_t directories = 2 * (3000 / 32 + 1) * 2 * sizeof(void *);
    OK(clustering_memory(with) <= clustering_memory(without) + map_bytes / 4 + directories,
       "what is known of cells takes a quarter of %zu bytes at most", map_bytes);
    OK(clustering_lacks_cells(with), "it is said that some are not known");
    NEED(clustering_largest_count(with) > 0);
    EQ_INT(clustering_largest(with, 0)->value, largest, "of the first cell it is exact");
    OK(!clustering_lacks_cells(without), "nothing is missed where nothing is asked for");
    EQ_INT(clustering_lost(with), 0, "no iteration is lost");
    clustering_destroy(with);
    clustering_destroy(without);
    EQ_INT(memory.held, 0, "no leak");
}

int main(void)
{
    cells_have_a_bound(64 << 10);
    cells_have_a_bound(128 << 10);
    one_takes_what_is_said(1);
    one_takes_what_is_said(1000);
    one_takes_what_is_said(50000);
    every_iteration_is_kept();
    classes_stay_when_clustering_begins();
    too_many_classes_are_clustered();
    for (uint32_t most = 1; most <= 4; most++)
        for (uint32_t kinds = 1; kinds <= 5; kinds++)
            few_clusters_are_enough_by_any_method(most, kinds);
    for (uint64_t length = 1; length <= 3; length++)
        one_cluster_is_left_whatever_memory_did(length);
    clustering_begins_gently(1 << 20, 0.001);
    clustering_begins_gently(1 << 20, 0.5);
    clustering_begins_gently(16 << 20, 0.05);
    a_bound_is_kept(0.01, 0.005);
    a_bound_is_kept(0.05, 0.05);
    for (uint32_t count = 2; count <= 512; count *= 16)
        a_bound_is_kept_in_call_paths(count);
    a_broken_bound_is_said();
    return tap_done();
}
