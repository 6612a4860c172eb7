/*
 * Clusters iterations that are read from stdin as the runtime would, with nothing but
 * libcompress, and prints what became of them.  For tests/e2e/command/offline.py, which
 * compares that with what `tsprof compress` makes of the same iterations.
 *
 * Input, words separated by white space:
 *
 *     clusters METHOD EQUIVALENCE condensed-values
 *     skip COUNT
 *     iteration wall-ns CELLS {cell value role} PATHS {path kind visits} {condensed value}
 *
 * METHOD and EQUIVALENCE are numbers of their enums.  A cell is of the metric that is left over
 * when it is divided by condensed-values; its role is 1 if it is compared, 3 if its largest
 * value is kept as well, and else 0.  Output, a line each:
 *
 *     equivalence NUMBER
 *     classes NUMBER
 *     maxima {value}
 *     cluster size class wall-ns CELLS {cell value} {spread}
 *     map {cluster, or -1}
 *     largest {cell value iteration}, in ascending order of cells
 *
 * Maxima and spreads are written as hexadecimal floating-point numbers.
 */
#include "compress/clustering.h"
#include "compress/plain_memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn static void fail(const char *what)
{
    fprintf(stderr, "replay: %s\n", what);
    exit(1);
}

static int64_t read_integer(void)
{
    int64_t value;
    if (scanf("%" SCNd64, &value) != 1)
        fail("a number is missing");
    return value;
}

static void *room(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (!memory)
        fail("out of memory");
    return memory;
}

static struct {
    uint32_t condensed_count;
    uint32_t *cells; /* of the iteration that is being added */
    int64_t *roles;
    size_t count;
} now;

static struct cell_role role_of(void *context, uint32_t cell)
{
    size_t i = 0;
    (void)context;
    while (i < now.count && now.cells[i] != cell)
        i++;
    return (struct cell_role){cell % now.condensed_count, now.roles[i] & 1, now.roles[i] & 2};
}

static void replay_iteration(struct clustering *clustering, uint32_t condensed_count)
{
    struct iteration_profile profile = {.wall_ns = read_integer()};
    profile.cell_count = (size_t)read_integer();
    uint32_t *cells = room(profile.cell_count, sizeof *cells);
    int64_t *values = room(profile.cell_count, sizeof *values);
    int64_t *roles = room(profile.cell_count, sizeof *roles);
    for (size_t i = 0; i < profile.cell_count; i++) {
        cells[i] = (uint32_t)read_integer();
        values[i] = read_integer();
        roles[i] = read_integer();
    }
    now.cells = cells;
    now.roles = roles;
    now.count = profile.cell_count;
    profile.path_count = (size_t)read_integer();
    struct path_entry *paths = room(profile.path_count, sizeof *paths);
    for (size_t i = 0; i < profile.path_count; i++) {
        paths[i].path = (uint32_t)read_integer();
        paths[i].kind = (uint32_t)read_integer();
        paths[i].visits = read_integer();
    }
    double *condensed = room(condensed_count, sizeof *condensed);
    for (uint32_t i = 0; i < condensed_count; i++)
        condensed[i] = (double)read_integer();
    profile.cells = cells;
    profile.values = values;
    profile.paths = paths;
    profile.condensed = condensed;
    if (!clustering_add(clustering, &profile))
        fail("out of memory");
    free(cells);
    free(values);
    free(roles);
    free(paths);
    free(condensed);
}

static void print_clusters(const struct clustering *clustering, uint32_t metrics)
{
    printf("equivalence %d\n", (int)clustering_equivalence(clustering));
    printf("classes %" PRIu32 "\nmaxima", clustering_classes(clustering));
    for (uint32_t i = 0; i < metrics; i++)
        printf(" %a", clustering_maxima(clustering)[i]);
    putchar('\n');
    for (uint32_t c = 0; c < clustering_count(clustering); c++) {
        struct cluster_view view;
        clustering_view(clustering, c, &view);
        printf("cluster %" PRIu32 " %" PRIu32 " %" PRId64 " %zu", view.size, view.class_id,
               view.wall_ns, view.cell_count);
        for (size_t i = 0; i < view.cell_count; i++)
            printf(" %" PRIu32 " %" PRId64, view.cells[i], view.values[i]);
        for (uint32_t i = 0; i < metrics; i++)
            printf(" %a", view.spreads[i]);
        putchar('\n');
    }
    printf("map");
    for (uint64_t i = 0; i < clustering_iterations(clustering); i++) {
        uint32_t cluster = clustering_cluster_of(clustering, i);
        printf(" %" PRId64, cluster == UINT32_MAX ? -1 : (int64_t)cluster);
    }
    putchar('\n');
}

static void print_largest(const struct clustering *clustering)
{
    const uint32_t count = clustering_largest_count(clustering);
    printf("largest");
    for (uint64_t last = 0, next; last < UINT64_MAX; last = next) {
        const struct cell_largest *found = NULL;
        next = UINT64_MAX;
        for (uint32_t i = 0; i < count; i++) {
            const struct cell_largest *one = clustering_largest(clustering, i);
            if (one->cell + UINT64_C(1) > last && one->cell + UINT64_C(1) < next) {
                next = one->cell + UINT64_C(1);
                found = one;
            }
        }
        if (found && found->value > 0)
            printf(" %" PRIu32 " %" PRId64 " %" PRIu32, found->cell, found->value,
                   found->iteration);
    }
    putchar('\n');
}

int main(void)
{
    struct clustering_config config = {.memory = plain_memory()};
    char word[16];
    config.max_clusters = (uint32_t)read_integer();
    config.method = (enum clustering_method)read_integer();
    config.equivalence = (enum equivalence)read_integer();
    config.condensed_count = (uint32_t)read_integer();
    config.role = role_of;
    now.condensed_count = config.condensed_count;
    struct clustering *clustering = clustering_create(&config);
    if (!clustering)
        fail("out of memory");
    while (scanf("%15s", word) == 1) {
        if (strcmp(word, "skip") == 0)
            clustering_skip(clustering, (uint64_t)read_integer());
        else if (strcmp(word, "iteration") == 0)
            replay_iteration(clustering, config.condensed_count);
        else
            fail("an unknown word");
    }
    clustering_finish(clustering);
    print_clusters(clustering, config.condensed_count);
    print_largest(clustering);
    clustering_destroy(clustering);
    return 0;
}
