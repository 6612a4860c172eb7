/*
 * loops_inline.c: a time loop in main with everything inlined into it (compiled with -O3): no
 * function but main calls MPI.
 *
 *     loops_inline [STEPS]
 *
 * At the end it prints its truth like loops.c.
 */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 20000 };

static double now[CELLS], next[CELLS];

static inline void swap_ends(int rank, int ranks)
{
    const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    MPI_Sendrecv(&now[CELLS - 2], 1, MPI_DOUBLE, right, 0, &now[0], 1, MPI_DOUBLE, left, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&now[1], 1, MPI_DOUBLE, left, 0, &now[CELLS - 1], 1, MPI_DOUBLE, right, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static inline double diffuse(void)
{
    double change = 0;
    for (int i = 1; i < CELLS - 1; i++) {
        next[i] = 0.25 * now[i - 1] + 0.5 * now[i] + 0.25 * now[i + 1];
        change += (next[i] - now[i]) * (next[i] - now[i]);
    }
    for (int i = 1; i < CELLS - 1; i++)
        now[i] = next[i];
    return change;
}

static inline double total(double mine)
{
    double all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char **argv)
{
    const long n = argc > 1 ? atol(argv[1]) : 500;
    int rank, ranks;
    long steps = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    now[CELLS / 2] = rank;
    for (; steps < n; steps++) {
        swap_ends(rank, ranks);
        double change = total(diffuse());
        if (steps % 50 == 49)
            change += total(now[1]);
        if (change < 0)
            break;
    }
    MPI_Finalize();
    if (rank == 0)
        printf("truth: loop step %ld\n", steps);
    return 0;
}
