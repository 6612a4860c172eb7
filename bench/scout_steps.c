/*
 * scout_steps.c: a program that waits in messages that block and do not, in barriers, and in
 * collective operations of one to all and of all with all: what every analyser of wait states
 * knows.  What follows what, and how long each rank computes, follow from SEED.
 *
 *     scout_steps STEPS MICROSECONDS SEED [KIND]
 *
 * MICROSECONDS is what a rank computes at most before each step.  KIND is the one kind of
 * steps, instead of all: pairs, ring, barriers, broadcasts, scatters, reductions or gathers.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

__attribute__((noinline)) static void barriers(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    __asm__ volatile("");
}

__attribute__((noinline)) static void broadcasts(void)
{
    MPI_Bcast(in, 1, MPI_INT, (int)draw(&plan, (uint64_t)ranks), MPI_COMM_WORLD);
    __asm__ volatile("");
}

__attribute__((noinline)) static void scatters(void)
{
    MPI_Scatter(out, 1, MPI_INT, in, 1, MPI_INT, (int)draw(&plan, (uint64_t)ranks),
                MPI_COMM_WORLD);
    __asm__ volatile("");
}

__attribute__((noinline)) static void reductions(void)
{
    MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    __asm__ volatile("");
}

__attribute__((noinline)) static void gathers(void)
{
    MPI_Allgather(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
    __asm__ volatile("");
}

static const struct {
    const char *name;
    void (*step)(void);
} kinds[] = {{"pairs", pairs},           {"pairs", pairs},       {"ring", ring},
             {"barriers", barriers},     {"scatters", scatters}, {"broadcasts", broadcasts},
             {"reductions", reductions}, {"gathers", gathers}};

enum { KINDS = sizeof kinds / sizeof *kinds, ANY = -1 };

/* ANY without a name. */
static int find_kind(const char *name)
{
    for (int i = 0; name && i < KINDS; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return i;
    return ANY;
}

int main(int argc, char **argv)
{
    const int kind = find_kind(argc == 5 ? argv[4] : NULL);
    if (argc < 4 || argc > 5 || (argc == 5 && kind == ANY)) {
        fprintf(stderr, "usage: scout_steps STEPS MICROSECONDS SEED [KIND]\n");
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
        kinds[kind == ANY ? (int)draw(&plan, KINDS) : kind].step();
    }
    /* There is little to wait for at the end, of which not all analysers know causes. */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
