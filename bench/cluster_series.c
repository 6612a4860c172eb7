/*
 * Clusters a series of numbers as the runtime clusters iterations.
 *
 *     cluster_series szebenyi|adaptive CLUSTERS METRICS PATHS < SERIES
 *
 * The input is a row of METRICS * (1 + PATHS) doubles for every iteration, as the machine
 * stores them: its totals, then for each call path its value of every metric, integers, which
 * may all be compared.  Prints the number of each iteration's cluster, a line each.
 */
#include "compress/clustering.h"
#include "compress/plain_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct series {
    size_t metrics, paths;
    double *row; /* of an iteration */
    uint32_t *cells;
    int64_t *values;
};

static void fail(const char *text)
{
    fprintf(stderr, "cluster_series: %s\n", text);
    exit(2);
}

static struct cell_role role_of(void *context, uint32_t cell)
{
    const struct series *series = context;
    return (struct cell_role){.metric = (uint32_t)(cell % series->metrics), .compared = true};
}

static size_t list_cells(struct series *series)
{
    size_t count = 0;
    for (size_t i = 0; i < series->metrics * series->paths; i++) {
        int64_t value = (int64_t)series->row[series->metrics + i];
        if (value == 0)
            continue;
        series->cells[count] = (uint32_t)i;
        series->values[count++] = value;
    }
    return count;
}

static void cluster(struct clustering *clustering, struct series *series)
{
    const size_t length = series->metrics * (1 + series->paths);
    while (fread(series->row, sizeof *series->row, length, stdin) == length) {
        struct iteration_profile profile = {.condensed = series->row,
                                            .cells = series->cells,
                                            .values = series->values,
                                            .cell_count = list_cells(series)};
        if (!clustering_add(clustering, &profile))
            fail("out of memory");
    }
    clustering_finish(clustering);
}

int main(int argc, char **argv)
{
    struct series series = {.metrics = argc == 5 ? strtoul(argv[3], NULL, 10) : 0};
    if (series.metrics == 0 || (strcmp(argv[1], "szebenyi") && strcmp(argv[1], "adaptive")))
        fail("usage: cluster_series szebenyi|adaptive CLUSTERS METRICS PATHS < SERIES");
    series.paths = strtoul(argv[4], NULL, 10);
    struct clustering_config config = {
        .max_clusters = (uint32_t)strtoul(argv[2], NULL, 10),
        .condensed_count = (uint32_t)series.metrics,
        .equivalence = EQUIVALENCE_NONE,
        .memory = plain_memory(),
        .method = strcmp(argv[1], "szebenyi") ? CLUSTERING_ADAPTIVE : CLUSTERING_SZEBENYI,
        .role = role_of,
        .role_context = &series,
    };
    struct clustering *clustering = clustering_create(&config);
    const size_t cells = series.metrics * series.paths;
    series.row = calloc(series.metrics + cells, sizeof *series.row);
    series.cells = calloc(cells + 1, sizeof *series.cells);
    series.values = calloc(cells + 1, sizeof *series.values);
    if (!clustering || !series.row || !series.cells || !series.values)
        fail("out of memory");
    cluster(clustering, &series);
    for (uint64_t i = 0; i < clustering_iterations(clustering); i++)
        printf("%u\n", (unsigned)clustering_cluster_of(clustering, i));
    clustering_destroy(clustering);
    free(series.row);
    free(series.cells);
    free(series.values);
    return 0;
}
