/*
 * Computation at a given depth of the stack, to be sampled.
 *
 *     deep_work DEPTH SECONDS
 */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static double work(double until)
{
    double sum = 0;
    while (MPI_Wtime() < until)
        for (int i = 1; i < 20000; i++)
            sum += 1.0 / i;
    return sum;
}

__attribute__((noinline)) static double descend(int depth, double until)
{
    double sum = depth > 0 ? descend(depth - 1, until) : work(until);
    __asm__ volatile("" ::: "memory");
    return sum;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc < 3) {
        fprintf(stderr, "usage: deep_work DEPTH SECONDS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    /* main, descend (at least once) and work are frames too. */
    double sum = descend(atoi(argv[1]) - 3, MPI_Wtime() + atof(argv[2]));
    printf("%g\n", sum > 0 ? 1.0 : 0.0);
    MPI_Finalize();
    return 0;
}
