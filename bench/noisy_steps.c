/*
 * What it costs a program with tight synchronization when iterations are put into clusters.
 *
 *     noisy_steps MODE PATHS ITERATIONS
 *
 * Two ranks with work of random length and MPI calls from PATHS / 2 functions in each
 * iteration; one ends where the next one begins.  In mode `independent` they meet in ten calls
 * of MPI_Allreduce, and iterations end between two of them.  In mode `pipeline` they work one
 * after the other, the second on what the first has sent, iterations end after the work, before
 * the message is sent, and they meet once in each.  Prints the microseconds from one meeting
 * that follows an iteration's end to the next, and those that a rank is in MPI_Allreduce
 * meanwhile: medians, on average over the ranks.  Run with and without the runtime preloaded.
 */
#include "tsprof.h"

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 250, PARTS = 10 };

#define DEFINE(n)                                                                              \
    __attribute__((noinline)) static void function_##n(int times)                              \
    {                                                                                          \
        int flag;                                                                              \
        for (int i = 0; i < times; i++)                                                        \
            MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);           \
        __asm__ volatile("# " #n);                                                             \
    }
#define NAME(n) function_##n,
#define TEN(X, n)                                                                              \
    X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define FIFTY(X, n) TEN(X, n##0) TEN(X, n##1) TEN(X, n##2) TEN(X, n##3) TEN(X, n##4)
#define ALL(X)      FIFTY(X, 1) FIFTY(X, 2) FIFTY(X, 3) FIFTY(X, 4) FIFTY(X, 5)

ALL(DEFINE)

static void (*const functions[FUNCTIONS])(int) = {ALL(NAME)};

static int rank, used;
static unsigned random_state;
static double waited;

static unsigned next_random(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}

/* Calls of every PARTS-th function from FIRST on, and work of up to a few microseconds. */
static void work(int first)
{
    for (int f = first; f < used; f += PARTS)
        functions[f](f % 8 == 0 ? 1 + (int)(next_random() % 4) : 1);
    for (volatile unsigned i = next_random() % 10000; i > 0; i--)
        continue;
}

static void meet(void)
{
    double in = 1, out, begin = MPI_Wtime();
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    waited += MPI_Wtime() - begin;
}

static void end_iteration(void)
{
    TSPROF_ITERATION_END("step");
    TSPROF_ITERATION_BEGIN("step");
}

static void work_independently(void)
{
    for (int part = 0; part < PARTS; part++) {
        work(part);
        if (part < PARTS - 1)
            meet();
    }
    end_iteration();
    meet();
}

static void work_in_turns(void)
{
    char token = 0;
    if (rank == 1)
        MPI_Recv(&token, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int part = 0; part < PARTS; part++)
        work(part);
    end_iteration();
    if (rank == 0)
        MPI_Send(&token, 1, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    meet();
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

static double median(double *values, long count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2] * 1e6;
}

int main(int argc, char **argv)
{
    int ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    used = argc > 3 ? atoi(argv[2]) / 2 : 0;
    long iterations = argc > 3 ? atol(argv[3]) : 0;
    if (ranks != 2 || used < 1 || used > FUNCTIONS || iterations < 1) {
        fprintf(stderr,
                "usage: mpirun -n 2 noisy_steps independent|pipeline PATHS ITERATIONS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    int in_turns = strcmp(argv[1], "pipeline") == 0;
    random_state = (unsigned)rank + 1;
    double *times = malloc(2 * (size_t)iterations * sizeof *times), *waits = times + iterations;
    TSPROF_ITERATION_BEGIN("step");
    for (long i = 0; times && i < iterations; i++) {
        double begin = MPI_Wtime();
        waited = 0;
        in_turns ? work_in_turns() : work_independently();
        times[i] = MPI_Wtime() - begin;
        waits[i] = waited;
    }
    TSPROF_ITERATION_END("step");
    double own[2] = {median(times, iterations), median(waits, iterations)}, all[2];
    MPI_Reduce(own, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.3f %.3f\n", all[0] / ranks, all[1] / ranks);
    free(times);
    MPI_Finalize();
    return 0;
}
