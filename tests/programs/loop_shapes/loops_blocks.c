/* What cases of loops are made of, see loops.h. */
#include "loops.h"

#include <time.h>

/* What is sent and received, but for a field. */
static double given[FIELD], received[2][FIELD], gathered[256 * STEP_COUNT_MOST];

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

long now_us(void)
{
    return (long)(now_ns() / 1000);
}

void work(long us)
{
    for (int64_t end = now_ns() + us * 1000; now_ns() < end;)
        for (volatile int i = 0; i < 100; i++)
            continue;
}

int draw(int limit)
{
    static uint64_t state = 12345;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((state >> 33) % (uint64_t)limit);
}

static int left(void)
{
    return (rank + ranks - 1) % ranks;
}

static int right(void)
{
    return (rank + 1) % ranks;
}

void exchange_halo(double *field)
{
    MPI_Request requests[4];
    MPI_Irecv(received[0], FIELD, MPI_DOUBLE, left(), 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(received[1], FIELD, MPI_DOUBLE, right(), 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(field, step_count, MPI_DOUBLE, right(), 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(field, step_count, MPI_DOUBLE, left(), 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    NO_JUMP();
}

void shift_left(double *field)
{
    MPI_Sendrecv(field, step_count, MPI_DOUBLE, left(), 3, received[0], FIELD, MPI_DOUBLE,
                 right(), 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    NO_JUMP();
}

void shift_right(double *field)
{
    MPI_Sendrecv(field, step_count, MPI_DOUBLE, right(), 4, received[0], FIELD, MPI_DOUBLE,
                 left(), 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    NO_JUMP();
}

double sum_over_ranks(double mine)
{
    given[0] = mine;
    MPI_Allreduce(given, received[0], step_count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return received[0][0];
}

double largest_over_ranks(double mine)
{
    given[0] = mine;
    MPI_Allreduce(given, received[0], step_count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return received[0][0];
}

void tell_all(double *value)
{
    given[0] = *value;
    MPI_Bcast(given, step_count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    *value = given[0];
    NO_JUMP();
}

void gather_on_first(double mine)
{
    given[0] = mine;
    MPI_Gather(given, step_count, MPI_DOUBLE, gathered, step_count, MPI_DOUBLE, 0,
               MPI_COMM_WORLD);
    NO_JUMP();
}
