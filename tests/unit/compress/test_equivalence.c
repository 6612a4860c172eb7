/* Proves what each equivalence promises about iterations of one class, by the classes
 * themselves and through a clustering, and that equal hashes never make iterations equivalent.
 */
#include "compress/equivalence.h"

#include "counting_memory.h"
#include "tap.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* One iteration and variations of it that differ in one respect each. */
static const struct path_entry base[] = {
    {1, PATH_COM, 1}, {2, PATH_MPI, 4}, {5, PATH_USR, 9}, {8, PATH_MPI, 2}};
static const struct path_entry usr_visits[] = {
    {1, PATH_COM, 1}, {2, PATH_MPI, 4}, {5, PATH_USR, 8}, {8, PATH_MPI, 2}};
static const struct path_entry usr_missing[] = {
    {1, PATH_COM, 1}, {2, PATH_MPI, 4}, {8, PATH_MPI, 2}};
static const struct path_entry usr_added[] = {
    {1, PATH_COM, 1}, {2, PATH_MPI, 4}, {5, PATH_USR, 9}, {7, PATH_USR, 1}, {8, PATH_MPI, 2}};
static const struct path_entry com_visits[] = {
    {1, PATH_COM, 3}, {2, PATH_MPI, 4}, {5, PATH_USR, 9}, {8, PATH_MPI, 2}};
static const struct path_entry com_added[] = {
    {1, PATH_COM, 1}, {2, PATH_MPI, 4}, {5, PATH_USR, 9}, {7, PATH_COM, 1}, {8, PATH_MPI, 2}};
static const struct path_entry mpi_visits[] = {
    {1, PATH_COM, 1}, {2, PATH_MPI, 5}, {5, PATH_USR, 9}, {8, PATH_MPI, 2}};
static const struct path_entry mpi_missing[] = {
    {1, PATH_COM, 1}, {2, PATH_MPI, 4}, {5, PATH_USR, 9}};
static const struct path_entry mpi_other[] = {
    {1, PATH_COM, 1}, {3, PATH_MPI, 4}, {5, PATH_USR, 9}, {8, PATH_MPI, 2}};
static const struct path_entry mpi_appended[] = {
    {1, PATH_COM, 1}, {2, PATH_MPI, 4}, {5, PATH_USR, 9}, {8, PATH_MPI, 2}, {9, PATH_MPI, 1}};
static const struct path_entry visits_moved[] = {
    {1, PATH_COM, 1}, {2, PATH_MPI, 2}, {5, PATH_USR, 9}, {8, PATH_MPI, 4}};

enum {
    N = 1 << EQUIVALENCE_NONE,
    S = 1 << EQUIVALENCE_STRONG,
    W = 1 << EQUIVALENCE_WEAK,
    H = 1 << EQUIVALENCE_HYBRID
};

#define ROW(name, modes)                                                                       \
    {                                                                                          \
#name, name, COUNT(name), modes                                                        \
    }

static const struct {
    const char *name;
    const struct path_entry *paths;
    size_t count;
    unsigned same; /* the equivalences under which it is like base */
} variations[] = {
    ROW(base, N | S | W | H), ROW(usr_visits, N | W | H), ROW(usr_missing, N | H),
    ROW(usr_added, N | H),    ROW(com_visits, N | W | H), ROW(com_added, N),
    ROW(mpi_visits, N | W),   ROW(mpi_missing, N),        ROW(mpi_other, N),
    ROW(mpi_appended, N),     ROW(visits_moved, N | W),   {"empty", NULL, 0, N},
};

static const char *const mode_names[] = {"none", "strong", "weak", "hybrid"};

static struct account counted(struct counting_memory *memory)
{
    return (struct account){.source = counting_source(memory)};
}

/* HASH of 0: the true ones. */
static void each_mode_keeps_its_promise(enum equivalence mode, uint64_t hash)
{
    struct counting_memory memory = {0};
    struct account account = counted(&memory);
    struct classes classes = {.mode = mode};
    uint64_t base_hash = hash ? hash : equivalence_hash(mode, &account, base, COUNT(base));
    EQ_INT(classes_find(&classes, &account, base_hash, base, COUNT(base)), CLASS_NONE,
           "%s: at first no class is known", mode_names[mode]);
    EQ_INT(classes_add(&classes, &account, base_hash, base, COUNT(base)), 0,
           "%s: the first class is 0", mode_names[mode]);
    for (size_t v = 0; v < COUNT(variations); v++) {
        uint64_t h =
            hash ? hash
                 : equivalence_hash(mode, &account, variations[v].paths, variations[v].count);
        bool same = variations[v].same >> mode & 1;
        EQ_INT(classes_find(&classes, &account, h, variations[v].paths, variations[v].count),
               same ? 0 : CLASS_NONE, "%s%s: %s is %s", mode_names[mode],
               hash ? ", equal hashes" : "", variations[v].name, same ? "alike" : "different");
    }
    classes_clear(&classes, &account);
    OK(memory.held == 0 && account.held == 0 && !memory.wrong_size, "%s: no leak",
       mode_names[mode]);
}

static uint32_t find_or_add(struct classes *classes, struct account *account, uint64_t hash,
                            const struct path_entry *path)
{
    uint32_t id = classes_find(classes, account, hash, path, 1);
    return id != CLASS_NONE ? id : classes_add(classes, account, hash, path, 1);
}

static void many_classes(uint64_t hash, const char *name)
{
    enum { CLASSES = 500 };
    struct counting_memory memory = {0};
    struct account account = counted(&memory);
    struct classes classes = {.mode = EQUIVALENCE_STRONG};
    unsigned wrong = 0;
    for (int round = 0; round < 3; round++)
        for (uint32_t i = 0; i < CLASSES; i++) {
            struct path_entry path = {i / 2, PATH_MPI, i % 2};
            uint64_t h = hash ? hash : equivalence_hash(classes.mode, &account, &path, 1);
            wrong += find_or_add(&classes, &account, h, &path) != i;
        }
    EQ_INT(wrong, 0, "%s: classes keep their numbers, by first appearance", name);
    EQ_INT(classes.count, CLASSES, "%s: no class twice", name);
    for (uint32_t i = CLASSES; i-- > CLASSES / 2;)
        classes_remove_last(&classes, &account);
    for (uint32_t i = 0; i < CLASSES; i++) {
        struct path_entry path = {i / 2, PATH_MPI, i % 2};
        uint64_t h = hash ? hash : equivalence_hash(classes.mode, &account, &path, 1);
        wrong +=
            classes_find(&classes, &account, h, &path, 1) != (i < CLASSES / 2 ? i : CLASS_NONE);
    }
    EQ_INT(wrong, 0, "%s: removed classes are gone, the others still there", name);
    classes_clear(&classes, &account);
    OK(memory.held == 0 && account.held == 0 && !memory.wrong_size, "%s: no leak", name);
}

static void hashes_differ(void)
{
    const struct account account = {.pause = NULL};
    for (size_t v = 0; v < COUNT(variations); v++) {
        unsigned wrong = 0;
        for (int mode = 0; mode < 4; mode++) {
            bool same = variations[v].same >> mode & 1;
            uint64_t a = equivalence_hash((enum equivalence)mode, &account, base, COUNT(base));
            uint64_t b = equivalence_hash((enum equivalence)mode, &account, variations[v].paths,
                                          variations[v].count);
            wrong += (a == b) != same;
        }
        EQ_INT(wrong, 0, "hashes of %s and base agree just when they are alike",
               variations[v].name);
    }
}

static void memory_out(void)
{
    for (uint64_t n = 1; n <= 3; n++) {
        struct counting_memory memory = {.fail_from = n, .fail_to = n};
        struct account account = counted(&memory);
        struct classes classes = {.mode = EQUIVALENCE_WEAK};
        uint32_t first = classes_add(&classes, &account, 1, base, COUNT(base));
        EQ_INT(first, CLASS_NONE, "request %d fails: no class", (int)n);
        EQ_INT(classes_find(&classes, &account, 1, base, COUNT(base)), CLASS_NONE,
               "none is found");
        EQ_INT(classes_add(&classes, &account, 1, base, COUNT(base)), 0, "then it works");
        classes_clear(&classes, &account);
        OK(memory.held == 0 && account.held == 0, "no leak");
    }
}

static bool add(struct clustering *clustering, const struct path_entry *paths, size_t count)
{
    static const uint32_t cells[] = {0};
    static const int64_t values[] = {1};
    static const double condensed[] = {1};
    struct iteration_profile profile = {.cells = cells,
                                        .values = values,
                                        .cell_count = 1,
                                        .paths = paths,
                                        .path_count = count,
                                        .condensed = condensed,
                                        .wall_ns = 1};
    return clustering_add(clustering, &profile);
}

static struct clustering *create(struct counting_memory *memory, enum equivalence mode,
                                 uint32_t max_clusters)
{
    struct clustering_config config = {.max_clusters = max_clusters,
                                       .condensed_count = 1,
                                       .equivalence = mode,
                                       .memory = counting_source(memory)};
    return clustering_create(&config);
}

static void clusters_respect_classes(enum equivalence mode)
{
    struct counting_memory memory = {0};
    struct clustering *clustering = create(&memory, mode, 2);
    struct cluster_view of_base, view;
    for (int round = 0; round < 5; round++)
        for (size_t v = 0; v < COUNT(variations); v++)
            add(clustering, variations[v].paths, variations[v].count);
    unsigned wrong = 0;
    for (uint64_t i = 0; i < clustering_iterations(clustering); i++) {
        clustering_view(clustering, clustering_cluster_of(clustering, 0), &of_base);
        clustering_view(clustering, clustering_cluster_of(clustering, i), &view);
        bool same = variations[i % COUNT(variations)].same >> mode & 1;
        wrong += (of_base.class_id == view.class_id) != same;
    }
    EQ_INT(wrong, 0, "%s: clusters hold only what is alike", mode_names[mode]);
    uint32_t classes = clustering_classes(clustering), count = clustering_count(clustering);
    EQ_INT(count, classes > 2 ? classes : 2, "%s: every class keeps a cluster",
           mode_names[mode]);
    EQ_INT(clustering_equivalence(clustering), mode, "%s stays in force", mode_names[mode]);
    clustering_destroy(clustering);
    EQ_INT(memory.held, 0, "%s: no leak", mode_names[mode]);
}

static void add_with_visits(struct clustering *clustering, int64_t visits)
{
    struct path_entry path = {1, PATH_MPI, visits};
    add(clustering, &path, 1);
}

static void automatic_relaxes_when_crowded_out(void)
{
    struct counting_memory memory = {0};
    struct clustering *clustering = create(&memory, EQUIVALENCE_AUTO, 8);
    EQ_INT(clustering_classes(clustering), 0, "no iteration, no class");
    for (int64_t i = 0; i < 100; i++)
        add_with_visits(clustering, i % 4);
    EQ_INT(clustering_equivalence(clustering), EQUIVALENCE_HYBRID,
           "auto: 4 classes leave 8 clusters enough room");
    EQ_INT(clustering_classes(clustering), 4, "auto: 4 classes");
    EQ_INT(clustering_count(clustering), 8, "auto: 8 clusters");
    add_with_visits(clustering, 4);
    EQ_INT(clustering_equivalence(clustering), EQUIVALENCE_COMMUNICATION,
           "auto: 5 classes do not");
    EQ_INT(clustering_classes(clustering), 1, "auto: without visits there is one class");
    for (int64_t i = 0; i < 100; i++)
        add_with_visits(clustering, i);
    EQ_INT(clustering_count(clustering), 8, "auto: and never more than 8 clusters");
    for (uint32_t i = 2; i <= 5; i++) {
        EQ_INT(clustering_equivalence(clustering), EQUIVALENCE_COMMUNICATION,
               "auto: that holds for %u call trees", i - 1);
        add(clustering, &(struct path_entry){i, PATH_MPI, 1}, 1);
    }
    EQ_INT(clustering_equivalence(clustering), EQUIVALENCE_SIMILAR, "auto: 5 are too many");
    EQ_INT(clustering_classes(clustering), 4, "auto: then two are united, and no more");
    EQ_INT(clustering_count(clustering), 8, "auto: and 8 clusters");
    clustering_destroy(clustering);
    EQ_INT(memory.held, 0, "auto: no leak");
}

static void automatic_stays_strict_while_nothing_must_be_merged(void)
{
    struct counting_memory memory = {0};
    struct clustering *clustering = create(&memory, EQUIVALENCE_AUTO, 8);
    for (int64_t i = 0; i < 8; i++)
        add_with_visits(clustering, i);
    EQ_INT(clustering_equivalence(clustering), EQUIVALENCE_HYBRID,
           "auto: strict while every iteration is a cluster");
    EQ_INT(clustering_classes(clustering), 8, "auto: 8 classes");
    clustering_destroy(clustering);
    clustering = create(&memory, EQUIVALENCE_AUTO, 0);
    for (int64_t i = 0; i < 100; i++)
        add_with_visits(clustering, i);
    EQ_INT(clustering_equivalence(clustering), EQUIVALENCE_HYBRID,
           "auto: strict without a maximum");
    EQ_INT(clustering_classes(clustering), 100, "auto: 100 classes");
    clustering_destroy(clustering);
}

enum { FAMILIES = 4, FAMILY_PATHS = 20, FAMILY_EXTRAS = 30, FAMILY_ITERATIONS = 1200 };

/* Iteration NUMBER: the call paths of its family, and one of some that hardly two of it share.
 */
static size_t make_relative(struct path_entry *paths, uint32_t number)
{
    const uint32_t family = number / 7 % FAMILIES;
    const uint32_t first = family * (FAMILY_PATHS + FAMILY_EXTRAS);
    for (uint32_t p = 0; p < FAMILY_PATHS; p++)
        paths[p] = (struct path_entry){first + p, PATH_MPI, 1};
    paths[FAMILY_PATHS] = (struct path_entry){
        first + FAMILY_PATHS + number * 2654435761U / 65536 % FAMILY_EXTRAS, PATH_MPI, 1};
    return FAMILY_PATHS + 1;
}

/* Call paths, times iterations, that clusters show where they did not occur. */
static uint64_t phantoms_of(const struct clustering *clustering)
{
    uint64_t phantoms = 0;
    for (uint32_t i = 0; i < clustering_count(clustering); i++) {
        struct cluster_view view;
        clustering_view(clustering, i, &view);
        for (size_t p = 0; view.path_counts && p < view.path_count; p++)
            phantoms += view.size - view.path_counts[p];
    }
    return phantoms;
}

/* Whether the call paths of cluster INDEX are of one family. */
static bool is_of_one_family(const struct clustering *clustering, uint32_t index)
{
    struct cluster_view view;
    clustering_view(clustering, index, &view);
    return view.paths[0] / (FAMILY_PATHS + FAMILY_EXTRAS) ==
           view.paths[view.path_count - 1] / (FAMILY_PATHS + FAMILY_EXTRAS);
}

/* 120 classes are too many for 16 clusters, but there are four kinds of iterations. */
static void only_what_is_similar_is_united(void)
{
    struct counting_memory memory = {0};
    struct clustering *some = create(&memory, EQUIVALENCE_AUTO, 16),
                      *none = create(&memory, EQUIVALENCE_NONE, 16);
    struct path_entry paths[FAMILY_PATHS + 1];
    uint32_t mixed = 0;
    for (uint32_t i = 0; i < FAMILY_ITERATIONS; i++) {
        const size_t count = make_relative(paths, i);
        add(some, paths, count);
        add(none, paths, count);
    }
    clustering_finish(some);
    EQ_INT(clustering_equivalence(some), EQUIVALENCE_SIMILAR, "similar: classes are united");
    EQ_INT(clustering_classes(some), 8, "similar: until they are half the clusters");
    for (uint32_t i = 0; i < clustering_count(some); i++)
        mixed += !is_of_one_family(some, i);
    EQ_INT(mixed, 0, "similar: no cluster has what is nothing alike");
    OK(phantoms_of(none) > 3 * phantoms_of(some), "similar: fewer phantoms, %llu and %llu",
       (unsigned long long)phantoms_of(some), (unsigned long long)phantoms_of(none));
    clustering_destroy(some);
    clustering_destroy(none);
}

int main(void)
{
    for (int mode = 1; mode < 4; mode++) {
        each_mode_keeps_its_promise((enum equivalence)mode, 0);
        each_mode_keeps_its_promise((enum equivalence)mode, 42);
    }
    hashes_differ();
    many_classes(0, "true hashes");
    many_classes(42, "equal hashes");
    memory_out();
    for (int mode = 0; mode < 4; mode++)
        clusters_respect_classes((enum equivalence)mode);
    automatic_relaxes_when_crowded_out();
    automatic_stays_strict_while_nothing_must_be_merged();
    only_what_is_similar_is_united();
    return tap_done();
}
