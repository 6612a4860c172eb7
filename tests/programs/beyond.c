/*
 * Calls functions outside the MPI standard, which tsprof does not measure and names:
 * MPIX_Query_cuda_support, which both MPICH and Open MPI have, and refers to others.
 */
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    printf("device: %d\n", MPIX_Query_cuda_support());
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
