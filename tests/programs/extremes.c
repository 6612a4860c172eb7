/*
 * extremes.c: iterations of the kinds that break what was made for ordinary ones.
 *
 *     extremes MODE [NUMBER [FILE]]
 *
 * Prints lines "RANK ITERATIONS CALLS": how many iterations a rank has marked and how many
 * calls of MPI_Comm_rank it has made in them.  Writes to FILE, if it is given, how many bytes
 * of memory that is its own the process has in the end.
 */
#include "tsprof.h"

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank;
static long calls, iterations;

static void begin(void)
{
    TSPROF_ITERATION_BEGIN("step");
    iterations++;
}

static void end(void)
{
    TSPROF_ITERATION_END("step");
}

__attribute__((noinline, noclone)) static void call(long times)
{
    int found;
    for (long i = 0; i < times; i++, calls++)
        MPI_Comm_rank(MPI_COMM_WORLD, &found);
    __asm__ volatile("");
}

/* Iterations of about a microsecond, of five kinds that come in no simple order. */
static void have_quick_ones(long number)
{
    unsigned random = 1;
    for (long i = 0; i < number; i++) {
        random = random * 1664525u + 1013904223u;
        begin();
        call((random >> 24) % 5);
        end();
    }
}

static void have_empty_ones(long number)
{
    for (long i = 0; i < number; i++) {
        begin();
        end();
    }
}

/* A way down a tree of calls: LEVEL bits of PATH, the highest first, say where to turn. */
__attribute__((noinline, noclone)) static void descend(unsigned long path, int level,
                                                       long times)
{
    if (level == 0) {
        call(times);
    } else if (path >> (level - 1) & 1) {
        descend(path, level - 1, times);
        __asm__ volatile("# odd");
    } else {
        descend(path, level - 1, times);
        __asm__ volatile("# even");
    }
}

/* No iteration calls MPI from where another one does. */
static void have_new_trees(long number)
{
    int level = 0;
    for (long i = 1; i <= number; i++) {
        while (2l << level <= i)
            level++;
        begin();
        descend((unsigned long)i, level, 1 + i % 3);
        end();
    }
}

/* As new-trees, and then one iteration with the call paths of all others, from the same place.
 */
static void have_all_in_the_end(long number)
{
    for (long i = 0; i < 2 * number; i++) {
        const unsigned long path = (unsigned long)(i % number) + 1;
        if (i <= number)
            begin();
        descend(path, 64 - __builtin_clzl(path), 1);
        if (i < number || i == 2 * number - 1)
            end();
    }
}

/* All leaves of a tree of calls with LEVELS levels, in an order that MASK changes. */
__attribute__((noinline, noclone)) static void visit_leaves(int levels, unsigned long mask)
{
    begin();
    for (unsigned long leaf = 0; leaf < 1ul << levels; leaf++)
        descend(leaf ^ mask, levels, 1);
    end();
}

/* There and back: from the same place in the program. */
static void have_many_paths(long number)
{
    volatile unsigned long masks[] = {0, (1ul << number) - 1};
    for (volatile int i = 0; i < 2; i++)
        visit_leaves((int)number, masks[i]);
}

/* Four times there and back, without marking any iteration. */
static void have_unmarked_paths(long number)
{
    for (int i = 0; i < 4; i++)
        for (unsigned long leaf = 0; leaf < 1ul << number; leaf++)
            descend(i % 2 ? (1ul << number) - 1 - leaf : leaf, (int)number, 1);
}

/* Rank NUMBER has no iterations, -1: none has. */
static void be_absent(long number)
{
    for (int i = 0; i < 20 && number >= 0 && rank != number; i++) {
        begin();
        call(1 + i % 4);
        end();
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* An iteration in which there is one in which there is one, NUMBER in all. */
static void nest(const char *name, long number)
{
    char inner[32];
    snprintf(inner, sizeof inner, "%ld levels", number - 1);
    TSPROF_ITERATION_BEGIN(name);
    call(2);
    if (number > 1)
        nest(inner, number - 1);
    TSPROF_ITERATION_END(name);
}

static void have_nested_ones(long number)
{
    for (int i = 0; i < 3; i++, iterations++)
        nest("step", number);
}

/* Hardly two are alike. */
static void have_various_ones(long number)
{
    for (long i = 0; i < number; i++) {
        begin();
        call(1 + i * 7919 % 1500);
        end();
    }
}

/* No rank waits for another. */
static void have_no_collective(long number)
{
    for (long i = 0; i < number; i++) {
        begin();
        call(i % 7);
        MPI_Barrier(MPI_COMM_SELF);
        end();
    }
}

/* Collectives of all kinds, blocking and not, at places that change. */
static void have_collectives(long number)
{
    int in = 1, all[64] = {0}, out;
    for (long i = 0; i < number; i++) {
        MPI_Request request;
        if (i % 3 == 1)
            MPI_Barrier(MPI_COMM_WORLD);
        begin();
        call(i % 7);
        if (i % 5 == 0)
            MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (i % 5 == 1)
            MPI_Allgather(&in, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
        if (i % 5 == 2) {
            MPI_Iallreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        TSPROF_ITERATION_BEGIN("inner");
        call(i % 3);
        if (i % 2)
            MPI_Bcast(&in, 1, MPI_INT, 0, MPI_COMM_WORLD);
        TSPROF_ITERATION_END("inner");
        if (i % 4 == 3)
            MPI_Reduce_scatter_block(all, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
        end();
    }
}

/* How much anonymous memory is resident, in KiB; 0 if the system does not say. */
static long own_memory(void)
{
    char line[256];
    long kib = 0;
    FILE *in = fopen("/proc/self/smaps_rollup", "r");
    while (in && fgets(line, sizeof line, in))
        if (sscanf(line, "Anonymous: %ld kB", &kib) == 1)
            break;
    if (in)
        fclose(in);
    return kib;
}

static void write_memory(const char *file, long kib)
{
    FILE *out = fopen(file, "w");
    if (out && kib > 0)
        fprintf(out, "%ld\n", kib << 10);
    if (out)
        fclose(out);
}

/* Iterations with 3000 call paths, no two alike. */
static void have_wide_ones(long number)
{
    for (long i = 0; i < number; i++) {
        begin();
        for (unsigned long leaf = 0; leaf < 1024; leaf++)
            descend(leaf, 10, 1 + (long)(leaf * 2654435761u >> (i % 20) & 1) + (i % 7 == 0));
        end();
    }
}

static const struct {
    const char *name;
    void (*run)(long number);
    long number;
} modes[] = {
    {"quick", have_quick_ones, 100000},
    {"empty", have_empty_ones, 100000},
    {"new-trees", have_new_trees, 3000},
    {"all-in-the-end", have_all_in_the_end, 3000},
    {"paths", have_many_paths, 10},
    {"unmarked", have_unmarked_paths, 10},
    {"absent", be_absent, 0},
    {"various", have_various_ones, 3000},
    {"wide", have_wide_ones, 1100},
    {"nested", have_nested_ones, 10},
    {"collectives", have_collectives, 200},
    {"no-collective", have_no_collective, 200},
};

/* What tsprof does in pieces needs calls in which it can do them. */
static void let_it_work(void)
{
    const struct timespec pause = {.tv_nsec = 100000};
    for (int i = 0; i < 500; i++) {
        int flag;
        MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        nanosleep(&pause, NULL);
    }
}

int main(int argc, char **argv)
{
    size_t mode = 0, known = sizeof modes / sizeof modes[0];
    while (argc > 1 && mode < known && strcmp(modes[mode].name, argv[1]) != 0)
        mode++;
    if (argc < 2 || mode == known)
        return fprintf(stderr, "usage: extremes MODE [NUMBER [FILE]]\n"), 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    modes[mode].run(argc > 2 ? atol(argv[2]) : modes[mode].number);
    printf("%d %ld %ld\n", rank, iterations, calls);
    fflush(stdout);
    long before = 0;
    if (argc > 3) {
        let_it_work();
        before = own_memory();
    }
    MPI_Finalize();
    if (argc > 3) {
        /* A profiler may take more in the end. */
        const long after = own_memory();
        write_memory(argv[3], after > before ? after : before);
    }
    return 0;
}
