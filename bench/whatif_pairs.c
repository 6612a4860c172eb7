/*
 * Pairs of programs that differ in one thing, for whatif.py: what the second one takes is
 * predicted from the trace of the first.
 *
 *     whatif_pairs CASE before|after      prints the seconds that the steps have taken
 *     whatif_pairs --list                 prints the cases, and the question that is asked of
 * each
 *
 * Two ranks.  Work takes a fixed time, in a phase that is called as the question says.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tsprof.h>

enum { STEPS = 30, SMALL = 64, PIECES = 3000, UNIT_NS = 2000000 };

static int rank;
static bool after, sleeps;
static char data[SMALL * PIECES];

static void rest(double units)
{
    const long ns = (long)(units * UNIT_NS);
    const struct timespec time = {ns / 1000000000, ns % 1000000000};
    nanosleep(&time, NULL);
}

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* For a time and not for a number of operations: processors are now faster, now slower. */
static void compute(double units)
{
    const double until = now_ns() + units * UNIT_NS;
    if (sleeps)
        rest(units);
    while (now_ns() < until)
        continue;
}

#define WORK(name, units)                                                                      \
    do {                                                                                       \
        TSPROF_PHASE_BEGIN(name);                                                              \
        compute(units);                                                                        \
        TSPROF_PHASE_END(name);                                                                \
    } while (0)

static void send_bytes(int bytes)
{
    MPI_Send(data, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD);
}

static void receive_bytes(int bytes)
{
    MPI_Recv(data, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void meet(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

/* One rank has three times as much to do as the other; then both have the same. */
static void imbalance(int step)
{
    (void)step;
    WORK("solve", after ? 4 : rank == 0 ? 6 : 2);
    meet();
}

/* A function becomes twice as fast. */
static void slow_function(int step)
{
    WORK("slow", (rank == 0 ? 5 : 3) * (after ? 0.5 : 1));
    WORK("other", rank == 0 ? 1 : 2);
    meet();
}

/* Ranks take turns at being late; without the barrier they do not wait. */
static void barrier(int step)
{
    WORK("solve", rank == step % 2 ? 6 : 2);
    if (!after)
        meet();
}

/* What is sent in many pieces is sent at once. */
static void combined(int step)
{
    (void)step;
    WORK("solve", 2);
    if (rank == 0)
        send_bytes(after ? SMALL * PIECES : SMALL);
    else
        receive_bytes(SMALL * PIECES);
    TSPROF_PHASE_BEGIN("rest");
    for (int i = 1; i < PIECES && !after; i++) {
        if (rank == 0)
            send_bytes(SMALL);
        else
            receive_bytes(SMALL);
    }
    TSPROF_PHASE_END("rest");
    meet();
}

/* Sends that had not waited for their receives do. */
static void synchronous(int step)
{
    WORK("solve", rank == step % 2 ? 6 : 2);
    if (rank == 1)
        receive_bytes(SMALL);
    else if (after)
        MPI_Ssend(data, SMALL, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    else
        send_bytes(SMALL);
}

/* What the other rank waits for is sent before what it does not wait for is done. */
static void reordered(int step)
{
    (void)step;
    WORK("needed", rank == 0 ? 1 : 0);
    if (rank == 0 && after)
        send_bytes(SMALL);
    WORK("not needed", rank == 0 ? 4 : 1);
    if (rank == 0 && !after)
        send_bytes(SMALL);
    if (rank == 1)
        receive_bytes(SMALL);
    WORK("solve", rank == 0 ? 1 : 4);
    meet();
}

/* The wavefront arrives while there is other work to be done, which is then done first. */
static void wavefront(int step)
{
    (void)step;
    if (rank == 1 && after)
        WORK("independent", 3);
    if (rank == 1)
        receive_bytes(SMALL);
    WORK("front", 3);
    if (rank == 0) {
        send_bytes(SMALL);
        WORK("independent", 3);
    }
    if (rank == 1 && !after)
        WORK("independent", 3);
    meet();
}

/* A master works itself between its orders; then it does not. */
static void master(int step)
{
    (void)step;
    for (int i = 0; i < 4; i++) {
        if (rank == 0) {
            if (!after)
                WORK("own", 1);
            send_bytes(SMALL);
            receive_bytes(SMALL);
        } else {
            receive_bytes(SMALL);
            WORK("order", 1.5);
            send_bytes(SMALL);
        }
    }
}

static const struct {
    const char *name;
    void (*step)(int step);
    const char *question;
} cases[] = {
    {"imbalance", imbalance, "balance solve"},
    {"slow_function", slow_function, "scale slow=0.5"},
    {"barrier", barrier, "zero MPI_Barrier"},
    {"combined", combined, "zero rest"},
    {"synchronous", synchronous, "network S=0"},
    {"reordered", reordered, "zero-wait MPI_Recv"},
    {"wavefront", wavefront, "zero-wait MPI_Recv"},
    {"master", master, "zero own"},
};
enum { CASES = sizeof cases / sizeof *cases };

/* The longest time of a rank, on rank 0. */
static double run(void (*step)(int step))
{
    double longest = 0;
    meet();
    const double begin = MPI_Wtime();
    for (int i = 0; i < STEPS; i++) {
        TSPROF_ITERATION_BEGIN("step");
        step(i);
        TSPROF_ITERATION_END("step");
    }
    const double own = MPI_Wtime() - begin;
    MPI_Reduce(&own, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return longest;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (int i = 0; i < CASES; i++)
            printf("%s\t%s\n", cases[i].name, cases[i].question);
        return 0;
    }
    if (argc != 3)
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    after = strcmp(argv[2], "after") == 0;
    sleeps = getenv("WORK") != NULL;
    for (int i = 0; i < CASES; i++)
        if (strcmp(cases[i].name, argv[1]) == 0) {
            const double seconds = run(cases[i].step);
            if (rank == 0)
                printf("%.9f\n", seconds);
        }
    MPI_Finalize();
    return 0;
}
