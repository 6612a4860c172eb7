/*
 * named.c: a program whose iterations have to be named from outside.
 *
 *     named plain N      N steps, every fifth followed by a checkpoint
 *     named marked N     the same, each step marked
 *     named threads N    a second thread computes meanwhile
 *     named wait N       N intervals of 50 ms in which rank 0 alone does anything
 *     named compute N    N computations of 50 ms, and no MPI function between them
 *     named failing N    N steps, while dlerror has something to say
 *     named tools N      says how many functions of other tools there seem to be
 *
 * Step i has one barrier, then 1 + i % 4 exchanges, then 2 + i % 3 reductions.
 */
#define _GNU_SOURCE
#include "burn.h"

#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tsprof.h>

#define PATH_FUNCTION __attribute__((noinline, noclone))

/* Keeps a call from becoming a jump. */
#define STAYS __asm__ volatile("")

static int rank, ranks;
static volatile int done;

PATH_FUNCTION static void begin_step(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    STAYS;
}

PATH_FUNCTION static void exchange(int i)
{
    int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks, got;
    for (int k = 0; k <= i % 4; k++)
        MPI_Sendrecv(&k, 1, MPI_INT, to, 0, &got, 1, MPI_INT, from, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    STAYS;
}

PATH_FUNCTION static int solve(int k)
{
    int sum;
    MPI_Allreduce(&k, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

PATH_FUNCTION static int step(int i)
{
    int sum = 0;
    begin_step();
    exchange(i);
    burn(100000);
    for (int k = 0; k < 2 + i % 3; k++)
        sum += solve(k);
    return sum;
}

PATH_FUNCTION static void checkpoint(void)
{
    int *all = malloc((size_t)ranks * sizeof *all);
    MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    free(all);
}

PATH_FUNCTION static int finish(int sum)
{
    int all = 0;
    MPI_Reduce(&sum, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    return all;
}

PATH_FUNCTION static int run(int steps, int marked)
{
    int sum = 0;
    for (int i = 0; i < steps; i++) {
        if (marked)
            TSPROF_ITERATION_BEGIN("step");
        sum += step(i);
        if (marked)
            TSPROF_ITERATION_END("step");
        if (i % 5 == 4)
            checkpoint();
    }
    return sum;
}

static void *compute(void *unused)
{
    while (!done)
        burn(1000000);
    return unused;
}

static int run_beside(int steps)
{
    pthread_t thread;
    pthread_create(&thread, NULL, compute, NULL);
    int sum = run(steps, 0);
    done = 1;
    pthread_join(thread, NULL);
    return sum;
}

/* The others sit in one call all the while. */
static void wait_for_first(int intervals)
{
    const struct timespec pause = {.tv_nsec = 50000000};
    for (int i = 0; rank == 0 && i < intervals; i++)
        nanosleep(&pause, NULL);
    begin_step();
}

static void compute_alone(int intervals)
{
    for (int i = 0; i < intervals; i++)
        burn(50000000);
}

/* What dlerror says is of the program's own latest call, whatever MPI did since. */
static int run_after_failure(int steps)
{
    dlsym(RTLD_DEFAULT, "no function has this name");
    int sum = run(steps, 0);
    printf("%s\n", dlerror() ? "failed" : "no word");
    return sum;
}

/* As programs do that use a tool if it is there: by references that may stay open, or by name.
 */
int cali_begin_region(const char *name) __attribute__((weak));
int likwid_markerStartRegion(const char *name) __attribute__((weak));
void SCOREP_User_RegionEnd(void *region) __attribute__((weak));
int InitializeInjectionNvtx2(void *table) __attribute__((weak));

static void count_tools(void)
{
    static const char *const names[] = {"cali_begin_region", "likwid_markerStartRegion",
                                        "SCOREP_User_RegionEnd", "InitializeInjectionNvtx2"};
    int count = (cali_begin_region != NULL) + (likwid_markerStartRegion != NULL) +
                (SCOREP_User_RegionEnd != NULL) + (InitializeInjectionNvtx2 != NULL);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        count += dlsym(RTLD_DEFAULT, names[i]) != NULL;
    printf("%d tools\n", count);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "plain";
    int steps = argc > 2 ? atoi(argv[2]) : 12, sum = 0, all;
    MPI_Init(&argc, &argv);
    if (strcmp(mode, "compute") == 0) {
        compute_alone(steps);
        steps = 0;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (strcmp(mode, "wait") == 0)
        wait_for_first(steps);
    else if (strcmp(mode, "failing") == 0)
        sum = run_after_failure(steps);
    else if (strcmp(mode, "tools") == 0)
        count_tools();
    else if (strcmp(mode, "threads") == 0)
        sum = run_beside(steps);
    else
        sum = run(steps, strcmp(mode, "marked") == 0);
    all = finish(sum);
    if (rank == 0)
        printf("%d\n", all);
    MPI_Finalize();
    return 0;
}
