/*
 * What python_loop.py calls through ctypes: the part of a Python program that is compiled and
 * calls MPI.
 */
#include <mpi.h>

#include <stddef.h>

void ring_start(void);
void ring_finish(void);
double ring_shift(double *values, int count);
double ring_smooth(double *values, int count, int times);

void ring_start(void)
{
    MPI_Init(NULL, NULL);
}

void ring_finish(void)
{
    MPI_Finalize();
}

/* Passes the last value on to the next rank; returns the largest of all. */
__attribute__((noipa)) double ring_shift(double *values, int count)
{
    int rank, ranks;
    double largest = values[0], result;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Sendrecv(&values[count - 1], 1, MPI_DOUBLE, (rank + 1) % ranks, 0, &values[0], 1,
                 MPI_DOUBLE, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 1; i < count; i++)
        largest = values[i] > largest ? values[i] : largest;
    MPI_Allreduce(&largest, &result, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return result;
}

/* Computes on the values. */
__attribute__((noipa)) double ring_smooth(double *values, int count, int times)
{
    for (int t = 0; t < times; t++)
        for (int i = 1; i + 1 < count; i++)
            values[i] = (values[i - 1] + 2 * values[i] + values[i + 1]) / 4;
    return values[count / 2];
}
