/*
 * What one MPI call costs: calls of one function in a loop at a given depth of the stack.
 *
 *     call_cost FUNCTION DEPTH CALLS     prints nanoseconds per call, the median of 11 rounds
 *
 * FUNCTION is one of the table below.  Run with and without the runtime preloaded; the
 * difference is what measuring adds (bench/run.py does both, alternating).
 */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 11 };

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void call_iprobe(long calls)
{
    int flag;
    MPI_Status status;
    for (long i = 0; i < calls; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_SELF, &flag, &status);
}

static void call_comm_rank(long calls)
{
    int rank;
    for (long i = 0; i < calls; i++)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

static void call_allreduce(long calls)
{
    double in = 1, out;
    for (long i = 0; i < calls; i++)
        MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
}

static void call_wtime(long calls)
{
    volatile double sink;
    for (long i = 0; i < calls; i++)
        sink = MPI_Wtime();
    (void)sink;
}

/* Two call sites in turn: the call path is never that of the call before. */
static void call_alternating(long calls)
{
    int flag;
    MPI_Status status;
    for (long i = 0; i < calls / 2; i++) {
        MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_SELF, &flag, &status);
        MPI_Iprobe(MPI_ANY_SOURCE, 8, MPI_COMM_SELF, &flag, &status);
    }
}

static const struct {
    const char *name;
    void (*call)(long calls);
} functions[] = {
    {"iprobe", call_iprobe}, {"comm_rank", call_comm_rank},     {"allreduce", call_allreduce},
    {"wtime", call_wtime},   {"alternating", call_alternating},
};

/* DEPTH frames of real recursion: the barrier keeps it from becoming a loop. */
__attribute__((noinline)) static void descend(int depth, void (*call)(long), long calls)
{
    if (depth > 0)
        descend(depth - 1, call, calls);
    else
        call(calls);
    __asm__ volatile("" ::: "memory");
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    long calls = argc > 3 ? atol(argv[3]) : 0;
    size_t which = 0, known = sizeof functions / sizeof functions[0];
    while (argc > 3 && which < known && strcmp(functions[which].name, argv[1]) != 0)
        which++;
    if (calls < 2 || which == known) {
        fprintf(stderr, "usage: call_cost FUNCTION DEPTH CALLS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    double rounds[ROUNDS];
    /* main, descend (at least once) and the calling function are frames too. */
    int depth = atoi(argv[2]) - 3;
    descend(depth, functions[which].call, calls);
    for (int i = 0; i < ROUNDS; i++) {
        double begin = now_ns();
        descend(depth, functions[which].call, calls);
        rounds[i] = (now_ns() - begin) / (double)calls;
    }
    qsort(rounds, ROUNDS, sizeof rounds[0], compare);
    printf("%.2f\n", rounds[ROUNDS / 2]);
    MPI_Finalize();
    return 0;
}
