/*
 * OpenMP beside MPI: parallel regions inside and outside marked iterations, one of them opened
 * from two places.
 *
 *     openmp THREADS ITERATIONS
 *
 * Prints the checksum of its work.
 */
#include "tsprof.h"

#include <mpi.h>
#include <omp.h>

#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static double churn(int units, int seed)
{
    double sum = seed;
    for (int i = 1; i < units * 1000; i++)
        sum += 1.0 / (i + sum);
    return sum;
}

__attribute__((noinline)) static double assemble(void)
{
    double total = 0;
#pragma omp parallel reduction(+ : total)
    {
        total += churn(300, omp_get_thread_num());
    }
    return total;
}

__attribute__((noinline)) static double relax(void)
{
    double total = 0;
#pragma omp parallel for schedule(static) reduction(+ : total)
    for (int i = 0; i < 64; i++)
        total += churn(30, i);
    return total;
}

/* Its region is opened on behalf of two callers. */
__attribute__((noinline)) static double norm(void)
{
    double total = 0;
#pragma omp parallel reduction(+ : total)
    {
        total += churn(100, 1);
    }
    return total;
}

__attribute__((noinline)) static double before(void)
{
    double sum = norm();
    __asm__ volatile("# before");
    return sum;
}

__attribute__((noinline)) static double after(void)
{
    double sum = norm();
    __asm__ volatile("# after");
    return sum;
}

int main(int argc, char **argv)
{
    int provided, iterations = 0;
    double sum = 0, all;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    omp_set_num_threads(argc > 1 ? atoi(argv[1]) : 2);
    int wanted = argc > 2 ? atoi(argv[2]) : 60;
    for (int i = 0; i < 20; i++)
        sum += assemble();
    for (; iterations < wanted; iterations++) {
        TSPROF_ITERATION_BEGIN("timestep");
        sum += before();
        sum += relax();
        sum += after();
        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        TSPROF_ITERATION_END("timestep");
    }
    printf("%.6g\n", all);
    MPI_Finalize();
    return 0;
}
