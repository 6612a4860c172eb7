/*
 * Threads that wait for each other in parallel regions, and those that have nothing to do.
 *
 *     omp_uneven THREADS ITERATIONS BUSY_MS ALONE_MS
 *
 * In each iteration the last thread of the team works for BUSY_MS milliseconds of its processor
 * time while all others wait at the end of the region; then the first thread works alone for
 * ALONE_MS milliseconds.  With one thread there is no team.
 */
#include "tsprof.h"

#include <mpi.h>
#include <omp.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double processor_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

__attribute__((noinline)) static double work(double ms)
{
    const double end = processor_ms() + ms;
    double sum = 1;
    while (processor_ms() < end)
        for (int i = 1; i < 5000; i++)
            sum += 1.0 / (i + sum);
    return sum;
}

__attribute__((noinline)) static void uneven(double ms)
{
#pragma omp parallel
    {
        if (omp_get_thread_num() == omp_get_num_threads() - 1)
            work(ms);
    }
}

__attribute__((noinline)) static void alone(double ms)
{
    work(ms);
    __asm__ volatile("# alone");
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    omp_set_num_threads(argc > 1 ? atoi(argv[1]) : 2);
    const int iterations = argc > 2 ? atoi(argv[2]) : 20;
    const double busy = argc > 3 ? atof(argv[3]) : 10, idle = argc > 4 ? atof(argv[4]) : 10;
    for (int i = 0; i < iterations; i++) {
        TSPROF_ITERATION_BEGIN("timestep");
        uneven(busy);
        alone(idle);
        MPI_Barrier(MPI_COMM_WORLD);
        TSPROF_ITERATION_END("timestep");
    }
    MPI_Finalize();
    return 0;
}
