/* The library of life_library.c: two functions from which MPI is called, by different call
 * paths. */
#include <mpi.h>

__attribute__((noipa)) static double work(double value)
{
    volatile double sum = value;
    for (int i = 0; i < 300000; i++)
        sum = sum * 0.5 + 1;
    return sum;
}

__attribute__((noipa)) static double exchange(double value)
{
    double sum = 0;
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
    return sum;
}

__attribute__((noipa)) static double pass_on(double value)
{
    double got = 0;
    MPI_Sendrecv(&value, 1, MPI_DOUBLE, 0, 1, &got, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
    return got;
}

double step_early(double value);
double step_early(double value)
{
    return exchange(work(value)) * 0.5;
}

double step_late(double value);
double step_late(double value)
{
    return pass_on(work(exchange(value))) * 0.5;
}
