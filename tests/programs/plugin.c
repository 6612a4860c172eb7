/*
 * A plugin for plugins.c, compiled once with COLOUR=red ROOM=1000 and once with COLOUR=blue
 * ROOM=4000: every instruction of one lies where one of the other does, but in a frame of
 * another size.
 */
#include <mpi.h>

#define PASTE(a, b)  a##_##b
#define EXPAND(a, b) PASTE(a, b)
#define NAME(name)   EXPAND(COLOUR, name)

enum { WORK = 1500000, CALLS = 3 };

__attribute__((noipa)) static double NAME(compute)(int work)
{
    volatile double room[ROOM];
    room[0] = 1;
    for (int i = 1; i < work; i++)
        room[i % ROOM] = room[(i - 1) % ROOM] * 0.5 + 1;
    return room[0];
}

__attribute__((noipa)) static double NAME(exchange)(double value)
{
    volatile char room[ROOM];
    double sum = 0;
    room[0] = 0;
    for (int i = 0; i < CALLS; i++)
        MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum + room[0];
}

double run(void);
double run(void)
{
    volatile char room[ROOM];
    room[0] = 0;
    return NAME(exchange)(NAME(compute)(WORK)) + room[0];
}

/* It calls MPI while it is loaded and unloaded as well. */
__attribute__((constructor)) static void NAME(begin)(void)
{
    volatile char room[ROOM];
    int size;
    room[0] = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
}

__attribute__((destructor)) static void NAME(end)(void)
{
    volatile char room[ROOM];
    int rank;
    room[0] = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}
