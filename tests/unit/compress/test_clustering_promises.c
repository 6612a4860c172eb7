/*
 * Proves that what clustering_checks.h lists holds for every method: for random iterations,
 * some of them skipped, and when memory runs out in any way.  And that values which fall are as
 * near to each other as values which rise.
 */
#include "clustering_checks.h"

#include <math.h>

#include "random_iterations.h"
#include "tap.h"

enum { EQUIVALENCES = EQUIVALENCE_SIMILAR + 1, NONE_WRONG = -1 };

static const char *const equivalence_names[EQUIVALENCES] = {
    "none", "strong", "weak", "hybrid", "auto", "communication", "similar"};

static struct clustering_config config_of(const struct recipe *recipe,
                                          const struct method_name *method)
{
    return (struct clustering_config){
        .max_clusters = recipe->max_clusters,
        .condensed_count = recipe->condensed,
        .role = recipe->condensed ? random_role : NULL,
        .role_context = (void *)(uintptr_t)&recipe->condensed,
        .auto_bytes = 100000,
        .equivalence = recipe->equivalence,
        .method = method->method,
    };
}

enum { SKIPPING = 1, ENDING_AT_FAILURE = 2 };

/* One run; OPTIONS is a sum of the above.  *FAILURES is how often memory ran out. */
static const char *fault_of(const struct recipe *recipe, const struct method_name *method,
                            const struct counting_memory *failing, unsigned options,
                            uint64_t *failures)
{
    struct clustering_config config = config_of(recipe, method);
    struct checked checked;
    struct random_iteration it;
    if (checked_start(&checked, &config, failing)) {
        for (uint32_t i = 0; i < recipe->iterations; i++) {
            if (options & SKIPPING && i % 4 == 1)
                checked_skip(&checked, i * i);
            random_iteration(&it, recipe, i);
            checked_add(&checked, &it.profile);
            if (options & ENDING_AT_FAILURE && checked.memory.failures > 0)
                break;
        }
        checked_check(&checked);
        checked_finish(&checked);
        checked_check(&checked);
    }
    *failures = checked.memory.failures;
    return checked_end(&checked);
}

static void note_first(int *first, int now, const char *fault)
{
    if (fault && *first == NONE_WRONG) {
        *first = now;
        printf("# %d: %s\n", now, fault);
    }
}

/* Every request for memory fails, one run each: alone, or with all that follow. */
static void every_request_may_fail(const struct method_name *method,
                                   enum equivalence equivalence)
{
    struct recipe recipe = {.iterations = 80,
                            .max_clusters = 6,
                            .equivalence = equivalence,
                            .cells = 90,
                            .present = 40,
                            .paths = 9,
                            .shapes = 5,
                            .condensed = 4};
    int first_alone = NONE_WRONG, first_last = NONE_WRONG, first_end = NONE_WRONG, n;
    uint64_t failures = 1;
    for (n = 1; failures > 0; n += (int)tap_stride()) {
        struct counting_memory last = {.fail_from = (uint64_t)n, .fail_to = UINT64_MAX};
        struct counting_memory alone = {.fail_from = (uint64_t)n, .fail_to = (uint64_t)n};
        note_first(&first_last, n, fault_of(&recipe, method, &last, n % 2, &failures));
        note_first(&first_end, n,
                   fault_of(&recipe, method, &alone, ENDING_AT_FAILURE, &failures));
        note_first(&first_alone, n, fault_of(&recipe, method, &alone, n % 2, &failures));
    }
    EQ_INT(first_alone, NONE_WRONG, "%s, %s: each of %d requests may fail", method->name,
           equivalence_names[equivalence], n - 2);
    EQ_INT(first_last, NONE_WRONG, "%s, %s: each may be the first of all that fail",
           method->name, equivalence_names[equivalence]);
    EQ_INT(first_end, NONE_WRONG, "%s, %s: the run may end at each", method->name,
           equivalence_names[equivalence]);
}

static struct recipe random_recipe(uint64_t *state)
{
    struct recipe recipe = {
        .iterations = 20 + (uint32_t)(random_next(state) % 150),
        .max_clusters = (uint32_t)(random_next(state) % 24),
        .equivalence = (enum equivalence)(random_next(state) % EQUIVALENCES),
        .cells = (uint32_t)(random_next(state) % MAX_CELLS),
        .present = (uint32_t)(random_next(state) % 101),
        .paths = (uint32_t)(random_next(state) % (MAX_PATHS + 1)),
        .shapes = 1 + (uint32_t)(random_next(state) % 20),
        .condensed = (uint32_t)(random_next(state) % 7),
        .odd = random_next(state) % 4 ? 0 : 20,
    };
    if (random_next(state) % 8 == 0) {
        recipe.max_clusters = CLUSTERS_AUTO;
        recipe.iterations += 80;
    }
    return recipe;
}

/* Memory of MEMORY's kind, for run number RUN. */
static struct counting_memory any_memory(uint64_t *state)
{
    struct counting_memory memory = {.random = random_next(state)};
    switch (random_next(state) % 3) {
    case 1:
        memory.fail_one_in = 2 + (uint32_t)(random_next(state) % 30);
        break;
    case 2:
        memory.limit = 1000 + random_next(state) % 60000;
        break;
    }
    return memory;
}

static void promises_hold(const struct method_name *method)
{
    enum { RUNS = 250 };
    int first_wrong = NONE_WRONG;
    uint64_t state = 1, failures, all_failures = 0;
    for (int run = 0; run < RUNS; run += (int)tap_stride()) {
        struct recipe recipe = random_recipe(&state);
        struct counting_memory memory = any_memory(&state);
        note_first(&first_wrong, run,
                   fault_of(&recipe, method, &memory, random_next(&state) % 2, &failures));
        all_failures += failures;
    }
    EQ_INT(first_wrong, NONE_WRONG, "%s: promises hold in %d random runs", method->name, RUNS);
    OK(all_failures > tap_tried(RUNS), "%s: in which memory ran out %d times", method->name,
       (int)all_failures);
}

static void same_input_same_clusters(const struct method_name *method)
{
    enum { RUNS = 30 };
    int first_wrong = NONE_WRONG;
    uint64_t state = 2;
    for (int run = 0; run < RUNS; run += (int)tap_stride()) {
        struct recipe recipe = random_recipe(&state);
        struct counting_memory memory = any_memory(&state);
        struct clustering_config config = config_of(&recipe, method);
        struct checked one, other;
        struct random_iteration it;
        bool there =
            checked_start(&one, &config, &memory) & checked_start(&other, &config, &memory);
        for (uint32_t i = 0; there && i < recipe.iterations; i++) {
            random_iteration(&it, &recipe, i);
            checked_add(&one, &it.profile);
            random_iteration(&it, &recipe, i);
            checked_add(&other, &it.profile);
        }
        if (there) {
            checked_finish(&one);
            checked_finish(&other);
            checked_compare(&one, &other);
        }
        note_first(&first_wrong, run, checked_end(&other));
        note_first(&first_wrong, run, checked_end(&one));
    }
    EQ_INT(first_wrong, NONE_WRONG, "%s: the same input gives the same clusters, %d times",
           method->name, RUNS);
}

/* ---- falling values ---- */

enum { SERIES = 400 };

/* Mean absolute error of SERIES when each iteration is taken for the mean of its cluster. */
static double error_of(const struct method_name *method, const double series[SERIES])
{
    struct counting_memory memory = {0};
    struct clustering_config config = {.max_clusters = 16,
                                       .condensed_count = 1,
                                       .memory = counting_source(&memory),
                                       .method = method->method};
    struct clustering *clustering = clustering_create(&config);
    struct cluster_view view;
    double error = 0;
    for (uint32_t i = 0; i < SERIES; i++) {
        struct iteration_profile profile = {.condensed = &series[i]};
        clustering_add(clustering, &profile);
    }
    clustering_finish(clustering);
    for (uint32_t i = 0; i < SERIES; i++) {
        clustering_view(clustering, clustering_cluster_of(clustering, i), &view);
        error += fabs(series[i] - view.means[0]) / SERIES;
    }
    clustering_destroy(clustering);
    return error;
}

/*
 * Two levels, apart by much, around which values fall or rise by one: a difference taken as
 * unsigned makes 10 - 11 the largest distance there is, and then levels mix.  What falls is the
 * mirror image of what rises, so both have the same average.
 */
static void falling_is_like_rising(const struct method_name *method)
{
    double rising[SERIES], falling[SERIES];
    for (int i = 0; i < SERIES; i++) {
        rising[i] = (i % 2 ? 10000 : 20000) + i;
        falling[i] = (i % 2 ? 10000 : 20000) + SERIES - 1 - i;
    }
    /* 200 values on each level, 8 clusters each: 25 in a cluster, 6 from their mean. */
    double best = 6.25, rising_error = error_of(method, rising);
    double falling_error = error_of(method, falling);
    OK(rising_error < 4 * best, "%s: rising values: error %.2f", method->name, rising_error);
    OK(falling_error < 4 * best, "%s: falling values: error %.2f", method->name, falling_error);
}

/* Counters that wrapped around, and counts that are negative by mistake: -1 is next to 0. */
static void below_zero_is_near_zero(const struct method_name *method)
{
    static const double deltas[] = {1000, 0, 1001, -1, 1, 0, -2, 999, -1, 1000, 1, -1};
    enum { COUNT = sizeof(deltas) / sizeof(deltas[0]) };
    struct counting_memory memory = {0};
    struct clustering_config config = {.max_clusters = 2,
                                       .condensed_count = 1,
                                       .memory = counting_source(&memory),
                                       .method = method->method};
    struct clustering *clustering = clustering_create(&config);
    for (size_t i = 0; i < COUNT; i++) {
        struct iteration_profile profile = {.condensed = &deltas[i]};
        clustering_add(clustering, &profile);
    }
    clustering_finish(clustering);
    unsigned wrong = 0;
    for (size_t i = 0; i < COUNT; i++)
        wrong += (clustering_cluster_of(clustering, i) ==
                  clustering_cluster_of(clustering, 0)) != (deltas[i] > 500);
    EQ_INT(wrong, 0, "%s: -1 is next to 0, and not to 1000", method->name);
    clustering_destroy(clustering);
}

/* ---- cells ---- */

static struct cell_role all_compared(void *context, uint32_t cell)
{
    (void)context;
    (void)cell;
    return (struct cell_role){.metric = 0, .compared = true};
}

/*
 * Time moves between two call paths while the total stays, for every pair of call paths that
 * there is: no two of them may cancel out.
 */
static void what_moves_is_seen(uint32_t paths)
{
    enum { ITERATIONS = 100 };
    unsigned wrong = 0;
    for (uint32_t pair = 0; pair < paths - 1; pair++) {
        struct counting_memory memory = {0};
        struct clustering_config config = {.max_clusters = 2,
                                           .condensed_count = 1,
                                           .role = all_compared,
                                           .memory = counting_source(&memory),
                                           .method = CLUSTERING_ADAPTIVE};
        struct clustering *clustering = clustering_create(&config);
        for (uint32_t i = 0; i < ITERATIONS; i++) {
            uint32_t cells[MAX_CELLS];
            int64_t values[MAX_CELLS];
            const double total = 1000.0 * paths;
            for (uint32_t p = 0; p < paths; p++) {
                cells[p] = p;
                values[p] = 1000;
            }
            values[pair] += i % 3 == 0 ? 300 : 0;
            values[pair + 1] -= i % 3 == 0 ? 300 : 0;
            struct iteration_profile profile = {
                .cells = cells, .values = values, .cell_count = paths, .condensed = &total};
            clustering_add(clustering, &profile);
        }
        clustering_finish(clustering);
        for (uint32_t i = 0; i < ITERATIONS; i++)
            wrong += (clustering_cluster_of(clustering, i) ==
                      clustering_cluster_of(clustering, 0)) != (i % 3 == 0);
        clustering_destroy(clustering);
    }
    EQ_INT(wrong, 0, "what moves between any two of %u call paths is seen", paths);
}

/* Cell 0 is of one metric, all others of another one. */
static struct cell_role first_apart(void *context, uint32_t cell)
{
    (void)context;
    return (struct cell_role){.metric = cell > 0, .compared = true};
}

/*
 * One metric is on one call path and varies by a tenth; the other one is on many, of which each
 * varies by a twentieth.  All of these together must not outweigh the former.
 */
static void many_cells_do_not_outweigh_one(void)
{
    enum { MANY = 32, ITERATIONS = 100 };
    struct counting_memory memory = {0};
    struct clustering_config config = {.max_clusters = 2,
                                       .condensed_count = 2,
                                       .role = first_apart,
                                       .memory = counting_source(&memory),
                                       .method = CLUSTERING_ADAPTIVE};
    struct clustering *clustering = clustering_create(&config);
    const double totals[] = {1000, 1000 * MANY};
    for (uint32_t i = 0; i < ITERATIONS; i++) {
        uint32_t cells[MANY + 1] = {0};
        int64_t values[MANY + 1] = {i % 2 ? 900 : 1000};
        for (uint32_t p = 1; p <= MANY; p++) {
            cells[p] = p;
            values[p] = 1000 + (i / 2 % 2 == p % 2 ? 50 : -50);
        }
        struct iteration_profile profile = {
            .cells = cells, .values = values, .cell_count = MANY + 1, .condensed = totals};
        clustering_add(clustering, &profile);
    }
    clustering_finish(clustering);
    unsigned wrong = 0;
    for (uint32_t i = 0; i < ITERATIONS; i++)
        wrong += (clustering_cluster_of(clustering, i) ==
                  clustering_cluster_of(clustering, 0)) != (i % 2 == 0);
    EQ_INT(wrong, 0, "what varies on one call path is not outweighed by %d others", MANY);
    clustering_destroy(clustering);
}

/* Of COUNT iterations, how many pairs of different KINDS share a cluster. */
static unsigned mixed_up(const struct clustering *clustering, const uint32_t *kinds,
                         uint32_t count)
{
    unsigned mixed = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t n = 0; n < i; n++)
            mixed += kinds[n] != kinds[i] && clustering_cluster_of(clustering, n) ==
                                                 clustering_cluster_of(clustering, i);
    return mixed;
}

/*
 * Many more call paths than can be compared have one of two values each, all together, and the
 * total goes its own way.  There are clusters enough for both at eight heights of the total,
 * and must form by both: if call paths that are not compared counted as if no cluster could
 * follow them, those that are would get so little weight that clusters settled on the total
 * alone.
 */
static void cells_that_are_not_compared_follow_the_others(void)
{
    enum { CELLS = 200, ITERATIONS = 500 };
    struct counting_memory memory = {0};
    struct clustering_config config = {.max_clusters = 16,
                                       .condensed_count = 1,
                                       .role = all_compared,
                                       .memory = counting_source(&memory),
                                       .method = CLUSTERING_ADAPTIVE};
    struct clustering *clustering = clustering_create(&config);
    uint32_t kinds[ITERATIONS], cells[CELLS];
    int64_t values[CELLS];
    uint64_t state = 1;
    for (uint32_t i = 0; i < ITERATIONS; i++) {
        kinds[i] = (uint32_t)(random_next(&state) % 2);
        const double total = (double)(random_next(&state) % 1000);
        for (uint32_t p = 0; p < CELLS; p++) {
            cells[p] = p;
            values[p] = 1000 + 100 * kinds[i];
        }
        clustering_add(clustering, &(struct iteration_profile){.cells = cells,
                                                               .values = values,
                                                               .cell_count = CELLS,
                                                               .condensed = &total});
    }
    clustering_finish(clustering);
    EQ_INT(mixed_up(clustering, kinds, ITERATIONS), 0,
           "clusters follow %d call paths, of which not all are compared", CELLS);
    clustering_destroy(clustering);
}

int main(void)
{
    cells_that_are_not_compared_follow_the_others();
    many_cells_do_not_outweigh_one();
    what_moves_is_seen(12);
    what_moves_is_seen(90);
    for (size_t m = 0; m < CLUSTERING_METHODS; m++) {
        const struct method_name *method = &clustering_methods[m];
        for (int equivalence = 0; equivalence < EQUIVALENCES; equivalence++)
            every_request_may_fail(method, (enum equivalence)equivalence);
        promises_hold(method);
        same_input_same_clusters(method);
        falling_is_like_rising(method);
        below_zero_is_near_zero(method);
    }
    return tap_done();
}
