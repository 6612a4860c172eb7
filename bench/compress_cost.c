/*
 * What the clustering library takes for an iteration, without the runtime around it.
 *
 *     compress_cost METHOD CLUSTERS PATHS METRICS ITERATIONS
 *
 * Iterations have PATHS call paths with three values each, METRICS metrics that are not zero,
 * and a sketch of call paths if the method uses one.  Values vary at random around levels that
 * change slowly; every sixteenth iteration has a call path more than the others.
 *
 * Prints microseconds of processor time, less those that reading its clock takes: median, mean,
 * 99th percentile and worst of the iterations after the first two clusters were merged; then
 * what the iteration of that first merger took, and clustering_finish; then the bytes held.
 */
#include "compress/clustering.h"
#include "compress/plain_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/metrics.h"
#include "compress/sketch.h"

enum { CELLS_PER_PATH = 3, CONDENSED = METRIC_COUNT + SKETCH_SIZE };

static const struct {
    const char *name;
    enum clustering_method method;
    uint32_t sketch_count; /* the published method knows totals only */
} methods[] = {
    {"szebenyi", CLUSTERING_SZEBENYI, 0},
    {"adaptive", CLUSTERING_ADAPTIVE, SKETCH_SIZE},
};

struct iteration {
    uint32_t paths, metrics;
    struct path_entry *entries;
    uint32_t *cells;
    int64_t *values;
    double condensed[CONDENSED];
};

/* Of this process: others on the machine do not count. */
static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static uint32_t random_below(uint32_t limit)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)((state >> 33) % limit);
}

static struct iteration_profile make_iteration(struct iteration *it, uint32_t number)
{
    uint32_t paths = it->paths - (number % 16 != 0);
    memset(it->condensed, 0, sizeof(it->condensed));
    for (uint32_t p = 0; p < paths; p++) {
        uint32_t level = 1000 + 37 * (p % 50) + number / 50 * (p % 3) % 2000;
        it->entries[p] = (struct path_entry){p, p % 2 ? PATH_MPI : PATH_COM, 2};
        for (uint32_t n = 0; n < CELLS_PER_PATH; n++) {
            it->cells[CELLS_PER_PATH * p + n] = CELLS_PER_PATH * p + n;
            it->values[CELLS_PER_PATH * p + n] = level * (n + 1) + random_below(level / 4);
        }
        int64_t time = it->values[CELLS_PER_PATH * p];
        sketch_add(it->condensed + METRIC_COUNT, SKETCH_MPI, p, time);
        it->condensed[p % it->metrics] += (double)time;
    }
    return (struct iteration_profile){.cells = it->cells,
                                      .values = it->values,
                                      .cell_count = CELLS_PER_PATH * paths,
                                      .paths = it->entries,
                                      .path_count = paths,
                                      .condensed = it->condensed,
                                      .wall_ns = 1000000,
                                      .samples = 10};
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

static double mean_of(const double *costs, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += costs[i];
    return sum / count;
}

static int usage(void)
{
    fprintf(stderr, "usage: compress_cost METHOD CLUSTERS PATHS METRICS ITERATIONS\n");
    return 2;
}

static bool set_method(struct clustering_config *config, const char *name)
{
    for (size_t m = 0; m < sizeof(methods) / sizeof(methods[0]); m++)
        if (!strcmp(methods[m].name, name)) {
            config->method = methods[m].method;
            config->sketch_count = methods[m].sketch_count;
            config->condensed_count = METRIC_COUNT + methods[m].sketch_count;
            return true;
        }
    return false;
}

static double clock_cost(void)
{
    enum { TIMES = 1001 };
    double costs[TIMES];
    for (int i = 0; i < TIMES; i++) {
        double begin = now_us();
        costs[i] = now_us() - begin;
    }
    qsort(costs, TIMES, sizeof(*costs), compare);
    return costs[TIMES / 2];
}

struct result {
    uint32_t first;   /* iteration at which two clusters were merged */
    double finish_us; /* for the mergers in the end */
    size_t held;      /* bytes, before that */
};

/* Fills COSTS with what every iteration takes. */
static struct result measure(const struct clustering_config *config, struct iteration *it,
                             uint32_t iterations, double *costs)
{
    struct clustering *clustering = clustering_create(config);
    struct result result = {.first = iterations};
    double clock = clock_cost(), begin;
    for (uint32_t i = 0; i < iterations; i++) {
        struct iteration_profile profile = make_iteration(it, i);
        begin = now_us();
        clustering_add(clustering, &profile);
        costs[i] = now_us() - begin - clock;
        if (result.first == iterations && clustering_count(clustering) == i)
            result.first = i;
    }
    result.held = clustering_memory(clustering);
    begin = now_us();
    clustering_finish(clustering);
    result.finish_us = now_us() - begin - clock;
    clustering_destroy(clustering);
    return result;
}

int main(int argc, char **argv)
{
    struct clustering_config config = {.equivalence = EQUIVALENCE_HYBRID,
                                       .memory = plain_memory()};
    if (argc != 6 || !set_method(&config, argv[1]))
        return usage();
    config.max_clusters = (uint32_t)atoi(argv[2]);
    struct iteration it = {.paths = (uint32_t)atoi(argv[3]),
                           .metrics = (uint32_t)atoi(argv[4])};
    uint32_t iterations = (uint32_t)atoi(argv[5]);
    if (config.max_clusters < 1 || it.paths < 2 || it.metrics < 1 ||
        it.metrics > METRIC_COUNT || iterations < config.max_clusters + 100)
        return usage();
    it.entries = malloc(it.paths * sizeof(*it.entries));
    it.cells = malloc(it.paths * CELLS_PER_PATH * sizeof(*it.cells));
    it.values = malloc(it.paths * CELLS_PER_PATH * sizeof(*it.values));
    double *costs = malloc(iterations * sizeof(*costs));
    if (!it.entries || !it.cells || !it.values || !costs)
        return 1;
    struct result result = measure(&config, &it, iterations, costs);
    double first = costs[result.first], *later = costs + result.first + 1;
    uint32_t count = iterations - result.first - 1;
    qsort(later, count, sizeof(*later), compare);
    printf("%.2f %.2f %.2f %.2f %.2f %.2f %zu\n", later[count / 2], mean_of(later, count),
           later[count - 1 - count / 100], later[count - 1], first, result.finish_us,
           result.held);
    free(it.entries);
    free(it.cells);
    free(it.values);
    free(costs);
    return 0;
}
