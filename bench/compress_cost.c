/*
 * What the clustering library takes for an iteration, without the runtime around it.
 *
 *     compress_cost METHOD CLUSTERS PATHS METRICS ITERATIONS
 *
 * Iterations have PATHS call paths with three values each, METRICS metrics that are not zero,
 * of which the first is a time, so that it may be compared.  Values vary at random around
 * levels that change slowly; every sixteenth iteration has a call path more than the others.
 *
 * Prints microseconds of processor time, less those that reading its clock takes: median, mean,
 * 99th percentile and worst of the iterations after the first two clusters were merged; then
 * what the longest up to that first merger took, and clustering_finish; then the bytes held;
 * and the longest piece of work between two pauses (clustering_config.pause).  Of every piece
 * the least of several runs counts, so that what else happens on the machine does not. CLUSTERS
 * may be `auto`, with 2 MiB.
 */
#include "compress/clustering.h"
#include "compress/plain_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/metrics.h"

enum { CELLS_PER_PATH = 3, CONDENSED = METRIC_COUNT, AUTO_BYTES = 2 << 20 };

static const struct {
    const char *name;
    enum clustering_method method;
} methods[] = {
    {"szebenyi", CLUSTERING_SZEBENYI},
    {"adaptive", CLUSTERING_ADAPTIVE},
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

static uint64_t random_state = 1;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)((random_state >> 33) % limit);
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
        it->condensed[p % it->metrics] += (double)time;
    }
    return (struct iteration_profile){.cells = it->cells,
                                      .values = it->values,
                                      .cell_count = CELLS_PER_PATH * paths,
                                      .paths = it->entries,
                                      .path_count = paths,
                                      .condensed = it->condensed,
                                      .wall_ns = 1000000};
}

/* Every cell is a total's; the first of a call path is compared and its largest value kept. */
static struct cell_role role_of(void *context, uint32_t cell)
{
    const struct iteration *it = context;
    bool is_time = cell % CELLS_PER_PATH == 0;
    return (struct cell_role){cell / CELLS_PER_PATH % it->metrics, is_time, is_time};
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
        if (result.first == iterations && clustering_count(clustering) <= i)
            result.first = i;
    }
    result.held = clustering_memory(clustering);
    begin = now_us();
    clustering_finish(clustering);
    result.finish_us = now_us() - begin - clock;
    clustering_destroy(clustering);
    return result;
}

enum { PIECES_MOST = 1 << 20, RUNS = 5 };

/* Pieces of work in the order in which they are done, which is the same in each run. */
struct pieces {
    double begin;
    double least[PIECES_MOST]; /* of all runs; 0: none yet */
    uint32_t at;
};

static void end_piece(void *context)
{
    struct pieces *pieces = context;
    double us = now_us() - pieces->begin;
    if (pieces->at < PIECES_MOST) {
        double *least = &pieces->least[pieces->at++];
        *least = *least == 0 || us < *least ? us : *least;
    }
    pieces->begin = now_us();
}

static void run_in_pieces(struct clustering_config config, struct iteration *it,
                          uint32_t iterations, struct pieces *pieces)
{
    config.pause = end_piece;
    config.pause_context = pieces;
    random_state = 1;
    pieces->at = 0;
    struct clustering *clustering = clustering_create(&config);
    for (uint32_t i = 0; i < iterations; i++) {
        struct iteration_profile profile = make_iteration(it, i);
        pieces->begin = now_us();
        clustering_add(clustering, &profile);
        end_piece(pieces);
    }
    clustering_destroy(clustering);
}

/* Microseconds of the longest piece of the first PIECES_MOST. */
static double longest_piece(const struct clustering_config *config, struct iteration *it,
                            uint32_t iterations)
{
    static struct pieces pieces;
    double longest = 0;
    for (int run = 0; run < RUNS; run++)
        run_in_pieces(*config, it, iterations, &pieces);
    for (uint32_t i = 0; i < pieces.at; i++)
        longest = pieces.least[i] > longest ? pieces.least[i] : longest;
    return longest - clock_cost();
}

int main(int argc, char **argv)
{
    struct clustering_config config = {.condensed_count = CONDENSED,
                                       .equivalence = EQUIVALENCE_HYBRID,
                                       .memory = plain_memory()};
    if (argc != 6 || !set_method(&config, argv[1]))
        return usage();
    config.max_clusters = strcmp(argv[2], "auto") ? (uint32_t)atoi(argv[2]) : CLUSTERS_AUTO;
    config.auto_bytes = AUTO_BYTES;
    struct iteration it = {.paths = (uint32_t)atoi(argv[3]),
                           .metrics = (uint32_t)atoi(argv[4])};
    uint32_t iterations = (uint32_t)atoi(argv[5]);
    config.role = role_of;
    config.role_context = &it;
    if (config.max_clusters < 1 || it.paths < 2 || it.metrics < 1 ||
        it.metrics > METRIC_COUNT || iterations < 100)
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
    for (uint32_t i = 0; i < result.first; i++)
        first = costs[i] > first ? costs[i] : first;
    qsort(later, count, sizeof(*later), compare);
    printf("%.2f %.2f %.2f %.2f %.2f %.2f %zu %.2f\n", later[count / 2], mean_of(later, count),
           later[count - 1 - count / 100], later[count - 1], first, result.finish_us,
           result.held, longest_piece(&config, &it, iterations));
    free(it.entries);
    free(it.cells);
    free(it.values);
    free(costs);
    return 0;
}
