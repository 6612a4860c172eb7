/*
 * main_loops.c: loops without markers, told by where MPI is called from.
 *
 *     main_loops MODE
 *
 * steps      60 time steps with a solver whose iterations vary, a checkpoint every tenth
 * marked     the same, but step 20 begins to mark the steps
 * sequence   30 passes of one loop, then 50 of another
 * roles      40 rounds: rank 0 gives work to the others, in other functions than theirs
 * twos       two loops of two passes
 * short      200000 passes of a loop with nothing in it but a call
 * other      another thread marks 20 steps, before there is any loop
 * end        40 passes, from the tenth on with the end of what has not begun
 * alike      40 time steps, which begin with the only call of an inner loop
 * irregular  no loop: rank 0 sleeps while the others wait for it, then all work in a recursion
 * killed     a loop of 2.6 s, in the end of which all are killed
 * exits      a loop of 1.3 s, after which all end without MPI_Finalize
 */
#include <mpi.h>
#include <tsprof.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks;

__attribute__((noipa)) static double work(long n)
{
    volatile double x = 1;
    for (long i = 0; i < 1000 * n; i++)
        x = x * 0.999 + 0.1;
    return x;
}

__attribute__((noipa)) static void sum(double x)
{
    double all;
    MPI_Allreduce(&x, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    __asm__ volatile("");
}

__attribute__((noipa)) static void shift(double x)
{
    MPI_Sendrecv_replace(&x, 1, MPI_DOUBLE, (rank + 1) % ranks, 1, (rank + ranks - 1) % ranks,
                         1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    __asm__ volatile("");
}

__attribute__((noipa)) static void solve(int iterations)
{
    for (int i = 0; i < iterations; i++) {
        shift(work(5));
        sum(1);
    }
    __asm__ volatile("");
}

__attribute__((noipa)) static void checkpoint(double x)
{
    double all[64];
    MPI_Gather(&x, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    __asm__ volatile("");
}

__attribute__((noipa)) static void steps(int marked_from)
{
    for (int i = 0; i < 60; i++) {
        if (i >= marked_from)
            TSPROF_ITERATION_BEGIN("step");
        if (i % 10 == 0)
            checkpoint(i);
        shift(work(20));
        solve(3 + i % 5);
        if (i >= marked_from)
            TSPROF_ITERATION_END("step");
    }
    __asm__ volatile("");
}

__attribute__((noipa)) static void give(int round)
{
    for (int to = 1; to < ranks; to++)
        MPI_Send(&round, 1, MPI_INT, to, 2, MPI_COMM_WORLD);
    __asm__ volatile("");
}

__attribute__((noipa)) static void take(void)
{
    int round;
    MPI_Recv(&round, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    work(600);
    __asm__ volatile("");
}

static void roles(void)
{
    /* A loop that is unrolled calls from more than one place. */
    volatile int rounds = 40;
    for (int i = 0; rank == 0 && i < rounds; i++)
        give(i);
    for (int i = 0; rank > 0 && i < rounds; i++)
        take();
}

static pthread_barrier_t turn;

__attribute__((noipa)) static void *mark(void *unused)
{
    for (int i = 0; i < 20; i++) {
        TSPROF_ITERATION_BEGIN("step");
        pthread_barrier_wait(&turn);
        pthread_barrier_wait(&turn);
        TSPROF_ITERATION_END("step");
        pthread_barrier_wait(&turn);
        pthread_barrier_wait(&turn);
    }
    return unused;
}

static void other(void)
{
    pthread_t thread;
    pthread_barrier_init(&turn, NULL, 2);
    pthread_create(&thread, NULL, mark, NULL);
    for (int i = 0; i < 40; i++) {
        pthread_barrier_wait(&turn);
        sum(work(2));
        pthread_barrier_wait(&turn);
    }
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&turn);
}

__attribute__((noipa)) static void end(void)
{
    for (int i = 0; i < 40; i++) {
        shift(work(5));
        if (i >= 10)
            TSPROF_ITERATION_END("never");
    }
    __asm__ volatile("");
}

__attribute__((noipa)) static void converge(int iterations)
{
    for (int i = 0; i < iterations; i++)
        sum(work(5));
    __asm__ volatile("");
}

__attribute__((noipa)) static void alike(void)
{
    for (int i = 0; i < 40; i++) {
        converge(3 + i % 5);
        shift(work(5));
    }
    __asm__ volatile("");
}

/* Each level calls MPI, if chance has it, on a call path that is new. */
__attribute__((noipa)) static void descend(int levels)
{
    work(1000);
    switch (levels * 7 / 3 % 4) {
    case 0:
        shift(levels);
        break;
    case 1:
        sum(levels);
        break;
    default:
        break;
    }
    if (levels > 0)
        descend(levels - 1);
    __asm__ volatile("");
}

static void irregular(void)
{
    if (rank == 0)
        usleep(350000);
    checkpoint(1);
    descend(80);
}

/* A loop of so many seconds on all ranks. */
__attribute__((noipa)) static void last(double seconds)
{
    const double begin = MPI_Wtime();
    for (double taken = 0; taken < seconds;) {
        shift(work(200));
        taken = MPI_Wtime() - begin;
        MPI_Bcast(&taken, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (strcmp(mode, "steps") == 0)
        steps(60);
    else if (strcmp(mode, "marked") == 0)
        steps(20);
    else if (strcmp(mode, "roles") == 0)
        roles();
    else if (strcmp(mode, "other") == 0)
        other();
    else if (strcmp(mode, "end") == 0)
        end();
    else if (strcmp(mode, "alike") == 0)
        alike();
    else if (strcmp(mode, "irregular") == 0)
        irregular();
    else if (strcmp(mode, "killed") == 0)
        last(2.6);
    else if (strcmp(mode, "exits") == 0)
        last(1.3);
    for (int i = 0; strcmp(mode, "sequence") == 0 && i < 30; i++)
        shift(work(20));
    for (int i = 0; strcmp(mode, "sequence") == 0 && i < 50; i++)
        sum(work(20));
    for (int i = 0; strcmp(mode, "twos") == 0 && i < 2; i++)
        shift(work(20));
    for (int i = 0; strcmp(mode, "twos") == 0 && i < 2; i++)
        sum(work(20));
    for (int i = 0; strcmp(mode, "short") == 0 && i < 200000; i++)
        MPI_Barrier(MPI_COMM_SELF);
    if (strcmp(mode, "killed") == 0)
        raise(SIGKILL);
    if (strcmp(mode, "exits") == 0)
        exit(3);
    MPI_Finalize();
    return 0;
}
