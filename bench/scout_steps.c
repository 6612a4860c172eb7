/*
 * scout_steps.c: a program that waits in messages that block and do not, in barriers, and in
 * collective operations of one to all and of all with all: what every analyser of wait states
 * knows.  What follows what, and how long each rank computes, follow from SEED.
 *
 *     scout_steps STEPS MICROSECONDS SEED
 *
 * MICROSECONDS is what a rank computes at most before each step.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SMALL = 64, LARGE = 200000, MOST_RANKS = 64 };

static char outgoing[LARGE], incoming[LARGE];
static int out[MOST_RANKS], in[MOST_RANKS];
static int rank, ranks;
static double most_us;
static uint64_t plan, chance; /* what all ranks draw, and what this one does */

static uint64_t draw(uint64_t *from, uint64_t n)
{
    *from ^= *from << 13;
    *from ^= *from >> 7;
    *from ^= *from << 17;
    return *from / 7 % n;
}

static double now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

__attribute__((noinline)) static void compute(void)
{
    const double end = now_us() + most_us * (double)draw(&chance, 1000) / 1000;
    while (now_us() < end)
        continue;
}

/* From even ranks to odd ones, or the other way round. */
__attribute__((noinline)) static void pairs(void)
{
    const int other = rank ^ 1, bytes = draw(&plan, 2) ? SMALL : LARGE;
    const int sender = (int)draw(&plan, 2);
    if (other >= ranks)
        return;
    if (rank % 2 == sender)
        MPI_Send(outgoing, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD);
    else
        MPI_Recv(incoming, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    __asm__ volatile("");
}

__attribute__((noinline)) static void ring(void)
{
    const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    const int bytes = draw(&plan, 2) ? SMALL : LARGE;
    MPI_Request request;
    MPI_Isend(outgoing, bytes, MPI_BYTE, right, 2, MPI_COMM_WORLD, &request);
    compute();
    MPI_Recv(incoming, bytes, MPI_BYTE, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    __asm__ volatile("");
}

__attribute__((noinline)) static void all(void)
{
    switch (draw(&plan, 5)) {
    case 0:
        MPI_Barrier(MPI_COMM_WORLD);
        break;
    case 1:
        MPI_Bcast(in, 1, MPI_INT, (int)draw(&plan, (uint64_t)ranks), MPI_COMM_WORLD);
        break;
    case 2:
        MPI_Scatter(out, 1, MPI_INT, in, 1, MPI_INT, (int)draw(&plan, (uint64_t)ranks),
                    MPI_COMM_WORLD);
        break;
    case 3:
        MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        break;
    default:
        MPI_Allgather(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
        break;
    }
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    static void (*const steps[])(void) = {pairs, ring, all, pairs};
    if (argc != 4) {
        fprintf(stderr, "usage: scout_steps STEPS MICROSECONDS SEED\n");
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    most_us = atof(argv[2]);
    plan = (uint64_t)atoi(argv[3]) * 2654435761u + 1;
    chance = plan * 31 + (uint64_t)rank + 1;
    for (int step = atoi(argv[1]); step > 0; step--) {
        compute();
        steps[draw(&plan, sizeof steps / sizeof *steps)]();
    }
    MPI_Finalize();
    return 0;
}
