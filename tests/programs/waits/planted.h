/*
 * planted.h: what the programs with planted wait states have in common.
 *
 *     PROGRAM CASE        runs a case and prints what is expected
 *     PROGRAM --list      prints its cases, their ranks, and what this MPI lacks for them
 *     PROGRAM --metrics   prints what its cases expect, some of it more than once
 *
 * A case runs in the function `planted`, after a barrier.  Each rank notes the time before (or
 * after) its calls with mark(N); at the end rank 0 has the marks of all and prints the waits:
 *
 *     expect METRIC[@FUNCTION] rank R of P VALUE
 *
 * in seconds, or a count; P is the rank that is waited for, or -1.  METRIC may be several
 * joined by '|', whose sum it is then.  What is not printed is expected not to be there.
 */
#ifndef PLANTED_H
#define PLANTED_H

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    MARKS = 9,
    RANKS = 8,
    ROWS = 32,
    SMALL = 16,     /* bytes: sent at once */
    LARGE = 1 << 20 /* waits for the receiver */
};

#define STEP 0.025 /* seconds between what happens in a case */

/* RANK waits from its mark FROM on until the mark UNTIL of rank PEER. */
struct expected {
    const char *metric;
    int rank, from, peer, until;
    int after;  /* 1 + a mark of PEER: not from before that */
    int count;  /* not 0: instead of a time */
    bool cause; /* found on PEER */
    int cut;    /* 1 + a mark of RANK, at which the wait is over at the latest */
};

struct planted_case {
    const char *name;
    int ranks;
    void (*run)(void);
    struct expected expected[ROWS];
    void (*before)(void), (*after)(void); /* if there is something to make and to free */
    const char *needs;                    /* there is no RUN with this MPI, which lacks that */
    bool starts, ends; /* RUN begins MPI; it ends it, and tells itself what is expected */
};

#define WAITS(metric, rank, from, peer, until)                                                 \
    {                                                                                          \
        metric, rank, from, peer, until, 0, 0, false, 0                                        \
    }
#define WAITS_AFTER(metric, rank, from, peer, until, after)                                    \
    {                                                                                          \
        metric, rank, from, peer, until, 1 + (after), 0, false, 0                              \
    }
#define WAITS_UNTIL_LEFT(metric, rank, from, peer, until, left)                                \
    {                                                                                          \
        metric, rank, from, peer, until, 0, 0, false, 1 + (left)                               \
    }
/* Both of two ranks may wait for the other at the same mark, whoever has come late. */
#define EITHER(metric, number)                                                                 \
    WAITS(metric, 0, number, 1, number), WAITS(metric, 1, number, 0, number)
/* RANK's mark UNTIL is what the other one, OTHER, has waited for since its mark FROM. */
#define CAUSED(metric, rank, until, other, from)                                               \
    {                                                                                          \
        metric, other, from, rank, until, 0, 0, true, 0                                        \
    }
#define COUNTS(metric, rank, count)                                                            \
    {                                                                                          \
        metric, rank, 0, -1, 0, 0, count, false, 0                                             \
    }

/* What a program needs; some MPIs have no windows beside several threads. */
#ifndef PLANTED_THREADS
#define PLANTED_THREADS MPI_THREAD_SINGLE
#endif

static int rank, ranks;
static double marks[MARKS], all_marks[RANKS][MARKS];
static double began;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

__attribute__((unused)) static void mark(int number)
{
    marks[number] = now();
}

/* Sleeps until STEPS have gone by since the case began. */
__attribute__((unused)) static void until(double steps)
{
    const double end = began + steps * STEP;
    for (double left = end - now(); left > 0; left = end - now()) {
        const struct timespec rest = {(time_t)left,
                                      (long)((left - (double)(time_t)left) * 1e9)};
        nanosleep(&rest, NULL);
    }
}

__attribute__((noinline)) static void planted(void (*run)(void))
{
    run();
    /* Not a tail call: this frame is part of the call path. */
    __asm__ volatile("");
}

static double expected_wait(const struct expected *row)
{
    double from = all_marks[row->rank][row->from];
    if (row->after > 0 && all_marks[row->peer][row->after - 1] > from)
        from = all_marks[row->peer][row->after - 1];
    double end = all_marks[row->peer][row->until];
    if (row->cut > 0 && all_marks[row->rank][row->cut - 1] < end)
        end = all_marks[row->rank][row->cut - 1];
    const double wait = end - from;
    return wait > 0 ? wait : 0;
}

/* Two calls of MPI show that the function is there. */
__attribute__((noinline, unused)) static void assemble(double steps)
{
    int flag;
    MPI_Initialized(&flag);
    until(steps);
    MPI_Initialized(&flag);
    __asm__ volatile("");
}

/* METRIC of what is expected: without a function, and each of those that are summed. */
static void print_metrics(const char *metric)
{
    for (size_t length = strcspn(metric, "|@"); length > 0; length = strcspn(metric, "|@")) {
        printf("%.*s\n", (int)length, metric);
        if (metric[length] != '|')
            break;
        metric += length + 1;
    }
}

static void list_metrics(const struct planted_case *cases, int count)
{
    for (int i = 0; i < count; i++)
        for (const struct expected *row = cases[i].expected; row->metric; row++)
            print_metrics(row->metric);
}

static void list_cases(const struct planted_case *cases, int count)
{
    for (int i = 0; i < count; i++)
        printf("%s %d%s%s\n", cases[i].name, cases[i].ranks, cases[i].needs ? " " : "",
               cases[i].needs ? cases[i].needs : "");
}

static void print_expected(const struct planted_case *one)
{
    for (const struct expected *row = one->expected; row->metric; row++)
        if (row->count)
            printf("expect %s rank %d of -1 %d\n", row->metric, row->rank, row->count);
        else
            printf("expect %s rank %d of %d %.6f\n", row->metric,
                   row->cause ? row->peer : row->rank, row->cause ? -1 : row->peer,
                   expected_wait(row));
    fflush(stdout);
}

/* All begin a case at the same time, not when they happen to leave a barrier. */
static void agree_on_begin(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    began = now() + STEP;
    MPI_Bcast(&began, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    until(0);
}

static void tell_expected(const struct planted_case *one)
{
    MPI_Gather(marks, MARKS, MPI_DOUBLE, all_marks, MARKS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        print_expected(one);
}

static int run_case(const struct planted_case *one)
{
    int provided;
    if (one->starts)
        planted(one->run);
    else
        MPI_Init_thread(NULL, NULL, PLANTED_THREADS, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != one->ranks)
        MPI_Abort(MPI_COMM_WORLD, 2);
    if (one->before)
        one->before();
    if (!one->starts) {
        agree_on_begin();
        planted(one->run);
    }
    if (one->after)
        one->after();
    if (one->ends)
        return 0;
    tell_expected(one);
    MPI_Finalize();
    return 0;
}

__attribute__((unused)) static int planted_main(int argc, char **argv,
                                                const struct planted_case *cases, int count)
{
    const bool lists = argc == 2 && strcmp(argv[1], "--list") == 0;
    if (lists || (argc == 2 && strcmp(argv[1], "--metrics") == 0)) {
        (lists ? list_cases : list_metrics)(cases, count);
        return 0;
    }
    for (int i = 0; argc == 2 && i < count; i++)
        if (strcmp(cases[i].name, argv[1]) == 0 && cases[i].run)
            return run_case(&cases[i]);
    fprintf(stderr, "usage: %s CASE, on as many ranks as --list says\n", argv[0]);
    return 2;
}

#endif
