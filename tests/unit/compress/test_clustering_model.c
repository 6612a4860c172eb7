/*
 * Proves that clustering does what it should, step by step, on thousands of random iterations:
 * against a second implementation (clustering_model.h), and against what must hold
 * whatever the method (clustering_checks.h).
 */
#include "clustering_model.h"

#include <stdlib.h>

#include "clustering_checks.h"
#include "random_iterations.h"
#include "tap.h"

/* ---- comparing the two ---- */

static uint32_t cluster_of(const struct checked *checked, uint32_t i)
{
    return clustering_cluster_of(checked->clustering, checked->history.past[i].number);
}

/* Of the model's clusters that the clustering has merged the two that cost least; false if
 * there are none. */
static bool merged_pair(const struct checked *checked, const struct model *model, uint32_t *a,
                        uint32_t *b)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < model->count; i++)
        for (uint32_t j = i + 1; j < model->count; j++)
            if (model_is_cluster(model, i) && model_is_cluster(model, j) &&
                cluster_of(checked, i) == cluster_of(checked, j) &&
                model_cost_of(model, i, j)->cost < least) {
                least = model_cost_of(model, i, j)->cost;
                *a = i;
                *b = j;
            }
    return least < INFINITY;
}

/* Lets the model do what the clustering did where two clusters had to be merged, if it was
 * right.  EXACT: of equally close pairs the first. */
static const char *follow_merger(const struct checked *checked, struct model *model, bool exact)
{
    uint32_t a, b, first, second;
    bool merged = merged_pair(checked, model, &a, &b);
    if (!merged)
        return "merges too little";
    if (exact && model_closest(model, &first, &second) && (a != first || b != second))
        return "does not merge the first of the closest pairs";
    if (!model_may_merge(model, a, b))
        return "does not merge the closest pair";
    model_merge(model, a, b);
    return NULL;
}

static const char *follow(const struct checked *checked, struct model *model, bool exact)
{
    uint32_t a, b;
    if (model_add(model) && model_closest(model, &a, &b))
        return follow_merger(checked, model, exact);
    return merged_pair(checked, model, &a, &b) ? "merges too much" : NULL;
}

static const char *compare(const struct checked *checked, const struct model *model)
{
    const struct clustering *clustering = checked->clustering;
    uint32_t index = 0, clusters = model_clusters(model);
    if (clustering_count(clustering) != clusters)
        return "has another number of clusters";
    if (clustering_classes(clustering) != model->classes ||
        clustering_equivalence(clustering) != model->mode)
        return "has other classes";
    for (uint32_t i = 0; i < model->count; i++) {
        struct cluster_view view;
        clustering_view(clustering, cluster_of(checked, i), &view);
        if (view.class_id != model->class_of[i])
            return "has an iteration in another class";
        if (!model_is_cluster(model, i)) {
            if (cluster_of(checked, i) != cluster_of(checked, model->cluster_of[i]))
                return "has an iteration in another cluster";
            continue;
        }
        if (cluster_of(checked, i) != index++)
            return "numbers clusters otherwise";
        if (view.size != model_size(model, i) || view.wall_ns != model_wall_ns(model, i))
            return "has another size or duration of a cluster";
    }
    return NULL;
}

/* In the end several pairs are merged at once.  Where there is a choice the order remains
 * unknown, and what comes after it depends on that. */
static const char *follow_finish(const struct checked *checked, struct model *model, bool exact)
{
    uint32_t a, b;
    const char *wrong = NULL;
    while (!wrong && model_finish(model) && model_closest(model, &a, &b)) {
        if (!exact && model_in_doubt(model))
            return NULL;
        wrong = follow_merger(checked, model, exact);
    }
    return wrong ? wrong : compare(checked, model);
}

/* What went wrong with a run that follows RECIPE; NULL: nothing. */
static const char *disagreement(const struct recipe *recipe, bool exact, uint32_t skip_one_in)
{
    struct random_iteration it;
    struct checked checked;
    struct model model;
    const char *wrong = NULL;
    struct clustering_config config = {
        .max_clusters = recipe->max_clusters,
        .condensed_count = recipe->condensed,
        .role = recipe->condensed ? random_role : NULL,
        .role_context = (void *)(uintptr_t)&recipe->condensed,
        .equivalence = recipe->equivalence,
        .method = recipe->method,
        .auto_bytes = 1 << 20,
    };
    checked_start(&checked, &config, NULL);
    model_start(&model, &config, &checked.history, recipe->iterations);
    for (uint32_t i = 0; i < recipe->iterations && !wrong; i++) {
        random_iteration(&it, recipe, i);
        if (skip_one_in && i % skip_one_in == 0)
            checked_skip(&checked, i % 7);
        checked_add(&checked, &it.profile);
        wrong = follow(&checked, &model, exact);
        if (!wrong)
            wrong = compare(&checked, &model);
        if (wrong)
            printf("# iteration %u: %s\n", i, wrong);
    }
    checked_finish(&checked);
    if (!wrong) {
        wrong = follow_finish(&checked, &model, exact);
        if (wrong)
            printf("# at the end: %s\n", wrong);
    }
    checked_check(&checked);
    model_end(&model);
    const char *fault = checked_end(&checked);
    if (fault)
        printf("# %s\n", fault);
    return wrong ? wrong : fault;
}

/* ---- random recipes ---- */

/* One that is tried with others at random: most are 0. */
static uint32_t sometimes(uint64_t *state, uint32_t one_in, uint32_t most)
{
    bool this_time = random_next(state) % one_in == 0;
    uint32_t value = 1 + (uint32_t)(random_next(state) % most);
    return this_time ? value : 0;
}

static struct recipe random_recipe(uint64_t seed, const struct method_name *method,
                                   enum equivalence equivalence)
{
    uint64_t state = seed;
    struct recipe recipe = {
        .iterations = 10 + (uint32_t)(random_next(&state) % 120),
        .max_clusters = sometimes(&state, 2, 40),
        .equivalence = equivalence,
        .method = method->method,
        .cells = (uint32_t)(random_next(&state) % 40),
        .present = (uint32_t)(random_next(&state) % 101),
        .paths = (uint32_t)(random_next(&state) % (MAX_PATHS + 1)),
        .shapes = 1 + sometimes(&state, 2, 8) + sometimes(&state, 8, 60),
        .kinds = sometimes(&state, 4, 12),
        .condensed = (uint32_t)(random_next(&state) % 4) + sometimes(&state, 4, 20),
        .range = sometimes(&state, 4, 60),
        .sign = random_next(&state) % 4 ? 0 : -1,
        .falling = random_next(&state) % 8 == 0,
        .fractions = random_next(&state) % 4 == 0,
        .odd = sometimes(&state, 6, 60),
    };
    if (recipe.max_clusters == 0 && random_next(&state) % 8)
        recipe.max_clusters = 1 + (uint32_t)(random_next(&state) % 12);
    recipe.falling &= recipe.condensed > 0;
    return recipe;
}

/* Whether rounding, to floats in the end, makes and breaks no ties. */
static bool breaks_no_ties(const struct recipe *recipe)
{
    return recipe->condensed <= 1 && !recipe->odd && !recipe->fractions;
}

static const char *const equivalence_names[] = {"none", "strong",        "weak",   "hybrid",
                                                "auto", "communication", "similar"};

static void does_what_it_should(const struct method_name *method, enum equivalence equivalence)
{
    enum { SEEDS = 200, NO_SEED = -1 };
    int first_wrong = NO_SEED, iterations = 0;
    for (int seed = 0; seed < SEEDS; seed += (int)tap_stride()) {
        struct recipe recipe = random_recipe((uint64_t)seed, method, equivalence);
        bool exact = method->method == CLUSTERING_SZEBENYI && breaks_no_ties(&recipe);
        iterations += (int)recipe.iterations;
        if (disagreement(&recipe, exact, seed % 3 ? 0 : 5) && first_wrong == NO_SEED)
            first_wrong = seed;
    }
    EQ_INT(first_wrong, NO_SEED, "%s, %s: %d random runs of %d iterations go as they should",
           method->name, equivalence_names[equivalence], SEEDS, iterations);
}

/* ---- what random recipes do not reach ---- */

static const struct recipe special_recipes[] = {
    {.name = "one call path",
     .iterations = 120,
     .max_clusters = 6,
     .equivalence = EQUIVALENCE_HYBRID,
     .cells = 1,
     .present = 100,
     .paths = 1,
     .shapes = 9,
     .condensed = 1},
    {.name = "more condensed values than are told apart by weight",
     .iterations = 100,
     .max_clusters = 5,
     .cells = 8,
     .present = 80,
     .condensed = MAX_CONDENSED},
    {.name = "every iteration another call tree",
     .iterations = 150,
     .max_clusters = 10,
     .equivalence = EQUIVALENCE_AUTO,
     .cells = 20,
     .present = 50,
     .paths = MAX_PATHS,
     .shapes = 100000,
     .condensed = 3},
    {.name = "nothing but odd values",
     .iterations = 150,
     .max_clusters = 6,
     .cells = 20,
     .present = 50,
     .condensed = 5,
     .odd = 100},
    {.name = "every iteration while there is room",
     .iterations = 180,
     .max_clusters = CLUSTERS_AUTO,
     .cells = 4,
     .present = 80,
     .condensed = 3},
    {.name = "every iteration while there is room, in classes",
     .iterations = 180,
     .max_clusters = CLUSTERS_AUTO,
     .equivalence = EQUIVALENCE_AUTO,
     .cells = 4,
     .present = 80,
     .paths = MAX_PATHS,
     .shapes = 20,
     .condensed = 2},
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
    {.name = "similar, one cluster",
     .iterations = 60,
     .max_clusters = 1,
     .cells = 20,
     .present = 80,
     .equivalence = EQUIVALENCE_SIMILAR,
     .paths = 4,
     .shapes = 3,
     .condensed = 6},
    {.name = "auto, 3 clusters",
     .iterations = 100,
     .max_clusters = 3,
     .cells = 20,
     .present = 80,
     .equivalence = EQUIVALENCE_AUTO,
     .paths = 8,
     .shapes = 9,
     .condensed = 6},
    {.name = "as usual",
     .iterations = 300,
     .max_clusters = 16,
     .cells = 40,
     .present = 60,
     .paths = 4,
     .shapes = 1,
     .condensed = 9},
    {.name = "all iterations find room until the end",
     .iterations = 70,
     .max_clusters = 64,
     .cells = 40,
     .present = 60,
     .paths = 4,
     .shapes = 1,
     .condensed = 9},
    {.name = "both signs, falling, hybrid",
     .iterations = 300,
     .max_clusters = 20,
     .cells = 40,
     .present = 60,
     .equivalence = EQUIVALENCE_HYBRID,
     .paths = 8,
     .shapes = 5,
     .condensed = 7,
     .sign = -1,
     .falling = true},
    {.name = "auto, too many classes",
     .iterations = 200,
     .max_clusters = 16,
     .cells = 20,
     .present = 80,
     .equivalence = EQUIVALENCE_AUTO,
     .paths = 12,
     .shapes = 60,
     .condensed = 6},
};

static void special_case(const struct method_name *method, const struct recipe *special)
{
    struct recipe recipe = *special;
    recipe.method = method->method;
    bool exact = method->method == CLUSTERING_SZEBENYI && breaks_no_ties(&recipe);
    OK(!disagreement(&recipe, exact, 0), "%s: %s%s", method->name, recipe.name,
       exact ? ", ties as well" : "");
}

/* An iteration with 10^5 call paths, two cells each; NUMBER chooses values and call tree. */
static void large_iteration(struct iteration_profile *profile, uint32_t number,
                            double *condensed)
{
    enum { PATHS = 100000 };
    struct path_entry *paths = calloc(PATHS, sizeof(*paths));
    uint32_t *cells = calloc(2 * PATHS, sizeof(*cells));
    int64_t *values = calloc(2 * PATHS, sizeof(*values));
    uint64_t state = number;
    *condensed = 0;
    for (uint32_t p = 0; p < PATHS; p++) {
        paths[p] = (struct path_entry){p, p % 3, 1 + (p == PATHS - 1 && number % 2)};
        for (uint32_t c = 2 * p; c < 2 * p + 2; c++) {
            cells[c] = c;
            values[c] = 1 + (int64_t)(random_next(&state) % 1000);
            *condensed += (double)values[c];
        }
    }
    *profile = (struct iteration_profile){.cells = cells,
                                          .values = values,
                                          .cell_count = 2 * PATHS,
                                          .paths = paths,
                                          .path_count = PATHS,
                                          .condensed = condensed,
                                          .wall_ns = 1000};
}

static void many_call_paths(const struct method_name *method)
{
    enum { ITERATIONS = 5 };
    struct clustering_config config = {.max_clusters = 3,
                                       .condensed_count = 1,
                                       .equivalence = EQUIVALENCE_STRONG,
                                       .method = method->method};
    struct checked checked;
    struct model model;
    const char *wrong = NULL;
    checked_start(&checked, &config, NULL);
    model_start(&model, &config, &checked.history, ITERATIONS);
    for (uint32_t i = 0; i < ITERATIONS && !wrong; i++) {
        struct iteration_profile profile;
        double condensed;
        large_iteration(&profile, i, &condensed);
        checked_add(&checked, &profile);
        wrong = follow(&checked, &model, true);
        if (!wrong)
            wrong = compare(&checked, &model);
        free((void *)(uintptr_t)profile.paths);
        free((void *)(uintptr_t)profile.cells);
        free((void *)(uintptr_t)profile.values);
    }
    checked_check(&checked);
    EQ_INT(clustering_classes(checked.clustering), 2, "the last of 10^5 call paths counts");
    model_end(&model);
    const char *fault = checked_end(&checked);
    OK(!wrong && !fault, "%s: 10^5 call paths: %s", method->name,
       wrong   ? wrong
       : fault ? fault
               : "as it should");
}

int main(void)
{
    for (size_t m = 0; m < CLUSTERING_METHODS; m++) {
        const struct method_name *method = &clustering_methods[m];
        for (int equivalence = 0; equivalence <= EQUIVALENCE_SIMILAR; equivalence++)
            does_what_it_should(method, (enum equivalence)equivalence);
        for (size_t r = 0; r < sizeof(special_recipes) / sizeof(special_recipes[0]);
             r += tap_stride())
            special_case(method, &special_recipes[r]);
        many_call_paths(method);
    }
    return tap_done();
}
