/*
 * kinds.c: iterations of three kinds.
 *
 * usage: kinds: of 40 iterations of "step", from 0 on, 12 and 30 put into a window, 5 and 25
 * share data in collectives, and all others exchange messages with the neighbours in a ring.
 * All compute as long.
 */
#include "burn.h"

#include <mpi.h>
#include <tsprof.h>

enum { ITERATIONS = 40, VALUES = 100, COLLECTIVES = 20, COMPUTATION_NS = 2000000 };

static int values[VALUES], received[VALUES];

static void exchange(int rank, int ranks)
{
    for (int i = 0; i < 4; i++)
        MPI_Sendrecv(values, VALUES, MPI_INT, (rank + 1) % ranks, 1, received, VALUES, MPI_INT,
                     (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void share(void)
{
    for (int i = 0; i < COLLECTIVES; i++)
        MPI_Bcast(values, VALUES, MPI_INT, 0, MPI_COMM_WORLD);
}

static void put(MPI_Win window, int rank, int ranks)
{
    MPI_Win_fence(0, window);
    MPI_Put(values, VALUES, MPI_INT, (rank + 1) % ranks, 0, VALUES, MPI_INT, window);
    MPI_Win_fence(0, window);
}

int main(int argc, char **argv)
{
    static int exposed[VALUES];
    int rank, ranks;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Win_create(exposed, sizeof exposed, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &window);
    for (int i = 0; i < ITERATIONS; i++) {
        TSPROF_ITERATION_BEGIN("step");
        burn(COMPUTATION_NS);
        if (i == 12 || i == 30)
            put(window, rank, ranks);
        else if (i == 5 || i == 25)
            share();
        else
            exchange(rank, ranks);
        TSPROF_ITERATION_END("step");
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
