/*
 * What one function costs that tells when it is entered and left: calls of an empty one in a
 * loop at a given depth of the stack.
 *
 *     region_cost DEPTH CALLS     prints nanoseconds per call, the median of 11 rounds
 *
 * Compiled with -finstrument-functions, and as region_cost_bare without.
 */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 11 };

#define SILENT __attribute__((no_instrument_function))

SILENT static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

SILENT static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

__attribute__((noipa)) static void leaf(void)
{
}

__attribute__((noipa)) static void calls(long count, double *per_call)
{
    const double begin = now_ns();
    for (long i = 0; i < count; i++)
        leaf();
    *per_call = (now_ns() - begin) / (double)count;
}

/* DEPTH frames of real recursion: the barrier keeps it from becoming a loop. */
__attribute__((noipa)) static void descend(int depth, long count, double *per_call)
{
    if (depth > 0)
        descend(depth - 1, count, per_call);
    else
        calls(count, per_call);
    __asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
    double per_call[ROUNDS];
    if (argc != 3)
        return 2;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < ROUNDS; i++)
        descend(atoi(argv[1]), atol(argv[2]), &per_call[i]);
    qsort(per_call, ROUNDS, sizeof per_call[0], compare);
    printf("%.2f\n", per_call[ROUNDS / 2]);
    MPI_Finalize();
    return 0;
}
