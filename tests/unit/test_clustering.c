/*
 * Proves that clustering does what is published, by comparing every step with a second
 * implementation that is slow and obvious: it keeps every iteration, looks at every pair of
 * clusters every time and adds members up anew.
 */
#include "clustering.h"

#include <math.h>

#include "counting_memory.h"
#include "random_iterations.h"
#include "tap.h"

enum { MAX_ITERATIONS = 320, CELL_SPACE = 2 * MAX_CELLS + 2 };

/* ---- the second implementation ---- */

static struct random_iteration its[MAX_ITERATIONS];

static struct {
    const struct recipe *recipe;
    enum equivalence mode;
    uint32_t iterations;
    uint32_t class_of[MAX_ITERATIONS];
    uint32_t classes;
    uint32_t cluster_of[MAX_ITERATIONS]; /* named by its first iteration */
    bool distances_wanted;
    double weighed[MAX_CONDENSED]; /* largest values when weights were taken last */
    double distance[MAX_ITERATIONS][MAX_ITERATIONS];
} ref;

static void ref_start(const struct recipe *recipe)
{
    memset(&ref, 0, sizeof(ref));
    ref.recipe = recipe;
    ref.mode = recipe->equivalence;
    if (ref.mode == EQUIVALENCE_AUTO)
        ref.mode = EQUIVALENCE_HYBRID;
}

static bool ref_is_cluster(uint32_t i)
{
    return ref.cluster_of[i] == i;
}

static uint32_t ref_count(void)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < ref.iterations; i++)
        count += ref_is_cluster(i);
    return count;
}

static uint32_t ref_size(uint32_t cluster)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < ref.iterations; i++)
        size += ref.cluster_of[i] == cluster;
    return size;
}

/* What path number P of an iteration tells under the mode; 0 if nothing. */
static int64_t ref_trait(uint32_t iteration, uint32_t p)
{
    const struct iteration_profile *profile = &its[iteration].profile;
    for (size_t i = 0; i < profile->path_count; i++) {
        const struct path_entry *path = &profile->paths[i];
        if (path->path != p || ref.mode == EQUIVALENCE_NONE)
            continue;
        if (ref.mode == EQUIVALENCE_WEAK)
            return 1;
        if (ref.mode == EQUIVALENCE_STRONG)
            return 1 + path->visits;
        if (ref.mode == EQUIVALENCE_COMMUNICATION)
            return path->kind;
        return path->kind == PATH_USR ? 0 : path->kind == PATH_COM ? 1 : 2 + path->visits;
    }
    return 0;
}

static bool ref_alike(uint32_t a, uint32_t b)
{
    for (uint32_t p = 0; p < 3 * MAX_PATHS; p++)
        if (ref_trait(a, p) != ref_trait(b, p))
            return false;
    return true;
}

static void ref_classify(void)
{
    ref.classes = 0;
    for (uint32_t i = 0; i < ref.iterations; i++) {
        ref.class_of[i] = UINT32_MAX;
        for (uint32_t j = 0; j < i && ref.class_of[i] == UINT32_MAX; j++)
            if (ref_alike(i, j))
                ref.class_of[i] = ref.class_of[j];
        if (ref.class_of[i] == UINT32_MAX)
            ref.class_of[i] = ref.classes++;
    }
}

static double ref_mean(uint32_t cluster, uint32_t k)
{
    double sum = 0;
    for (uint32_t i = 0; i < ref.iterations; i++)
        if (ref.cluster_of[i] == cluster)
            sum += its[i].condensed[k];
    return sum / ref_size(cluster);
}

static double ref_average(uint32_t k)
{
    double sum = 0;
    for (uint32_t i = 0; i < ref.iterations; i++)
        sum += its[i].condensed[k];
    return fabs(sum / ref.iterations);
}

static double ref_maximum(uint32_t k)
{
    double most = 0;
    for (uint32_t i = 0; i < ref.iterations; i++)
        most = fmax(most, fabs(its[i].condensed[k]));
    return most;
}

/* The adaptive method's weights; true if they have changed. */
static bool ref_weigh(void)
{
    bool outgrown = false;
    for (uint32_t k = 0; k < ref.recipe->condensed; k++)
        outgrown = outgrown || ref_maximum(k) > 1.05 * ref.weighed[k];
    for (uint32_t k = 0; k < ref.recipe->condensed && outgrown; k++)
        ref.weighed[k] = ref_maximum(k);
    return outgrown && ref.recipe->method == CLUSTERING_ADAPTIVE;
}

/* Clusters while iterations are added. */
static uint32_t ref_room(void)
{
    uint32_t maximum = ref.recipe->max_clusters;
    if (ref.recipe->method == CLUSTERING_SZEBENYI)
        return maximum;
    return maximum < 60 ? 64 : maximum + 4;
}

static double ref_adaptive_cost(uint32_t a, uint32_t b)
{
    double sum = 0, m = ref_size(a), n = ref_size(b);
    for (uint32_t k = 0; k < ref.recipe->condensed; k++)
        if (ref.weighed[k] > 0)
            sum += pow((ref_mean(a, k) - ref_mean(b, k)) / ref.weighed[k], 2);
    double share = 0.12 * ref.recipe->max_clusters / ref_room();
    return sum * (m * n / (m + n) + share * (m + n));
}

static double ref_distance(uint32_t a, uint32_t b)
{
    if (ref.recipe->method == CLUSTERING_ADAPTIVE)
        return ref_adaptive_cost(a, b);
    double sum = 0, n = (double)ref_size(a) + ref_size(b);
    for (uint32_t k = 0; k < ref.recipe->condensed; k++)
        if (ref_average(k) != 0)
            sum += fabs(ref_mean(a, k) - ref_mean(b, k)) / ref_average(k);
    return sum * (n <= 12 ? 0.4 + 0.05 * n : sqrt(0.4 + 0.05 * n));
}

static void ref_compute(uint32_t cluster)
{
    for (uint32_t i = 0; i < ref.iterations; i++)
        if (ref_is_cluster(i) && i != cluster && ref.class_of[i] == ref.class_of[cluster])
            ref.distance[i][cluster] = ref.distance[cluster][i] = ref_distance(i, cluster);
}

static void ref_compute_all(void)
{
    for (uint32_t i = 0; i < ref.iterations; i++)
        if (ref_is_cluster(i))
            ref_compute(i);
}

static void ref_merge(uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < ref.iterations; i++)
        if (ref.cluster_of[i] == b)
            ref.cluster_of[i] = a;
    ref_compute(a);
}

static bool ref_merge_closest(void)
{
    uint32_t a = 0, b = 0;
    double closest = INFINITY;
    for (uint32_t i = 0; i < ref.iterations; i++)
        for (uint32_t j = i + 1; j < ref.iterations; j++)
            if (ref_is_cluster(i) && ref_is_cluster(j) && ref.class_of[i] == ref.class_of[j] &&
                ref.distance[i][j] < closest) {
                closest = ref.distance[i][j];
                a = i;
                b = j;
            }
    if (b > 0)
        ref_merge(a, b);
    return b > 0;
}

static void ref_finish(void)
{
    if (ref.recipe->max_clusters > 0 && !ref.distances_wanted)
        ref_compute_all();
    while (ref.recipe->max_clusters > 0 && ref_count() > ref.recipe->max_clusters &&
           ref_merge_closest())
        continue;
}

static void ref_add(void)
{
    uint32_t maximum = ref.recipe->max_clusters, newest = ref.iterations++;
    ref.cluster_of[newest] = newest;
    ref_classify();
    bool all_anew = ref_weigh();
    if (maximum == 0 || ref_count() <= ref_room())
        return;
    while (ref.recipe->equivalence == EQUIVALENCE_AUTO && ref.mode != EQUIVALENCE_NONE &&
           ref.classes > (maximum / 2 > 1 ? maximum / 2 : 1)) {
        ref.mode =
            ref.mode == EQUIVALENCE_HYBRID ? EQUIVALENCE_COMMUNICATION : EQUIVALENCE_NONE;
        ref_classify();
        all_anew = true;
    }
    if (all_anew || !ref.distances_wanted)
        ref_compute_all();
    else
        ref_compute(newest);
    ref.distances_wanted = true;
    ref_merge_closest();
}

/* ---- comparing the two ---- */

static bool same_profile(uint32_t cluster, const struct cluster_view *view)
{
    int64_t sums[CELL_SPACE] = {0};
    bool present[CELL_SPACE] = {false};
    size_t count = 0;
    for (uint32_t i = 0; i < ref.iterations; i++)
        for (size_t c = 0; ref.cluster_of[i] == cluster && c < its[i].profile.cell_count; c++) {
            sums[its[i].cells[c]] += its[i].values[c];
            present[its[i].cells[c]] = true;
        }
    for (uint32_t cell = 0; cell < CELL_SPACE; cell++) {
        if (!present[cell])
            continue;
        if (count == view->cell_count || view->cells[count] != cell ||
            view->values[count] != sums[cell])
            return false;
        count++;
    }
    return count == view->cell_count;
}

static int64_t ref_wall_ns(uint32_t cluster)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < ref.iterations; i++)
        if (ref.cluster_of[i] == cluster)
            sum += its[i].profile.wall_ns;
    return sum;
}

static bool same_clusters(const struct clustering *clustering)
{
    uint32_t index = 0, index_of[MAX_ITERATIONS] = {0};
    struct cluster_view view;
    if (clustering_count(clustering) != ref_count())
        return false;
    for (uint32_t i = 0; i < ref.iterations; i++) {
        if (!ref_is_cluster(i))
            continue;
        clustering_view(clustering, index, &view);
        if (view.size != ref_size(i) || view.class_id != ref.class_of[i] ||
            view.wall_ns != ref_wall_ns(i) || !same_profile(i, &view))
            return false;
        index_of[i] = index++;
    }
    for (uint32_t i = 0; i < ref.iterations; i++)
        if (clustering_cluster_of(clustering, i) != index_of[ref.cluster_of[i]])
            return false;
    return true;
}

static bool same_totals(const struct clustering *clustering)
{
    return clustering_classes(clustering) == ref.classes &&
           clustering_equivalence(clustering) == ref.mode &&
           clustering_iterations(clustering) == ref.iterations &&
           clustering_lost(clustering) == 0 &&
           clustering_cluster_of(clustering, ref.iterations) == UINT32_MAX;
}

static struct clustering *create(struct counting_memory *memory, const struct recipe *recipe)
{
    struct clustering_config config = {
        .max_clusters = recipe->max_clusters,
        .condensed_count = recipe->condensed,
        .equivalence = recipe->equivalence,
        .method = recipe->method,
        .memory = counting_source(memory),
    };
    return clustering_create(&config);
}

static void does_what_is_published(const struct recipe *recipe)
{
    struct counting_memory memory = {0};
    struct clustering *clustering = create(&memory, recipe);
    uint32_t step = 0;
    bool good = clustering != NULL;
    ref_start(recipe);
    while (good && step < recipe->iterations) {
        random_iteration(&its[step], recipe, step);
        ref_add();
        good = clustering_add(clustering, &its[step].profile) && same_totals(clustering) &&
               same_clusters(clustering) && clustering_memory(clustering) == memory.held;
        step += good;
    }
    EQ_INT(step, recipe->iterations, "%s: every step as published", recipe->name);
    ref_finish();
    clustering_finish(clustering);
    OK(same_totals(clustering) && same_clusters(clustering), "%s: and the end", recipe->name);
    clustering_destroy(clustering);
    OK(memory.held == 0 && !memory.wrong_size, "%s: no leak", recipe->name);
}

static const struct recipe recipes[] = {
    {.name = "64 clusters",
     .iterations = 200,
     .max_clusters = 64,
     .cells = 90,
     .present = 90,
     .condensed = 9},
    {.name = "8 clusters",
     .iterations = 300,
     .max_clusters = 8,
     .cells = 40,
     .present = 50,
     .condensed = 7},
    {.name = "one cluster",
     .iterations = 60,
     .max_clusters = 1,
     .cells = 20,
     .present = 70,
     .condensed = 3},
    {.name = "2 clusters",
     .iterations = 100,
     .max_clusters = 2,
     .cells = 20,
     .present = 20,
     .condensed = 4},
    {.name = "no maximum",
     .iterations = 100,
     .max_clusters = 0,
     .cells = 20,
     .present = 70,
     .equivalence = EQUIVALENCE_WEAK,
     .paths = 5,
     .shapes = 7,
     .condensed = 3},
    {.name = "fewer iterations than clusters",
     .iterations = 7,
     .max_clusters = 8,
     .cells = 20,
     .present = 70,
     .condensed = 3},
    {.name = "equal cells",
     .iterations = 200,
     .max_clusters = 8,
     .cells = 33,
     .present = 100,
     .condensed = 5},
    {.name = "negative values",
     .iterations = 200,
     .max_clusters = 8,
     .cells = 30,
     .present = 60,
     .condensed = 8,
     .sign = -1},
    {.name = "falling metric",
     .iterations = 300,
     .max_clusters = 10,
     .cells = 10,
     .present = 90,
     .condensed = 2,
     .falling = true},
    {.name = "ties: 20 kinds of iterations",
     .iterations = 300,
     .max_clusters = 16,
     .cells = 20,
     .present = 80,
     .kinds = 20,
     .condensed = 5},
    {.name = "ties: all iterations equal",
     .iterations = 100,
     .max_clusters = 8,
     .cells = 20,
     .present = 80,
     .kinds = 1,
     .condensed = 5},
    {.name = "ties: small numbers",
     .iterations = 300,
     .max_clusters = 12,
     .cells = 20,
     .present = 80,
     .condensed = 1,
     .range = 40},
    {.name = "ties: few numbers",
     .iterations = 300,
     .max_clusters = 40,
     .cells = 20,
     .present = 80,
     .condensed = 1,
     .range = 64},
    {.name = "empty iterations",
     .iterations = 50,
     .max_clusters = 8,
     .condensed = 4,
     .shapes = 3},
    {.name = "no condensed values",
     .iterations = 50,
     .max_clusters = 4,
     .cells = 8,
     .present = 50},
    {.name = "one call path, strong",
     .iterations = 100,
     .max_clusters = 8,
     .cells = 4,
     .present = 80,
     .equivalence = EQUIVALENCE_STRONG,
     .paths = 1,
     .shapes = 9,
     .condensed = 4},
    {.name = "strong",
     .iterations = 200,
     .max_clusters = 16,
     .cells = 40,
     .present = 80,
     .equivalence = EQUIVALENCE_STRONG,
     .paths = 12,
     .shapes = 6,
     .condensed = 6},
    {.name = "weak",
     .iterations = 200,
     .max_clusters = 16,
     .cells = 40,
     .present = 80,
     .equivalence = EQUIVALENCE_WEAK,
     .paths = 12,
     .shapes = 6,
     .condensed = 6},
    {.name = "hybrid",
     .iterations = 200,
     .max_clusters = 16,
     .cells = 40,
     .present = 80,
     .equivalence = EQUIVALENCE_HYBRID,
     .paths = 12,
     .shapes = 6,
     .condensed = 6},
    {.name = "strong, as many classes as clusters",
     .iterations = 150,
     .max_clusters = 9,
     .cells = 20,
     .present = 80,
     .equivalence = EQUIVALENCE_STRONG,
     .paths = 12,
     .shapes = 9,
     .condensed = 6},
    {.name = "strong, more classes than clusters",
     .iterations = 200,
     .max_clusters = 8,
     .cells = 20,
     .present = 80,
     .equivalence = EQUIVALENCE_STRONG,
     .paths = 12,
     .shapes = 60,
     .condensed = 6},
    {.name = "auto, few classes",
     .iterations = 200,
     .max_clusters = 16,
     .cells = 20,
     .present = 80,
     .equivalence = EQUIVALENCE_AUTO,
     .paths = 12,
     .shapes = 5,
     .condensed = 6},
    {.name = "auto, too many classes",
     .iterations = 200,
     .max_clusters = 16,
     .cells = 20,
     .present = 80,
     .equivalence = EQUIVALENCE_AUTO,
     .paths = 12,
     .shapes = 60,
     .condensed = 6},
    {.name = "auto, slowly too many classes",
     .iterations = 300,
     .max_clusters = 40,
     .cells = 20,
     .present = 80,
     .equivalence = EQUIVALENCE_AUTO,
     .paths = 12,
     .shapes = 21,
     .condensed = 6},
    {.name = "auto, one cluster",
     .iterations = 60,
     .max_clusters = 1,
     .cells = 20,
     .present = 80,
     .equivalence = EQUIVALENCE_AUTO,
     .paths = 4,
     .shapes = 3,
     .condensed = 6},
    {.name = "adaptive",
     .iterations = 300,
     .max_clusters = 16,
     .method = CLUSTERING_ADAPTIVE,
     .cells = 40,
     .present = 60,
     .paths = 4,
     .shapes = 1,
     .condensed = 9},
    {.name = "adaptive, all iterations find room until the end",
     .iterations = 70,
     .max_clusters = 64,
     .method = CLUSTERING_ADAPTIVE,
     .cells = 40,
     .present = 60,
     .paths = 4,
     .shapes = 1,
     .condensed = 9},
    {.name = "adaptive, both signs, falling, hybrid",
     .iterations = 300,
     .max_clusters = 20,
     .method = CLUSTERING_ADAPTIVE,
     .cells = 40,
     .present = 60,
     .equivalence = EQUIVALENCE_HYBRID,
     .paths = 8,
     .shapes = 5,
     .condensed = 7,
     .sign = -1,
     .falling = true},
    {.name = "adaptive, auto, too many classes",
     .iterations = 200,
     .max_clusters = 16,
     .method = CLUSTERING_ADAPTIVE,
     .cells = 20,
     .present = 80,
     .equivalence = EQUIVALENCE_AUTO,
     .paths = 12,
     .shapes = 60,
     .condensed = 6},
};

/* ---- properties that need no second implementation ---- */

static void sums_are_exact(void)
{
    const struct recipe recipe = {.iterations = 3000,
                                  .max_clusters = 12,
                                  .cells = 90,
                                  .present = 60,
                                  .condensed = 9,
                                  .sign = -1};
    struct counting_memory memory = {0};
    struct clustering *clustering = create(&memory, &recipe);
    struct random_iteration it;
    struct cluster_view view;
    int64_t sums[CELL_SPACE] = {0}, wall_ns = 0;
    uint64_t members = 0;
    for (uint32_t i = 0; i < recipe.iterations; i++) {
        random_iteration(&it, &recipe, i);
        clustering_add(clustering, &it.profile);
        wall_ns += it.profile.wall_ns;
        for (size_t c = 0; c < it.profile.cell_count; c++)
            sums[it.cells[c]] += it.values[c];
    }
    for (uint32_t n = 0; n < clustering_count(clustering); n++) {
        clustering_view(clustering, n, &view);
        members += view.size;
        wall_ns -= view.wall_ns;
        for (size_t c = 0; c < view.cell_count; c++)
            sums[view.cells[c]] -= view.values[c];
    }
    uint32_t wrong = 0;
    for (uint32_t cell = 0; cell < CELL_SPACE; cell++)
        wrong += sums[cell] != 0;
    EQ_INT(wrong, 0, "clusters add up to what was measured, cell by cell");
    EQ_INT(wall_ns, 0, "so do durations");
    EQ_INT(members, recipe.iterations, "and iterations");
    clustering_destroy(clustering);
}

static bool same_views(const struct clustering *a, const struct clustering *b)
{
    struct cluster_view x, y;
    for (uint32_t n = 0; n < clustering_count(a); n++) {
        clustering_view(a, n, &x);
        clustering_view(b, n, &y);
        if (x.size != y.size || x.class_id != y.class_id || x.cell_count != y.cell_count ||
            memcmp(x.cells, y.cells, x.cell_count * sizeof(*x.cells)) != 0 ||
            memcmp(x.values, y.values, x.cell_count * sizeof(*x.values)) != 0)
            return false;
    }
    return clustering_count(a) == clustering_count(b);
}

static void same_input_same_clusters(void)
{
    const struct recipe recipe = {.iterations = 2000,
                                  .max_clusters = 24,
                                  .cells = 50,
                                  .present = 60,
                                  .equivalence = EQUIVALENCE_AUTO,
                                  .paths = 9,
                                  .shapes = 11,
                                  .condensed = 9};
    struct counting_memory memory = {0};
    struct clustering *a = create(&memory, &recipe), *b = create(&memory, &recipe);
    struct random_iteration it;
    uint32_t different = 0;
    for (uint32_t i = 0; i < recipe.iterations; i++) {
        random_iteration(&it, &recipe, i);
        clustering_add(a, &it.profile);
        random_iteration(&it, &recipe, i);
        clustering_add(b, &it.profile);
    }
    for (uint32_t i = 0; i < recipe.iterations; i++)
        different += clustering_cluster_of(a, i) != clustering_cluster_of(b, i);
    EQ_INT(different, 0, "the same input gives the same map");
    OK(same_views(a, b), "and the same clusters");
    clustering_destroy(a);
    clustering_destroy(b);
    EQ_INT(memory.held, 0, "two at a time do not leak");
}

static void falling_values_are_near_each_other(void)
{
    struct counting_memory memory = {0};
    struct clustering_config config = {.max_clusters = 2,
                                       .condensed_count = 1,
                                       .equivalence = EQUIVALENCE_NONE,
                                       .memory = counting_source(&memory)};
    struct clustering *clustering = clustering_create(&config);
    static const double condensed[] = {11, 10, 500, 9, 501, 12, 499};
    for (size_t i = 0; i < sizeof(condensed) / sizeof(condensed[0]); i++) {
        struct iteration_profile profile = {.condensed = &condensed[i]};
        clustering_add(clustering, &profile);
    }
    OK(clustering_cluster_of(clustering, 0) == clustering_cluster_of(clustering, 1) &&
           clustering_cluster_of(clustering, 1) == clustering_cluster_of(clustering, 3) &&
           clustering_cluster_of(clustering, 3) == clustering_cluster_of(clustering, 5),
       "10 after 11 is as near as 11 after 10");
    EQ_INT(clustering_cluster_of(clustering, 6), clustering_cluster_of(clustering, 2),
           "and 499 is near 501");
    clustering_destroy(clustering);
}

static void broken_numbers_do_no_harm(void)
{
    struct counting_memory memory = {0};
    struct clustering_config config = {.max_clusters = 4,
                                       .condensed_count = 3,
                                       .equivalence = EQUIVALENCE_NONE,
                                       .memory = counting_source(&memory)};
    struct clustering *clustering = clustering_create(&config);
    static const double odd[] = {NAN, INFINITY, -INFINITY, 1.7e308, -1.7e308, 5e-324, 0, 1};
    const uint32_t cell = UINT32_MAX;
    const int64_t value = INT64_MAX;
    struct cluster_view view;
    uint32_t worst = 0;
    uint64_t members = 0;
    for (uint32_t i = 0; i < 200; i++) {
        double condensed[3] = {odd[i % 8], odd[i / 8 % 8], i};
        struct iteration_profile profile = {.cells = &cell,
                                            .values = &value,
                                            .cell_count = 1,
                                            .condensed = condensed,
                                            .wall_ns = INT64_MAX};
        clustering_add(clustering, &profile);
        if (clustering_count(clustering) > worst)
            worst = clustering_count(clustering);
    }
    for (uint32_t n = 0; n < clustering_count(clustering); n++) {
        clustering_view(clustering, n, &view);
        members += view.size;
    }
    EQ_INT(worst, 4, "the maximum holds whatever the values are");
    EQ_INT(members, 200, "and every iteration is somewhere");
    clustering_destroy(clustering);
}

static void finishing_takes_nothing_where_nothing_can_be_merged(void)
{
    struct counting_memory memory = {0};
    struct clustering_config config = {.max_clusters = 4,
                                       .condensed_count = 1,
                                       .equivalence = EQUIVALENCE_STRONG,
                                       .method = CLUSTERING_ADAPTIVE,
                                       .memory = counting_source(&memory)};
    struct clustering *clustering = clustering_create(&config);
    double condensed = 1;
    for (uint32_t i = 0; i < 100; i++) {
        struct path_entry path = {1, PATH_MPI, i};
        struct iteration_profile profile = {
            .condensed = &condensed, .paths = &path, .path_count = 1};
        clustering_add(clustering, &profile);
    }
    uint64_t requests = memory.requests;
    clustering_finish(clustering);
    EQ_INT(clustering_count(clustering), 100, "a cluster for every class");
    EQ_INT(memory.requests, requests, "and no matrix of their distances in the end");
    clustering_destroy(clustering);
}

static void huge_numbers_stay_within_range(void)
{
    struct counting_memory memory = {0};
    struct clustering_config config = {.max_clusters = 1,
                                       .condensed_count = 1,
                                       .equivalence = EQUIVALENCE_NONE,
                                       .memory = counting_source(&memory)};
    struct clustering *clustering = clustering_create(&config);
    static const double condensed[] = {1.7e308, 1.7e308, -1.7e308, -1.7e308};
    struct cluster_view view;
    for (size_t i = 0; i < sizeof(condensed) / sizeof(condensed[0]); i++) {
        struct iteration_profile profile = {.condensed = &condensed[i]};
        clustering_add(clustering, &profile);
    }
    clustering_view(clustering, 0, &view);
    OK(view.means[0] == 0, "huge numbers have a sum");
    OK(isfinite(view.spreads[0]) && view.spreads[0] > 0, "and a spread");
    clustering_destroy(clustering);
}

static void one_broken_number_spoils_nothing(void)
{
    struct counting_memory memory = {0};
    struct clustering_config config = {.max_clusters = 3,
                                       .condensed_count = 1,
                                       .equivalence = EQUIVALENCE_NONE,
                                       .memory = counting_source(&memory)};
    struct clustering *clustering = clustering_create(&config);
    static const double condensed[] = {NAN, 1000, 2000, 1001, 2001, 1002, 2002};
    for (size_t i = 0; i < sizeof(condensed) / sizeof(condensed[0]); i++) {
        struct iteration_profile profile = {.condensed = &condensed[i]};
        clustering_add(clustering, &profile);
    }
    OK(clustering_cluster_of(clustering, 5) == clustering_cluster_of(clustering, 1) &&
           clustering_cluster_of(clustering, 6) == clustering_cluster_of(clustering, 2) &&
           clustering_cluster_of(clustering, 5) != clustering_cluster_of(clustering, 6),
       "a metric that was no number once still tells iterations apart");
    clustering_destroy(clustering);
}

static void map_survives_many_iterations(void)
{
    enum { MANY = 60000 };
    struct counting_memory memory = {0};
    struct clustering_config config = {.max_clusters = 4,
                                       .condensed_count = 1,
                                       .equivalence = EQUIVALENCE_NONE,
                                       .memory = counting_source(&memory)};
    struct clustering *clustering = clustering_create(&config);
    uint32_t members[4] = {0}, wrong = 0;
    uint64_t state = 5;
    for (uint32_t i = 0; i < MANY; i++) {
        double condensed = (double)(random_next(&state) % 1000);
        struct iteration_profile profile = {.condensed = &condensed};
        clustering_add(clustering, &profile);
    }
    for (uint32_t i = 0; i < MANY; i++)
        members[clustering_cluster_of(clustering, i)]++;
    for (uint32_t n = 0; n < clustering_count(clustering); n++) {
        struct cluster_view view;
        clustering_view(clustering, n, &view);
        wrong += view.size != members[n];
    }
    EQ_INT(wrong, 0, "sizes agree with the map of %d iterations", MANY);
    OK(memory.held < MANY * 5 + 16384, "%zu bytes are about 4 an iteration", memory.held);
    clustering_destroy(clustering);
    clustering_destroy(NULL);
    EQ_INT(memory.held, 0, "no leak");
}

static void skipped_iterations_have_no_cluster(void)
{
    struct counting_memory memory = {0};
    struct clustering_config config = {.max_clusters = 4,
                                       .condensed_count = 1,
                                       .equivalence = EQUIVALENCE_NONE,
                                       .memory = counting_source(&memory)};
    struct clustering *clustering = clustering_create(&config);
    double condensed = 1;
    struct iteration_profile profile = {.condensed = &condensed};
    uint32_t wrong = 0;
    /* Gaps within a piece of the map, over its end, and at the start. */
    for (uint32_t i = 0; i < 100; i++) {
        clustering_skip(clustering, i * i);
        clustering_add(clustering, &profile);
    }
    for (uint64_t i = 0, next = 0, gap = 0; i < clustering_iterations(clustering); i++) {
        bool there = clustering_cluster_of(clustering, i) != UINT32_MAX;
        wrong += there != (i == next);
        if (i == next) {
            gap++;
            next += gap * gap + 1;
        }
    }
    EQ_INT(wrong, 0, "skipped iterations belong to no cluster, the others to one");
    EQ_INT(clustering_iterations(clustering), 328350 + 100, "all are counted");
    EQ_INT(clustering_lost(clustering), 0, "none as lost");
    clustering_destroy(clustering);
    EQ_INT(memory.held, 0, "no leak");
}

int main(void)
{
    for (size_t r = 0; r < sizeof(recipes) / sizeof(recipes[0]); r++)
        does_what_is_published(&recipes[r]);
    sums_are_exact();
    same_input_same_clusters();
    falling_values_are_near_each_other();
    broken_numbers_do_no_harm();
    finishing_takes_nothing_where_nothing_can_be_merged();
    huge_numbers_stay_within_range();
    one_broken_number_spoils_nothing();
    map_survives_many_iterations();
    skipped_iterations_have_no_cluster();
    return tap_done();
}
