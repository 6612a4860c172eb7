/*
 * properties.c HOW: has one property of communication, or none.
 *
 *   healthy     ranks work most of the time and add their results up
 *   frequent    very many short messages of each rank to itself
 *   big         few long ones
 *   uneven      rank 1 waits in a receive, the others in a barrier
 *   slow        rank 0 hands out tasks that take long, and waits for results
 *   overloaded  rank 0 works on every result before it hands out the next task
 *
 * Work is sleep, so that ranks that share processors do not make each other wait.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 20, TASKS = 40, MS = 1000, CHATS = 1000000, LONG = 4000000 };

static int rank, ranks;

static void healthy(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        double mine = rank, sum;
        usleep(20 * MS);
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

/* COUNT messages of so many bytes to the rank that is so far AWAY. */
static void exchange(int count, int bytes, int away)
{
    char *out = calloc(2, (size_t)bytes), *in = out + bytes;
    const int next = (rank + away) % ranks, last = (rank + ranks - away) % ranks;
    for (int i = 0; i < count; i++)
        MPI_Sendrecv(out, bytes, MPI_CHAR, next, 0, in, bytes, MPI_CHAR, last, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(out);
}

static void frequent(void)
{
    exchange(CHATS, 8, 0);
}

static void big(void)
{
    exchange(ROUNDS, LONG, 1);
}

static void uneven(void)
{
    int token = 0;
    if (rank == 0) {
        /* Long beside what ranks that wait busily take from each other. */
        usleep(1000 * MS);
        MPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        usleep(MS);
    }
    if (rank > 1)
        usleep(10 * MS);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Slaves send a result and get a task, until they get none. */
static void master(int work_us)
{
    int result, task, left = (ranks - 1) * TASKS, at_work = ranks - 1;
    while (at_work > 0) {
        MPI_Status status;
        MPI_Recv(&result, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        usleep((unsigned)work_us);
        task = left-- > 0;
        at_work -= !task;
        MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD);
    }
}

static void slave(int work_us)
{
    int task = 1;
    while (task) {
        usleep((unsigned)work_us);
        MPI_Send(&task, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&task, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void slow(void)
{
    if (rank == 0)
        master(0);
    else
        slave(20 * MS);
}

static void overloaded(void)
{
    if (rank == 0)
        master(10 * MS);
    else
        slave(MS);
}

static const struct {
    const char *name;
    void (*run)(void);
} ways[] = {{"healthy", healthy}, {"frequent", frequent}, {"big", big},
            {"uneven", uneven},   {"slow", slow},         {"overloaded", overloaded}};

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(ways[i].name, how) == 0)
            ways[i].run();
    MPI_Finalize();
    return 0;
}
