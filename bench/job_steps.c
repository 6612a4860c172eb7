/*
 * A job whose ranks wait for each other after short steps of computation.
 *
 *     job_steps KIND STEP_US SECONDS ROUNDS_PER_US
 *     job_steps calibrate
 *     job_steps noise SECONDS
 *
 * An iteration of its main loop has 8 stages, each in functions of its own, that compute at two
 * depths and communicate: 60 call paths and more.  A step is what lies between two
 * synchronizations of a rank with others.  KIND is one of
 *
 *   exchange     a step a stage, then messages from and to both neighbours on a ring
 *   allreduce    a step a stage, then MPI_Allreduce
 *   wavefront    four planes a stage, a step each, that wait for the previous rank and are
 * handed to the next one; from the first to the last, then back; MPI_Allreduce in the end
 *   unbalanced   as exchange, but steps take half to one and a half times as long, at random
 *                (always the same); MPI_Allreduce in the end
 *
 * A step computes for STEP_US microseconds, if ROUNDS_PER_US rounds of computation take one.
 * `calibrate` prints that number, of the slowest rank: find it once and give it to all runs
 * that are to be compared.  The number of iterations follows from SECONDS, so that it is the
 * same in all runs; prints the seconds that they took, from a barrier before to a barrier after
 * them.
 */
#include <mpi.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STAGES = 8,
    PLANES = 4,
    LINE = 64,      /* doubles that a round computes on */
    LINES = 512,    /* of a rank: 256 KiB, as much as a second-level cache holds */
    MESSAGE = 256,  /* doubles to a neighbour */
    SMOOTHING = 16, /* of so many rounds of a step one is made a function deeper */
};

typedef void synchronize(void);

static int rank, ranks;
static double field[LINES][LINE];
static double ghost[2][MESSAGE], border[2][MESSAGE];
static unsigned next_line;
static uint64_t step_rounds, step_number;

/* Computation */

__attribute__((noinline)) static void compute(uint64_t rounds)
{
    for (; rounds > 0; rounds--) {
        double *line = field[next_line++ % LINES], left = 1;
        for (int i = 0; i < LINE; i++) {
            double own = line[i];
            line[i] = 0.25 * left + 0.5 * own + 0.125;
            left = own;
        }
    }
}

__attribute__((noinline)) static void smooth(uint64_t rounds)
{
    compute(rounds);
    __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void solve(uint64_t rounds)
{
    smooth(rounds / SMOOTHING);
    compute(rounds - rounds / SMOOTHING);
    __asm__ volatile("" ::: "memory");
}

/* A step's rounds if all steps of all ranks are the same. */
static uint64_t even_rounds(void)
{
    return step_rounds;
}

/* Half to one and a half times that: a hash of the rank and the step's number. */
static uint64_t uneven_rounds(void)
{
    uint64_t x = (step_number * 1024 + (uint64_t)rank + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    return step_rounds / 2 + step_rounds * (x >> 32 & 1023) / 1024;
}

/* Communication */

static int neighbour(int distance)
{
    return (rank + distance + ranks) % ranks;
}

static void swap_borders(void)
{
    MPI_Request requests[4];
    MPI_Irecv(ghost[0], MESSAGE, MPI_DOUBLE, neighbour(-1), 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(ghost[1], MESSAGE, MPI_DOUBLE, neighbour(+1), 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(border[0], MESSAGE, MPI_DOUBLE, neighbour(+1), 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(border[1], MESSAGE, MPI_DOUBLE, neighbour(-1), 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void sum_up(void)
{
    double own[2] = {field[0][0], 1}, all[2];
    MPI_Allreduce(own, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void receive_plane(int forward)
{
    int from = forward ? rank - 1 : rank + 1;
    if (from >= 0 && from < ranks)
        MPI_Recv(ghost[0], MESSAGE, MPI_DOUBLE, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send_plane(int forward)
{
    int to = forward ? rank + 1 : rank - 1;
    if (to >= 0 && to < ranks)
        MPI_Send(border[0], MESSAGE, MPI_DOUBLE, to, 3, MPI_COMM_WORLD);
}

/* Stages: each of the kinds has functions of its own in each */

static int forward;

static void sweep(void)
{
    for (int plane = 0; plane < PLANES; plane++) {
        receive_plane(forward);
        solve(even_rounds());
        send_plane(forward);
    }
}

#define STAGE(n)                                                                               \
    __attribute__((noinline)) static void synchronize_##n(synchronize *how)                    \
    {                                                                                          \
        how();                                                                                 \
        __asm__ volatile("# " #n);                                                             \
    }                                                                                          \
    __attribute__((noinline)) static void physics_##n(uint64_t rounds)                         \
    {                                                                                          \
        solve(rounds);                                                                         \
        __asm__ volatile("# " #n);                                                             \
    }                                                                                          \
    __attribute__((noinline)) static void stage_##n(uint64_t (*rounds)(void),                  \
                                                    synchronize *how)                          \
    {                                                                                          \
        if (rounds)                                                                            \
            physics_##n(rounds());                                                             \
        synchronize_##n(how);                                                                  \
        step_number++;                                                                         \
    }
#define NAME(n) stage_##n,
#define ALL(X)  X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)

ALL(STAGE)

static void (*const stages[STAGES])(uint64_t (*)(void), synchronize *) = {ALL(NAME)};

/* The main loop */

struct kind {
    const char *name;
    uint64_t (*rounds)(void); /* NULL: its stages compute where they communicate */
    synchronize *how;         /* after a step */
    int sums_up;              /* 1: MPI_Allreduce at the end of an iteration */
};

static const struct kind kinds[] = {
    {"exchange", even_rounds, swap_borders, 0},
    {"allreduce", even_rounds, sum_up, 0},
    {"wavefront", NULL, sweep, 1},
    {"unbalanced", uneven_rounds, swap_borders, 1},
};

static void iterate(const struct kind *kind)
{
    forward = !forward;
    for (int s = 0; s < STAGES; s++)
        stages[s](kind->rounds, kind->how);
    if (kind->sums_up)
        sum_up();
}

/* In SECONDS; a wave passes all other ranks before the last one is done. */
static long iterations_in(const struct kind *kind, double seconds, double step_us)
{
    int steps = kind->rounds ? STAGES : STAGES * PLANES + ranks - 1;
    return (long)(seconds * 1e6 / (steps * step_us)) + 1;
}

static double run(const struct kind *kind, long iterations)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (long i = 0; i < iterations; i++)
        iterate(kind);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime() - begin;
}

/* Of the slowest rank, while all compute; the best of several attempts. */
static double rounds_per_us(void)
{
    enum { ROUNDS = 200000 };
    double best = 0, slowest;
    for (int attempt = 0; attempt < 20; attempt++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = MPI_Wtime();
        solve(ROUNDS);
        double rate = ROUNDS / (1e6 * (MPI_Wtime() - begin));
        best = rate > best ? rate : best;
    }
    MPI_Allreduce(&best, &slowest, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    return slowest;
}

/* Noise */

enum { FIRST_BIN = 11, BINS = 20 };

struct noise {
    double seconds, longest_ns, bins[BINS];
};

static void add_gap(struct noise *noise, double ns)
{
    if (ns > noise->longest_ns)
        noise->longest_ns = ns;
    int bin = 63 - __builtin_clzll((unsigned long long)ns) - FIRST_BIN;
    noise->bins[bin < BINS ? bin : BINS - 1]++;
}

static struct noise own_noise(double seconds)
{
    struct noise noise = {.seconds = seconds};
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime(), last = begin;
    while (last - begin < seconds) {
        double now = MPI_Wtime(), ns = (now - last) * 1e9;
        if (ns >= 1 << FIRST_BIN)
            add_gap(&noise, ns);
        last = now;
    }
    return noise;
}

static void print_noise(double seconds)
{
    struct noise own = own_noise(seconds), all = {.seconds = seconds * ranks};
    MPI_Reduce(&own.longest_ns, &all.longest_ns, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(own.bins, all.bins, BINS, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank > 0)
        return;
    printf("%g %.0f", all.seconds, all.longest_ns);
    for (int bin = 0; bin < BINS; bin++)
        printf(" %.0f", all.bins[bin]);
    printf("\n");
}

static const struct kind *kind_named(const char *name)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(kinds[k].name, name) == 0)
            return &kinds[k];
    return NULL;
}

static int usage(void)
{
    fprintf(stderr, "usage: job_steps KIND STEP_US SECONDS ROUNDS_PER_US | calibrate | "
                    "noise SECONDS\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
    return 2;
}

static void print_result(double result)
{
    if (rank == 0)
        printf("%.6f\n", result);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const struct kind *kind = argc == 5 ? kind_named(argv[1]) : NULL;
    if (argc == 2 && strcmp(argv[1], "calibrate") == 0) {
        print_result(rounds_per_us());
    } else if (argc == 3 && strcmp(argv[1], "noise") == 0) {
        print_noise(atof(argv[2]));
    } else if (kind && atof(argv[2]) > 0) {
        step_rounds = (uint64_t)(atof(argv[2]) * atof(argv[4]));
        print_result(run(kind, iterations_in(kind, atof(argv[3]), atof(argv[2]))));
    } else {
        return usage();
    }
    MPI_Finalize();
    return 0;
}
