/*
 * Each rank has call paths of its own, in a phase of its own: the bits of the rank, from the
 * lowest on, say which functions call each other, and MPI_Iprobe is called as many times as the
 * rank says, plus one.  Nobody waits for anybody, so that many ranks take little time.
 */
#include <mpi.h>
#include <tsprof.h>

#define KEPT static __attribute__((noipa))

KEPT void zero(int rank, int bits, int times);
KEPT void one(int rank, int bits, int times);

/* Without it the call above would be the function's last, and the function not be there. */
#define STAY __asm__ volatile("")

KEPT void probe(int times)
{
    for (int i = 0, there; i < times; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &there, MPI_STATUS_IGNORE);
}

KEPT void descend(int rank, int bits, int times)
{
    if (bits == 0)
        probe(times);
    else if (rank & 1)
        one(rank >> 1, bits - 1, times);
    else
        zero(rank >> 1, bits - 1, times);
    STAY;
}

KEPT void zero(int rank, int bits, int times)
{
    descend(rank, bits, times);
    STAY;
}

KEPT void one(int rank, int bits, int times)
{
    descend(rank, bits, times);
    STAY;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank & 1)
        TSPROF_PHASE_BEGIN("odd");
    else
        TSPROF_PHASE_BEGIN("even");
    descend(rank, 6, rank + 1);
    if (rank & 1)
        TSPROF_PHASE_END("odd");
    else
        TSPROF_PHASE_END("even");
    MPI_Finalize();
    return 0;
}
