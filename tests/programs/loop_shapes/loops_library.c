/* A library whose functions call MPI for a program; see `library` in loops_steps.c. */
#include <mpi.h>

/* Sends COUNT values of FIELD to the next rank, and receives as many FROM the one before. */
void library_exchange(const double *field, double *from, int count);

/* The sums of COUNT values of FIELD over all ranks. */
void library_sum(const double *field, double *sums, int count);

void library_exchange(const double *field, double *from, int count)
{
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Sendrecv(field, count, MPI_DOUBLE, (rank + 1) % ranks, 0, from, count, MPI_DOUBLE,
                 (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    __asm__ volatile("");
}

void library_sum(const double *field, double *sums, int count)
{
    MPI_Allreduce(field, sums, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    __asm__ volatile("");
}
