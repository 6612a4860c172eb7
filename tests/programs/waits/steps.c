/*
 * steps.c: two ranks with little to do but what predictions are made of: four steps, in each of
 * which one of the two, by turns, takes twice as long in the phase "solve".  Then rank 0 sends
 * a message to rank 1, which receives it, and both meet at a barrier.
 *
 *     steps [BYTES [STEPS]]     of the message, 16 if not given; instead of four
 *
 * Phases sleep, so that processors are not shared.
 */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>
#include <tsprof.h>

enum { FOUR_STEPS = 4, SHORT_MS = 30, LONG_MS = 60 };

static void sleep_ms(int ms)
{
    const struct timespec rest = {0, ms * 1000000L};
    nanosleep(&rest, NULL);
}

static void solve(int rank, int step)
{
    TSPROF_PHASE_BEGIN("solve");
    sleep_ms(rank == step % 2 ? LONG_MS : SHORT_MS);
    TSPROF_PHASE_END("solve");
}

static void exchange(int rank, char *data, int bytes)
{
    if (rank == 0)
        MPI_Send(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    else if (rank == 1)
        MPI_Recv(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    const int bytes = argc > 1 ? atoi(argv[1]) : 16;
    const int steps = argc > 2 ? atoi(argv[2]) : FOUR_STEPS;
    char *data = calloc((size_t)bytes + 1, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < steps; i++) {
        TSPROF_ITERATION_BEGIN("step");
        solve(rank, i);
        exchange(rank, data, bytes);
        TSPROF_ITERATION_END("step");
    }
    free(data);
    MPI_Finalize();
    return 0;
}
