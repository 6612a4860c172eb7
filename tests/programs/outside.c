/*
 * Calls a function outside the MPI standard, and refers to one that there is nowhere.  With a
 * file as argument it removes that before it starts MPI.
 */
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#include <unistd.h>

int MPIX_Is_nowhere(void) __attribute__((weak));

int main(int argc, char **argv)
{
    if (argc > 1)
        unlink(argv[1]);
    MPI_Init(&argc, &argv);
    const int answer = MPIX_Query_cuda_support();
    const int nowhere = MPIX_Is_nowhere ? MPIX_Is_nowhere() : 0;
    MPI_Finalize();
    return (answer == 0 || answer == 1) && nowhere == 0 ? 0 : 1;
}
