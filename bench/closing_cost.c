/*
 * What it costs to close an iteration, what memory that takes and how large the summary gets.
 *
 *     closing_cost PATHS ITERATIONS
 *
 * Every iteration calls MPI from PATHS / 2 functions, so that it has PATHS call paths, some of
 * them a varying number of times.  Prints nanoseconds per end marker (median); the largest
 * resident set of the process in bytes; and what is resident (all of it, its own anonymous
 * memory, its share of everything) before and after MPI_Finalize.  Run with and without the
 * runtime preloaded.
 */
#include "tsprof.h"

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { FUNCTIONS = 100 };

#define DEFINE(n)                                                                              \
    __attribute__((noinline)) static void function_##n(int times)                              \
    {                                                                                          \
        int flag;                                                                              \
        MPI_Status status;                                                                     \
        for (int i = 0; i < times; i++)                                                        \
            MPI_Iprobe(MPI_ANY_SOURCE, n + 1, MPI_COMM_SELF, &flag, &status);                  \
        __asm__ volatile("" ::: "memory");                                                     \
    }
#define NAME(n) function_##n,
#define TEN(X, n)                                                                              \
    X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define HUNDRED(X)                                                                             \
    TEN(X, 10)                                                                                 \
    TEN(X, 11)                                                                                 \
    TEN(X, 12) TEN(X, 13) TEN(X, 14) TEN(X, 15) TEN(X, 16) TEN(X, 17) TEN(X, 18) TEN(X, 19)

HUNDRED(DEFINE)

static void (*const functions[FUNCTIONS])(int) = {HUNDRED(NAME)};

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

/* Adds a line of three sizes in bytes: Rss, Anonymous and Pss of the whole process. */
static void print_resident(void)
{
    static const char *const names[] = {"Rss:", "Anonymous:", "Pss:"};
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    long kib[3] = {0, 0, 0}, value;
    char line[256], name[64];
    while (file && fgets(line, sizeof line, file))
        for (int i = 0; i < 3; i++)
            if (sscanf(line, "%63s %ld kB", name, &value) == 2 && !strcmp(name, names[i]))
                kib[i] = value;
    if (file)
        fclose(file);
    printf("%ld %ld %ld\n", kib[0] * 1024, kib[1] * 1024, kib[2] * 1024);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int used = argc > 2 ? atoi(argv[1]) / 2 : 0;
    long iterations = argc > 2 ? atol(argv[2]) : 0;
    double *costs = malloc((size_t)(iterations > 0 ? iterations : 1) * sizeof *costs);
    if (!costs || used < 1 || used > FUNCTIONS || iterations < 1) {
        fprintf(stderr, "usage: closing_cost PATHS ITERATIONS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    unsigned random = 1;
    for (long i = 0; i < iterations; i++) {
        TSPROF_ITERATION_BEGIN("iteration");
        for (int f = 0; f < used; f++) {
            random = random * 1664525u + 1013904223u;
            functions[f](f % 8 == 0 ? 1 + (int)(random >> 30) : 1);
        }
        double begin = now_ns();
        TSPROF_ITERATION_END("iteration");
        costs[i] = now_ns() - begin;
    }
    qsort(costs, (size_t)iterations, sizeof *costs, compare);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%.0f %ld\n", costs[iterations / 2], usage.ru_maxrss * 1024);
    print_resident();
    MPI_Finalize();
    print_resident();
    free(costs);
    return 0;
}
