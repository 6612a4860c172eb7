/*
 * Clusters a series of numbers as the runtime clusters iterations.
 *
 *     cluster_series szebenyi|adaptive CLUSTERS VALUES < SERIES
 *
 * The input is a row of VALUES doubles for every iteration, as the machine stores them.  Each
 * is the condensed profile of an iteration without call paths.  Prints the number of each
 * iteration's cluster, a line each.
 */
#include "compress/clustering.h"
#include "compress/plain_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *text)
{
    fprintf(stderr, "cluster_series: %s\n", text);
    exit(2);
}

int main(int argc, char **argv)
{
    size_t values = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
    if (values == 0 || (strcmp(argv[1], "szebenyi") && strcmp(argv[1], "adaptive")))
        fail("usage: cluster_series szebenyi|adaptive CLUSTERS VALUES < SERIES");
    struct clustering_config config = {
        .max_clusters = (uint32_t)strtoul(argv[2], NULL, 10),
        .condensed_count = (uint32_t)values,
        .equivalence = EQUIVALENCE_NONE,
        .memory = plain_memory(),
        .method = strcmp(argv[1], "szebenyi") ? CLUSTERING_ADAPTIVE : CLUSTERING_SZEBENYI,
    };
    struct clustering *clustering = clustering_create(&config);
    double *row = calloc(values, sizeof *row);
    if (!clustering || !row)
        fail("out of memory");
    struct iteration_profile profile = {.condensed = row};
    while (fread(row, sizeof *row, values, stdin) == values)
        if (!clustering_add(clustering, &profile))
            fail("out of memory");
    clustering_finish(clustering);
    for (uint64_t i = 0; i < clustering_iterations(clustering); i++)
        printf("%u\n", (unsigned)clustering_cluster_of(clustering, i));
    clustering_destroy(clustering);
    free(row);
    return 0;
}
