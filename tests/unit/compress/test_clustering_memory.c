/*
 * Proves that a clustering stays right when memory runs out, by failing the Nth request for
 * every N: alone, then it and all that follow.  Nothing leaks, what was not lost adds up, and
 * the map, the sizes and the equivalence still hold.
 */
#include "compress/clustering.h"

#include "counting_memory.h"
#include "random_iterations.h"
#include "tap.h"

enum { ITERATIONS = 90, CELL_SPACE = 2 * MAX_CELLS + 2 };

static struct random_iteration its[ITERATIONS];

static const struct recipe recipes[] = {
    {.name = "none",
     .iterations = ITERATIONS,
     .max_clusters = 6,
     .cells = 90,
     .present = 30,
     .condensed = 5},
    {.name = "equal cells",
     .iterations = ITERATIONS,
     .max_clusters = 6,
     .cells = 40,
     .present = 100,
     .condensed = 5},
    {.name = "weak",
     .iterations = ITERATIONS,
     .max_clusters = 10,
     .cells = 60,
     .present = 80,
     .equivalence = EQUIVALENCE_WEAK,
     .paths = 9,
     .shapes = 4,
     .condensed = 5},
    {.name = "strong, crowded",
     .iterations = ITERATIONS,
     .max_clusters = 5,
     .cells = 60,
     .present = 80,
     .equivalence = EQUIVALENCE_STRONG,
     .paths = 9,
     .shapes = 25,
     .condensed = 5},
    {.name = "strong, few classes",
     .iterations = ITERATIONS,
     .max_clusters = 9,
     .cells = 90,
     .present = 40,
     .equivalence = EQUIVALENCE_STRONG,
     .paths = 9,
     .shapes = 4,
     .condensed = 5},
    {.name = "auto, relaxing",
     .iterations = ITERATIONS,
     .max_clusters = 8,
     .cells = 60,
     .present = 80,
     .equivalence = EQUIVALENCE_AUTO,
     .paths = 9,
     .shapes = 15,
     .condensed = 5},
    {.name = "no maximum",
     .iterations = ITERATIONS,
     .max_clusters = 0,
     .cells = 60,
     .present = 80,
     .equivalence = EQUIVALENCE_HYBRID,
     .paths = 9,
     .shapes = 5,
     .condensed = 5},
    {.name = "empty iterations", .iterations = ITERATIONS, .max_clusters = 3, .condensed = 1},
};

static struct clustering *create(struct counting_memory *memory, const struct recipe *recipe)
{
    struct clustering_config config = {
        .max_clusters = recipe->max_clusters,
        .condensed_count = recipe->condensed,
        .equivalence = recipe->equivalence,
        .memory = counting_source(memory),
    };
    return clustering_create(&config);
}

static bool lost_ones[ITERATIONS];

/* Adds all iterations; false if a return value or the account of memory is wrong. */
static bool add_all(struct clustering *clustering, struct counting_memory *memory)
{
    for (uint32_t i = 0; i < ITERATIONS; i++) {
        uint64_t failures = memory->failures, lost = clustering_lost(clustering);
        bool added = clustering_add(clustering, &its[i].profile);
        bool was_lost = clustering_lost(clustering) != lost;
        uint32_t where = clustering_cluster_of(clustering, i);
        if (added ? was_lost : memory->failures == failures)
            return false;
        if (was_lost ? where < CLUSTER_UNKNOWN : where == CLUSTER_NONE)
            return false;
        lost_ones[i] = was_lost;
        if (clustering_memory(clustering) != memory->held)
            return false;
    }
    return clustering_iterations(clustering) == ITERATIONS;
}

static bool sums_are_right(const struct clustering *clustering)
{
    int64_t sums[CELL_SPACE] = {0}, wall_ns = 0;
    struct cluster_view view;
    for (uint32_t n = 0; n < clustering_count(clustering); n++) {
        clustering_view(clustering, n, &view);
        wall_ns += view.wall_ns;
        for (size_t c = 0; c < view.cell_count; c++)
            sums[view.cells[c]] += view.values[c];
    }
    for (uint32_t i = 0; i < ITERATIONS; i++) {
        if (lost_ones[i])
            continue;
        wall_ns -= its[i].profile.wall_ns;
        for (size_t c = 0; c < its[i].profile.cell_count; c++)
            sums[its[i].cells[c]] -= its[i].values[c];
    }
    for (uint32_t cell = 0; cell < CELL_SPACE; cell++)
        if (sums[cell] != 0)
            return false;
    return wall_ns == 0;
}

static bool map_is_right(const struct clustering *clustering)
{
    uint32_t members[ITERATIONS] = {0}, newest = 0, count = clustering_count(clustering);
    uint64_t lost = 0, missing = 0, unmapped = clustering_unmapped(clustering);
    struct cluster_view view;
    for (uint32_t i = 0; i < ITERATIONS; i++) {
        uint32_t n = clustering_cluster_of(clustering, i);
        lost += lost_ones[i];
        if (n >= CLUSTER_UNKNOWN)
            continue;
        /* clusters appear in the order of their numbers */
        if (n >= count || (n > newest && unmapped == 0))
            return false;
        newest += members[n]++ == 0;
    }
    for (uint32_t n = 0; n < count; n++) {
        clustering_view(clustering, n, &view);
        missing += view.size - members[n];
        if (view.size < members[n] || view.class_id >= clustering_classes(clustering))
            return false;
    }
    return (newest == count || unmapped > 0) && missing <= unmapped &&
           unmapped <= missing + lost && lost == clustering_lost(clustering);
}

static bool same_strong(const struct iteration_profile *a, const struct iteration_profile *b)
{
    return a->path_count == b->path_count &&
           memcmp(a->paths, b->paths, a->path_count * sizeof(*a->paths)) == 0;
}

/* Who shares a cluster is equivalent; strong, the strictest, stands for all. */
static bool classes_are_right(const struct clustering *clustering)
{
    if (clustering_equivalence(clustering) != EQUIVALENCE_STRONG)
        return true;
    for (uint32_t i = 0; i < ITERATIONS; i++)
        for (uint32_t j = 0; j < i; j++)
            if (clustering_cluster_of(clustering, i) < CLUSTER_UNKNOWN &&
                clustering_cluster_of(clustering, i) == clustering_cluster_of(clustering, j) &&
                !same_strong(&its[i].profile, &its[j].profile))
                return false;
    return true;
}

static bool count_is_bounded(const struct clustering *clustering, const struct recipe *recipe)
{
    uint32_t count = clustering_count(clustering), classes = clustering_classes(clustering);
    return recipe->max_clusters == 0 || count <= recipe->max_clusters || count == classes;
}

/* One run in which requests FROM to TO fail; false if anything is wrong.  *REACHED tells
 * whether there were that many requests. */
static bool survives(const struct recipe *recipe, uint64_t from, uint64_t to, bool *reached)
{
    struct counting_memory memory = {.fail_from = from, .fail_to = to};
    struct clustering *clustering = create(&memory, recipe);
    bool good = true;
    if (clustering)
        good = add_all(clustering, &memory) && sums_are_right(clustering) &&
               map_is_right(clustering) && classes_are_right(clustering) &&
               count_is_bounded(clustering, recipe);
    clustering_destroy(clustering);
    *reached = memory.failures > 0;
    return good && memory.held == 0 && !memory.wrong_size;
}

static void survives_every_failure(const struct recipe *recipe)
{
    uint64_t n, first_wrong[2] = {0, 0};
    bool reached = true;
    for (uint32_t i = 0; i < ITERATIONS; i++)
        random_iteration(&its[i], recipe, i);
    for (n = 1; reached; n++) {
        if (!survives(recipe, n, n, &reached) && !first_wrong[0])
            first_wrong[0] = n;
        if (!survives(recipe, n, UINT64_MAX, &reached) && !first_wrong[1])
            first_wrong[1] = n;
    }
    EQ_INT(first_wrong[0], 0, "%s: each of %d requests may fail", recipe->name, (int)n - 2);
    EQ_INT(first_wrong[1], 0, "%s: each may be the last that succeeds", recipe->name);
}

static void nothing_is_lost_that_fits(void)
{
    const struct recipe *recipe = &recipes[1];
    struct counting_memory memory = {0};
    struct clustering *clustering = create(&memory, recipe);
    for (uint32_t i = 0; i < ITERATIONS; i++) {
        random_iteration(&its[i], recipe, i);
        if (i == 10) {
            memory.fail_from = 1;
            memory.fail_to = UINT64_MAX;
        }
        clustering_add(clustering, &its[i].profile);
    }
    EQ_INT(clustering_lost(clustering), 0, "iterations with known cells need no memory");
    EQ_INT(clustering_count(clustering), 6, "and no cluster is lost");
    clustering_destroy(clustering);
    EQ_INT(memory.held, 0, "no leak");
}

static void automatic_relaxes_before_it_loses(void)
{
    const struct recipe *recipe = &recipes[5];
    struct counting_memory memory = {0};
    struct random_iteration it;
    struct clustering *clustering = create(&memory, recipe);
    random_iteration(&it, recipe, 0);
    clustering_add(clustering, &it.profile);
    memory.fail_from = 1;
    memory.fail_to = UINT64_MAX;
    it.paths[it.profile.path_count++] = (struct path_entry){1000, PATH_MPI, 1};
    OK(!clustering_add(clustering, &it.profile), "out of memory, and auto says so");
    EQ_INT(clustering_lost(clustering), 0, "but another call tree is not lost");
    EQ_INT(clustering_equivalence(clustering), EQUIVALENCE_NONE, "it is mixed in");
    EQ_INT(clustering_classes(clustering), 1, "with the one class left");
    clustering_destroy(clustering);
    EQ_INT(memory.held, 0, "no leak");
}

/* An iteration is kept though there is no memory to know which call paths it has. */
static void presence_is_given_up_first(void)
{
    const struct recipe *recipe = &recipes[1];
    struct counting_memory memory = {0};
    struct random_iteration it;
    struct clustering *clustering = create(&memory, recipe);
    uint32_t unknown = 0, known = 0;
    for (uint32_t i = 0; i < 10; i++) {
        random_iteration(&it, recipe, i);
        it.paths[0] = (struct path_entry){1, PATH_MPI, 1};
        it.profile.path_count = 1;
        clustering_add(clustering, &it.profile);
    }
    memory.fail_from = 1;
    memory.fail_to = UINT64_MAX;
    for (uint32_t path = 2; path < MAX_PATHS; path++)
        it.paths[path - 2] = (struct path_entry){path, PATH_MPI, 1};
    it.profile.path_count = MAX_PATHS - 2;
    clustering_add(clustering, &it.profile);
    for (uint32_t n = 0; n < clustering_count(clustering); n++) {
        struct cluster_view view;
        clustering_view(clustering, n, &view);
        unknown += !view.presence_known;
        known += view.presence_known;
    }
    EQ_INT(clustering_lost(clustering), 0, "an iteration with other call paths is not lost");
    EQ_INT(unknown, 1, "of its cluster presence is not known any more");
    OK(known > 0, "of others it is");
    clustering_destroy(clustering);
    EQ_INT(memory.held, 0, "no leak");
}

int main(void)
{
    for (size_t r = 0; r < sizeof(recipes) / sizeof(recipes[0]); r++)
        survives_every_failure(&recipes[r]);
    nothing_is_lost_that_fits();
    automatic_relaxes_before_it_loses();
    presence_is_given_up_first();
    return tap_done();
}
