/*
 * behaviours.c: an iterative program that behaves in one way that somebody would want to know
 * of, or in none, to see whether it is what tsprof says first.
 *
 *     behaviours NAME [ITERATIONS [TIMES]]
 *
 * NAME is one of behaviours.def, which tells what each does; what it does is said once more in
 * tests/e2e/behaviours.py, in terms of what has to be found.  Work takes processor time, not
 * time by the clock, so that other programs on the machine do not change it.  It all takes
 * TIMES as long.
 */
#define _GNU_SOURCE
#include "../burn.h"

#include <math.h>
#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <tsprof.h>

#define FUNCTION __attribute__((noinline)) static
#define MS       1e6 /* nanoseconds */
#define MB       (1 << 20)
#define LARGE    (8 * MB) /* of a buffer */
#define TAG      7
#define NOISE    0.02 /* by which work differs from call to call: standard deviation */

static int rank, ranks, iterations;
static char *outgoing, *incoming;
static double noise = NOISE;
static double as_long = 1;
static uint64_t random_state;

/* Uniform in [0, 1). */
static double random_unit(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(random_state >> 11) * 0x1p-53;
}

/* About normal: the sum of twelve. */
static double random_normal(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += random_unit();
    return sum;
}

/* So many milliseconds on a processor, more or less. */
static inline void work(double ms)
{
    double factor = 1 + noise * random_normal();
    if (ms > 0 && factor > 0)
        burn((int64_t)(ms * as_long * factor * MS));
}

/* Functions of the program.  No tail calls, and no two alike, which compilers make one. */
#define WORKING(name)                                                                          \
    FUNCTION void name(double ms)                                                              \
    {                                                                                          \
        static volatile int calls;                                                             \
        calls++;                                                                               \
        work(ms);                                                                              \
        __asm__ volatile("");                                                                  \
    }

WORKING(assemble)
WORKING(solve)
WORKING(remesh)
WORKING(write_output)
WORKING(prepare)
WORKING(check_convergence)
WORKING(answer)
WORKING(build_tables)

/* Memory that is used for the first time, as long as it takes. */
FUNCTION void touch_pages(double ms)
{
    for (int64_t end = cpu_ns() + (int64_t)(ms * as_long * MS); cpu_ns() < end;) {
        char *fresh =
            mmap(NULL, MB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        for (int at = 0; at < MB; at += 4096)
            fresh[at] = 1;
        munmap(fresh, MB);
    }
}

/* Neighbours in a ring exchange so many bytes. */
FUNCTION void exchange(int bytes)
{
    MPI_Sendrecv(outgoing, bytes, MPI_BYTE, (rank + 1) % ranks, TAG, incoming, bytes, MPI_BYTE,
                 (rank + ranks - 1) % ranks, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    __asm__ volatile("");
}

FUNCTION void reduce(void)
{
    double mine = rank, all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    __asm__ volatile("");
}

/* BYTES for each rank. */
FUNCTION void transpose(int bytes)
{
    MPI_Alltoall(outgoing, bytes, MPI_BYTE, incoming, bytes, MPI_BYTE, MPI_COMM_WORLD);
    __asm__ volatile("");
}

FUNCTION void synchronize(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    __asm__ volatile("");
}

/* What all behaviours have in common, and two of the functions in other amounts. */
static void ordinary(double assembling, double solving)
{
    assemble(assembling);
    solve(solving);
    exchange(1024);
    reduce();
}

/* Behaviours: what is done in iteration I. */

static void slow_rank(int i)
{
    (void)i;
    ordinary(2, rank == 1 ? 5 : 3);
}

static void slow_rank_for_a_while(int i)
{
    ordinary(2, rank == 1 && i >= 100 && i < 150 ? 6 : 3);
}

static void step(int i)
{
    ordinary(2, i < 120 ? 3 : 6);
}

static void drift(int i)
{
    ordinary(2, 3 + 3.0 * i / iterations);
}

static void period(int i)
{
    ordinary(2, 3);
    write_output(i % 10 == 9 ? 12 : 0);
}

static void outlier_on_a_rank(int i)
{
    remesh(i == 87 && rank == 1 ? 100 : 0);
    ordinary(2, 3);
}

static void outlier_on_all(int i)
{
    remesh(i == 87 ? 100 : 0);
    ordinary(2, 3);
}

static void moving_rank(int i)
{
    ordinary(2, rank == i * ranks / iterations ? 6 : 3);
}

/* All ranks wait for a message of the first, which it does not have yet. */
static void late_sender(int i)
{
    char message = 0;
    (void)i;
    assemble(2);
    prepare(rank == 0 ? 3 : 0);
    for (int to = 1; rank == 0 && to < ranks; to++)
        MPI_Send(&message, 1, MPI_BYTE, to, TAG, MPI_COMM_WORLD);
    if (rank > 0)
        MPI_Recv(&message, 1, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    solve(3);
    reduce();
}

static void barrier(int i)
{
    (void)i;
    ordinary(2, 3);
    check_convergence(rank == 0 ? 3 : 0);
    synchronize();
}

/* One rank has much to tell, the others listen. */
FUNCTION void distribute(int bytes)
{
    for (int to = 1; rank == 0 && to < ranks; to++)
        MPI_Send(outgoing, bytes, MPI_BYTE, to, TAG, MPI_COMM_WORLD);
    if (rank > 0)
        MPI_Recv(incoming, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    __asm__ volatile("");
}

static void uneven_bytes(int i)
{
    (void)i;
    ordinary(2, 3);
    distribute(LARGE);
}

static void collective(int i)
{
    (void)i;
    ordinary(2, 3);
    transpose(LARGE / ranks);
}

FUNCTION void chatter(int times)
{
    char message = 0;
    for (int i = 0; i < times; i++)
        MPI_Sendrecv_replace(&message, 1, MPI_BYTE, (rank + 1) % ranks, TAG,
                             (rank + ranks - 1) % ranks, TAG, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
}

static void small_messages(int i)
{
    (void)i;
    ordinary(2, 3);
    chatter(1000);
}

/* The first rank answers questions, one after another, while those who ask wait. */
static void master(int i)
{
    const int questions = 4;
    char message = 0;
    MPI_Status status;
    (void)i;
    for (int q = 0; rank == 0 && q < questions * (ranks - 1); q++) {
        MPI_Recv(&message, 1, MPI_BYTE, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &status);
        answer(1);
        MPI_Send(&message, 1, MPI_BYTE, status.MPI_SOURCE, TAG, MPI_COMM_WORLD);
    }
    for (int q = 0; rank > 0 && q < questions; q++) {
        MPI_Send(&message, 1, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
        MPI_Recv(&message, 1, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        solve(0.1);
    }
}

/* Each rank waits for its turn. */
FUNCTION void in_order(double ms)
{
    char token = 0;
    if (rank > 0)
        MPI_Recv(&token, 1, MPI_BYTE, rank - 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    work(ms);
    if (rank + 1 < ranks)
        MPI_Send(&token, 1, MPI_BYTE, rank + 1, TAG, MPI_COMM_WORLD);
    __asm__ volatile("");
}

static void serialized(int i)
{
    (void)i;
    ordinary(1, 1);
    in_order(4);
    reduce();
}

static MPI_File file = MPI_FILE_NULL;

FUNCTION void dump(int i, double ms)
{
    for (int64_t end = cpu_ns() + (int64_t)(ms * as_long * MS); cpu_ns() < end;)
        MPI_File_write_at(file, (MPI_Offset)(i % 4) * MB, outgoing, MB, MPI_BYTE,
                          MPI_STATUS_IGNORE);
}

static void output_on_a_rank(int i)
{
    if (i == 0 && rank == 0) {
        MPI_File_open(MPI_COMM_SELF, "dump.tmp",
                      MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                      &file);
    }
    ordinary(2, 3);
    if (rank == 0)
        dump(i, 4);
    synchronize();
    if (i == iterations - 1 && rank == 0)
        MPI_File_close(&file);
}

static void page_faults(int i)
{
    ordinary(2, 3);
    if (i >= 60 && i < 120)
        touch_pages(4);
}

static void small_function_grows(int i)
{
    ordinary(8, 8);
    remesh(1 + 4.0 * i / iterations);
}

/* All ranks on one processor, the first that the program may use. */
static void share_one(void)
{
    cpu_set_t all, one;
    int first = 0;
    sched_getaffinity(0, sizeof all, &all);
    while (!CPU_ISSET(first, &all))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    sched_setaffinity(0, sizeof one, &one);
}

static void one_processor(int i)
{
    if (i == 0)
        share_one();
    ordinary(2, 3);
}

static void warm_up(int i)
{
    build_tables(i < 12 ? 12 : 0);
    ordinary(2, 3);
}

static void other_messages(int i)
{
    ordinary(2, 3);
    transpose(i < 100 ? 64 : LARGE / ranks);
}

static void growing_messages(int i)
{
    ordinary(2, 3);
    exchange((int)((int64_t)LARGE * (i + 1) / iterations));
}

/* Iterations differ by more than what messages take. */
static void hidden_messages(int i)
{
    noise = 0.2;
    ordinary(4, 6);
    transpose(i < 100 ? 64 : LARGE / 2 / ranks);
}

/* Nothing to find: balanced, and as noisy as programs are. */

static void plain(int i)
{
    (void)i;
    ordinary(2, 3);
}

static void brief(int i)
{
    (void)i;
    ordinary(0.3, 0.7);
}

static void extended(int i)
{
    (void)i;
    ordinary(12, 18);
}

static void computing(int i)
{
    (void)i;
    assemble(2);
    solve(3);
}

static void several_collectives(int i)
{
    double values[2] = {rank, 0};
    (void)i;
    assemble(2);
    MPI_Bcast(values, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    solve(3);
    MPI_Reduce(values, values + 1, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    check_convergence(1);
    synchronize();
}

static void communicating(int i)
{
    (void)i;
    ordinary(1, 2);
    exchange(LARGE / 4);
    transpose(LARGE / 4 / ranks);
}

static void noisy(int i)
{
    noise = 0.06;
    (void)i;
    ordinary(3, 4);
}

/* Sometimes longer, never much shorter. */
static void skewed(int i)
{
    (void)i;
    ordinary(2, 3 * exp(0.05 * random_normal()));
}

/* Slowly up and down, by little. */
static void wandering(int i)
{
    ordinary(2, 3 + 0.06 * sin(i * 0.1));
}

static void many_functions(int i)
{
    (void)i;
    prepare(0.8);
    assemble(1);
    remesh(0.7);
    exchange(256);
    solve(1.5);
    check_convergence(0.5);
    reduce();
}

struct behaviour {
    const char *name;
    void (*iterate)(int i);
    int iterations;
};

static const struct behaviour behaviours[] = {
#define BEHAVIOUR(name, count) {#name, name, count},
#include "behaviours.def"
#undef BEHAVIOUR
};

static const struct behaviour *find(const char *name)
{
    for (size_t b = 0; b < sizeof behaviours / sizeof *behaviours; b++)
        if (!strcmp(behaviours[b].name, name))
            return &behaviours[b];
    fprintf(stderr, "behaviours: there is no %s\n", name);
    exit(2);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: behaviours NAME [ITERATIONS [TIMES]]\n");
        return 2;
    }
    const struct behaviour *behaviour = find(argv[1]);
    iterations = argc > 2 ? atoi(argv[2]) : behaviour->iterations;
    as_long = argc > 3 ? atof(argv[3]) : 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    random_state = (uint64_t)rank * UINT64_C(0x9e3779b97f4a7c15) + 1;
    outgoing = calloc(2, LARGE);
    incoming = outgoing + LARGE;
    memset(outgoing, 1, 2 * (size_t)LARGE);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < iterations; i++) {
        TSPROF_ITERATION_BEGIN("timestep");
        behaviour->iterate(i);
        TSPROF_ITERATION_END("timestep");
    }
    free(outgoing);
    MPI_Finalize();
    return 0;
}
