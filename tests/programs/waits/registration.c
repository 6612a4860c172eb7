/*
 * registration.c: the shape of an image registration (Ino, Kanbe, Okita and Hagihara, PerWiz,
 * section 5.1): gradients are computed at one point after the other, each by the ranks that
 * hold a part of its neighbourhood, who then add up what they have found.  A rank that takes
 * no part goes on to its next point, so that it is the order of the points that makes ranks
 * wait.
 *
 *     registration POINT...     each RANK:MS,RANK:MS,... who takes part, and for how long
 *
 * Computation sleeps, so that processors are not shared; messages are so long that sends wait
 * for their receives, as they did there.  What is done for the Nth argument is in the phase
 * "point N", from 0 on.  Rank 0 prints the seconds of the rank that took longest.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <tsprof.h>

enum { MEMBERS_MOST = 16, VALUES = 32768 };

struct point {
    int ranks[MEMBERS_MOST], ms[MEMBERS_MOST], count;
};

static double own[VALUES], other[VALUES];

static struct point read_point(const char *text)
{
    struct point point = {.count = 0};
    int length;
    while (point.count < MEMBERS_MOST && sscanf(text, "%d:%d%n", &point.ranks[point.count],
                                                &point.ms[point.count], &length) == 2) {
        point.count++;
        text += length + (text[length] == ',');
    }
    return point;
}

static void sleep_ms(int ms)
{
    const struct timespec rest = {0, ms * 1000000L};
    nanosleep(&rest, NULL);
}

static void add_other(void)
{
    for (int i = 0; i < VALUES; i++)
        own[i] += other[i];
}

static void send_to(int rank)
{
    MPI_Send(own, VALUES, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD);
}

static void receive_from(int rank, double *values)
{
    MPI_Recv(values, VALUES, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Two tell each other. */
static void exchange(int partner)
{
    MPI_Sendrecv(own, VALUES, MPI_DOUBLE, partner, 0, other, VALUES, MPI_DOUBLE, partner, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    add_other();
}

/* The first of more than two collects, and tells the others. */
static void collect(const struct point *point)
{
    for (int i = 1; i < point->count; i++) {
        receive_from(point->ranks[i], other);
        add_other();
    }
    for (int i = 1; i < point->count; i++)
        send_to(point->ranks[i]);
}

/* What MEMBER of those that take part does at a point. */
static void compute(const struct point *point, int member)
{
    sleep_ms(point->ms[member]);
    if (point->count == 2) {
        exchange(point->ranks[1 - member]);
    } else if (member == 0) {
        collect(point);
    } else {
        send_to(point->ranks[0]);
        receive_from(point->ranks[0], own);
    }
}

static void visit(const struct point *point, int number, int rank)
{
    char name[32];
    snprintf(name, sizeof name, "point %d", number);
    for (int i = 0; i < point->count; i++) {
        if (point->ranks[i] != rank)
            continue;
        TSPROF_PHASE_BEGIN(name);
        compute(point, i);
        TSPROF_PHASE_END(name);
    }
}

int main(int argc, char **argv)
{
    int rank;
    double longest;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    TSPROF_PHASE_BEGIN("points");
    for (int i = 1; i < argc; i++) {
        const struct point point = read_point(argv[i]);
        visit(&point, i - 1, rank);
    }
    TSPROF_PHASE_END("points");
    const double seconds = MPI_Wtime() - begin;
    MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.9f\n", longest);
    MPI_Finalize();
    return 0;
}
