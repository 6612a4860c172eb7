/*
 * Properties of clusterings that need no second implementation: test_clustering_model.c has
 * one.
 */
#include "compress/clustering.h"

#include <math.h>

#include "counting_memory.h"
#include "random_iterations.h"
#include "tap.h"

enum { CELL_SPACE = 2 * MAX_CELLS + 2 };

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

/* Those before the first profile, too. */
static void skipping_does_not_change_the_clusters(void)
{
    const struct recipe recipe = {.iterations = 3000,
                                  .max_clusters = 12,
                                  .cells = 90,
                                  .present = 60,
                                  .condensed = 9,
                                  .method = CLUSTERING_ADAPTIVE};
    struct counting_memory memory = {0};
    struct clustering *plain = create(&memory, &recipe), *late = create(&memory, &recipe);
    struct random_iteration it;
    clustering_skip(late, 7);
    for (uint32_t i = 0; i < recipe.iterations; i++) {
        random_iteration(&it, &recipe, i);
        clustering_add(plain, &it.profile);
        clustering_add(late, &it.profile);
    }
    OK(same_views(plain, late), "what is skipped first changes nothing in the clusters");
    clustering_destroy(plain);
    clustering_destroy(late);
}

int main(void)
{
    sums_are_exact();
    same_input_same_clusters();
    falling_values_are_near_each_other();
    broken_numbers_do_no_harm();
    finishing_takes_nothing_where_nothing_can_be_merged();
    huge_numbers_stay_within_range();
    one_broken_number_spoils_nothing();
    map_survives_many_iterations();
    skipped_iterations_have_no_cluster();
    skipping_does_not_change_the_clusters();
    return tap_done();
}
