/*
 * What it costs to note the clusters of iterations, and what memory that takes.
 *
 *     map_cost ITERATIONS
 *
 * One line for each way in which clusters may follow each other: nanoseconds an iteration, mean
 * and worst; iterations that took more than 10 us; bytes held at the end and at most; bits an
 * iteration at the end.  The map does the same in every run: what an iteration takes is the
 * least CPU time of five runs, without the interrupts.  "empty" is what the clock takes;
 * "nearest values" contains a small clustering.
 */
#include "compress/itermap.h"
#include "compress/plain_memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CLUSTERS = 64, RUNS = 5 };

static struct itermap *map;
static struct account account;
static uint32_t labels[CLUSTERS], owners[CLUSTERS];
static uint64_t state;

static uint64_t random_next(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Clusters A and B become one; B is a new one. */
static void merge(unsigned a, unsigned b)
{
    labels[a] = itermap_merge(map, labels[a], labels[b], owners[a]);
    labels[b] = itermap_label(map, owners[b]);
}

static void empty(uint64_t i)
{
    (void)i;
}

static void constant(uint64_t i)
{
    (void)i;
    itermap_append(map, labels[0]);
}

static void alternating(uint64_t i)
{
    itermap_append(map, labels[i % 2]);
}

static void periodic(uint64_t i)
{
    itermap_append(map, labels[i % 20]);
}

static void periodic_with_exceptions(uint64_t i)
{
    itermap_append(map, labels[random_next() % 1000 == 0 ? 50 : i % 20]);
}

static void random_clusters(uint64_t i)
{
    (void)i;
    itermap_append(map, labels[random_next() % CLUSTERS]);
}

/* Every cluster is used for 1000 iterations and then never again. */
static void stretches(uint64_t i)
{
    if (i % 1000 == 0)
        merge((unsigned)(i / 1000 % (CLUSTERS - 1)), CLUSTERS - 1);
    itermap_append(map, labels[CLUSTERS - 1]);
}

/* Every iteration is a new cluster, and two older neighbours become one. */
static void drift(uint64_t i)
{
    (void)i;
    unsigned at = (unsigned)(random_next() % (CLUSTERS - 1));
    labels[at] = itermap_merge(map, labels[at], labels[at + 1], owners[at]);
    memmove(&labels[at + 1], &labels[at + 2], (CLUSTERS - 2 - at) * sizeof(*labels));
    labels[CLUSTERS - 1] = itermap_label(map, CLUSTERS - 1);
    itermap_append(map, labels[CLUSTERS - 1]);
}

/* Iterations with random values: clusters are intervals of them, in order.  A new one becomes a
 * cluster, and the closest two neighbours become one. */
static void nearest_values(uint64_t i)
{
    static double means[CLUSTERS + 1], sizes[CLUSTERS + 1];
    static uint32_t of[CLUSTERS + 1];
    double value = (double)(random_next() >> 11) * 0x1p-53;
    unsigned at = 0, best = 0;
    if (i == 0)
        for (unsigned c = 0; c < CLUSTERS; c++) {
            means[c] = c / 64.0;
            sizes[c] = 1;
            of[c] = labels[c];
        }
    while (at < CLUSTERS && means[at] < value)
        at++;
    memmove(&means[at + 1], &means[at], (CLUSTERS - at) * sizeof(*means));
    memmove(&sizes[at + 1], &sizes[at], (CLUSTERS - at) * sizeof(*sizes));
    memmove(&of[at + 1], &of[at], (CLUSTERS - at) * sizeof(*of));
    means[at] = value;
    sizes[at] = 1;
    of[at] = ITERMAP_LABEL_UNMAPPED;
    double least = 1e300;
    for (unsigned c = 0; c < CLUSTERS; c++) {
        double gap = means[c + 1] - means[c];
        double cost = gap * gap * sizes[c] * sizes[c + 1] / (sizes[c] + sizes[c + 1]);
        if (cost < least) {
            least = cost;
            best = c;
        }
    }
    double size = sizes[best] + sizes[best + 1];
    means[best] = (means[best] * sizes[best] + means[best + 1] * sizes[best + 1]) / size;
    sizes[best] = size;
    of[best] = itermap_merge(map, of[best], of[best + 1], best);
    memmove(&means[best + 1], &means[best + 2], (CLUSTERS - 1 - best) * sizeof(*means));
    memmove(&sizes[best + 1], &sizes[best + 2], (CLUSTERS - 1 - best) * sizeof(*sizes));
    memmove(&of[best + 1], &of[best + 2], (CLUSTERS - 1 - best) * sizeof(*of));
    at -= at > best;
    if (of[at] == ITERMAP_LABEL_UNMAPPED)
        of[at] = itermap_label(map, at);
    itermap_append(map, of[at]);
}

/* Any cluster, and with every iteration two of them become one. */
static void random_merges(uint64_t i)
{
    unsigned a = (unsigned)(random_next() % CLUSTERS);
    (void)i;
    merge(a, (a + 1 + (unsigned)(random_next() % (CLUSTERS - 1))) % CLUSTERS);
    itermap_append(map, labels[random_next() % CLUSTERS]);
}

static void rare_merges(uint64_t i)
{
    if (i % 20 == 0)
        random_merges(i);
    else
        random_clusters(i);
}

static const struct {
    const char *name;
    void (*step)(uint64_t iteration);
} cases[] = {
    {"empty", empty},
    {"constant", constant},
    {"alternating", alternating},
    {"period 20", periodic},
    {"period 20, exceptions", periodic_with_exceptions},
    {"random", random_clusters},
    {"stretches", stretches},
    {"drift", drift},
    {"nearest values", nearest_values},
    {"random merges", random_merges},
    {"random, merges at 1/20", rare_merges},
};

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void start(void)
{
    account = (struct account){.source = plain_memory()};
    map = itermap_create(&account, 0);
    state = 1;
    for (unsigned c = 0; c < CLUSTERS; c++)
        labels[c] = itermap_label(map, owners[c] = c);
}

static void stop(void)
{
    itermap_destroy(map);
}

static double mean_of(unsigned number, uint64_t iterations)
{
    start();
    double begun = now_ns();
    for (uint64_t i = 0; i < iterations; i++)
        cases[number].step(i);
    double mean = (now_ns() - begun) / (double)iterations;
    stop();
    return mean;
}

/* Lowers LEAST, the least time of each iteration so far, by another run. */
static void time_each(unsigned number, uint64_t iterations, float *least)
{
    start();
    double last = now_ns(), now;
    for (uint64_t i = 0; i < iterations; i++, last = now) {
        cases[number].step(i);
        now = now_ns();
        if (now - last < (double)least[i])
            least[i] = (float)(now - last);
    }
    stop();
}

/* Prints the bytes at the end and at most. */
static void print_bytes(unsigned number, uint64_t iterations)
{
    size_t most = 0;
    start();
    for (uint64_t i = 0; i < iterations; i++) {
        cases[number].step(i);
        most = itermap_memory(map) > most ? itermap_memory(map) : most;
    }
    printf(" bytes %9zu most %9zu bits %6.3f\n", itermap_memory(map), most,
           (double)itermap_memory(map) * 8 / (double)iterations);
    fflush(stdout);
    stop();
}

static void measure(unsigned number, uint64_t iterations, float *least)
{
    double mean = mean_of(number, iterations), worst = 0;
    uint64_t slow = 0;
    for (uint64_t i = 0; i < iterations; i++)
        least[i] = 1e30f;
    for (int run = 0; run < RUNS; run++)
        time_each(number, iterations, least);
    for (uint64_t i = 0; i < iterations; i++) {
        worst = (double)least[i] > worst ? (double)least[i] : worst;
        slow += least[i] > 10000;
    }
    printf("%-22s mean %6.1f worst %6.0f over 10 us %4ju", cases[number].name, mean, worst,
           (uintmax_t)slow);
    print_bytes(number, iterations);
}

int main(int argc, char **argv)
{
    uint64_t iterations = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    float *least = malloc(iterations * sizeof(*least));
    for (unsigned n = 0; least && n < sizeof(cases) / sizeof(cases[0]); n++)
        measure(n, iterations, least);
    free(least);
    return 0;
}
