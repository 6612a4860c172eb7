/*
 * parts.c: iterations for a while, and then an end.
 *
 *     parts SECONDS END [MEANWHILE]
 *
 * SECONDS are those of the processor.
 *
 * Before its end, and before what comes in between, each process prints how many iterations it
 * has finished and how often it has called MPI_Iprobe.
 */
#define _GNU_SOURCE
#include "burn.h"

#include <tsprof.h>

#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Saves are no more than 0.8 s apart where they take no time. */
enum { LONG_MS = 1100 };

static int rank, ranks, iterations, probes;

/* Processor time: where others take the processor, saves come later, too. */
static double now(void)
{
    return (double)cpu_ns() * 1e-9;
}

static void probe(MPI_Comm comm)
{
    int flag;
    MPI_Iprobe(MPI_ANY_SOURCE, 1, comm, &flag, MPI_STATUS_IGNORE);
    probes++;
}

static void step(void)
{
    TSPROF_ITERATION_BEGIN("step");
    burn(5000000);
    probe(MPI_COMM_SELF);
    TSPROF_ITERATION_END("step");
    iterations++;
}

static void work(double seconds)
{
    /* Before the iterations, so that there is something outside. */
    probe(MPI_COMM_SELF);
    for (double end = now() + seconds; now() < end;)
        step();
}

/* How many files the system has made room for, before there can be a part. */
static void report_room(void)
{
    char line[256];
    int room = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        sscanf(line, "FDSize: %d", &room);
    if (status)
        fclose(status);
    printf("rank %d: room for %d files\n", rank, room);
    fflush(stdout);
}

static void report(void)
{
    printf("rank %d: %d iterations, %d probes\n", rank, iterations, probes);
    fflush(stdout);
}

/* What goes on in the middle. */

/* Closes all files that it has not opened, and takes a number for its own. */
static void close_all(void)
{
    for (int file = 3; file < 1024; file++)
        close(file);
}

/* The same; then every number from 800 on is its own file, which nobody else may write to. */
static int mine = -1;

static void take_all(void)
{
    close_all();
    mine = open("mine", O_RDWR | O_CREAT | O_EXCL, 0666);
    for (int file = 800; file < 1000; file++)
        dup2(mine, file);
}

/* A child that goes on as its parent does and ends by itself. */
static void fork_child(void)
{
    const pid_t child = fork();
    if (child == 0) {
        int flag;
        for (int i = 0; i < LONG_MS; i += 5) {
            TSPROF_ITERATION_BEGIN("child");
            burn(5000000);
            MPI_Initialized(&flag);
            TSPROF_ITERATION_END("child");
        }
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void *compute(void *argument)
{
    (void)argument;
    for (int i = 0; i < LONG_MS; i += 5)
        burn(5000000);
    return NULL;
}

static void run_threads(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, compute, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

static const struct {
    const char *name;
    void (*run)(void);
} meanwhile[] = {
    {"close", close_all}, {"take", take_all}, {"fork", fork_child}, {"threads", run_threads}};

/* Ends. */

static int end_in_order(void)
{
    MPI_Finalize();
    return 0;
}

static int end_by_exit(void)
{
    exit(5);
}

static int end_by_quick_exit(void)
{
    _exit(6);
}

static int end_by_abort(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Abort(MPI_COMM_WORLD, 7);
    for (;;)
        pause();
    return 0;
}

static int end_by_kill(void)
{
    raise(SIGKILL);
    return 0;
}

static int end_by_exec(void)
{
    execl("/bin/true", "true", NULL);
    return 1;
}

__attribute__((noinline)) static void wait_here(void)
{
    int message;
    MPI_Recv(&message, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    probes += message;
}

/* Rank 0 computes, the others wait for what never comes. */
static int end_by_hanging(void)
{
    alarm(30);
    if (rank)
        wait_here();
    for (;;)
        burn(5000000);
    return 0;
}

/* The innermost of several open phases. */
static int end_inside(void)
{
    TSPROF_ITERATION_BEGIN("outer");
    for (int i = 0; i < 3; i++) {
        TSPROF_ITERATION_BEGIN("inner");
        burn(20000000);
        probe(MPI_COMM_SELF);
        TSPROF_ITERATION_END("inner");
    }
    TSPROF_PHASE_BEGIN("summed");
    TSPROF_ITERATION_BEGIN("inner");
    for (double end = now() + 1.5; now() < end;) {
        burn(5000000);
        probe(MPI_COMM_SELF);
    }
    report();
    raise(SIGKILL);
    return 0;
}

static const struct {
    const char *name;
    int (*run)(void);
    int reports;
} ends[] = {
    {"finalize", end_in_order, 1}, {"exit", end_by_exit, 1},  {"_exit", end_by_quick_exit, 1},
    {"abort", end_by_abort, 1},    {"kill", end_by_kill, 1},  {"exec", end_by_exec, 1},
    {"hang", end_by_hanging, 1},   {"inside", end_inside, 0},
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    report_room();
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &(int){1}, 0, &grid);
    MPI_Comm_set_name(grid, "line");
    const double seconds = argc > 2 ? atof(argv[1]) : 0;
    for (size_t i = 0; argc > 2 && i < sizeof ends / sizeof ends[0]; i++) {
        if (strcmp(argv[2], ends[i].name) != 0)
            continue;
        work(seconds);
        for (size_t m = 0; argc > 3 && m < sizeof meanwhile / sizeof meanwhile[0]; m++)
            if (strcmp(argv[3], meanwhile[m].name) == 0) {
                report();
                meanwhile[m].run();
                work(seconds);
            }
        if (ends[i].reports)
            report();
        return ends[i].run();
    }
    fprintf(stderr, "usage: parts SECONDS END [MEANWHILE]\n");
    return 2;
}
