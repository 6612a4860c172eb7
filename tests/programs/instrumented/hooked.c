/*
 * hooked.c: a program that is linked with hooks.c, and says how many events that has heard. One
 * of its functions does not compute but waits, for longer than several slices of time.
 */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

int hooks_heard(void);

static volatile int calls;

__attribute__((noinline)) static void visited(void)
{
    calls++;
}

__attribute__((noinline)) static void waits(void)
{
    const struct timespec while_others_run = {0, 700000000};
    nanosleep(&while_others_run, NULL);
    calls++;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 100; i++)
        visited();
    waits();
    MPI_Barrier(MPI_COMM_WORLD);
    printf("hooks heard %d events\n", hooks_heard());
    MPI_Finalize();
    return 0;
}
