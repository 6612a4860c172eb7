/*
 * Threads beside an MPI program's main loop, in ways that are named on the command line:
 *
 *     threads MODE [ITERATIONS]
 *
 * The main thread marks iterations; every thread says what it did in which of them, so that
 * what was measured can be compared.  Prints lines "RANK.THREAD ITERATION FUNCTION CALLS": MPI
 * calls of MPI_Comm_size from FUNCTION (iteration -1: outside).  Threads but the main one are
 * numbered by what they do.
 */
#include "burn.h"
#include "tsprof.h"

#include <mpi.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKERS = 3, ITERATIONS_MOST = 100000 };

static int rank, iterations = 20;
static volatile double sink;

/* Computation of some microseconds a unit. */
static void compute(int units)
{
    double sum = 0;
    for (int i = 1; i < units * 2000; i++)
        sum += 1.0 / i;
    sink = sum;
}

/* Alike, but the names keep the compiler from making them one function. */
#define CALLER(name)                                                                           \
    __attribute__((noinline, noclone)) static void name(int calls, int units)                  \
    {                                                                                          \
        int size;                                                                              \
        for (int i = 0; i < calls; i++)                                                        \
            MPI_Comm_size(MPI_COMM_WORLD, &size);                                              \
        compute(units);                                                                        \
        __asm__ volatile("# " #name);                                                          \
    }

CALLER(main_step)
CALLER(pool_step)
CALLER(short_life)
CALLER(outside)

static void state(int thread, int iteration, const char *function, int calls)
{
    printf("%d.%d %d %s %d\n", rank, thread, iteration, function, calls);
}

/* A pool that works between two barriers of each iteration. */
static pthread_barrier_t work_begins, work_ends;
static volatile int step, over; /* over: the workers are to end */

static void *pool_worker(void *argument)
{
    int number = (int)(long)argument;
    for (;;) {
        pthread_barrier_wait(&work_begins);
        if (over)
            return NULL;
        pool_step(number + step % 3, 20 * number);
        pthread_barrier_wait(&work_ends);
    }
}

static void run_pool(void)
{
    pthread_t workers[WORKERS];
    pthread_barrier_init(&work_begins, NULL, WORKERS + 1);
    pthread_barrier_init(&work_ends, NULL, WORKERS + 1);
    for (long i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, pool_worker, (void *)(i + 1));
    for (step = 0; step < iterations; step++) {
        TSPROF_ITERATION_BEGIN("timestep");
        pthread_barrier_wait(&work_begins);
        main_step(2, 20);
        pthread_barrier_wait(&work_ends);
        TSPROF_ITERATION_END("timestep");
        state(0, step, "main_step", 2);
        for (int i = 1; i <= WORKERS; i++)
            state(i, step, "pool_step", i + step % 3);
    }
    over = 1;
    pthread_barrier_wait(&work_begins);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
}

/* Threads that live within an iteration, one or more at a time, and between iterations. */
static void *live_shortly(void *argument)
{
    short_life((int)(long)argument, 1);
    return NULL;
}

static void *live_outside(void *argument)
{
    outside((int)(long)argument, 1);
    return NULL;
}

static void run_shortly(void *(*life)(void *), long calls)
{
    pthread_t thread;
    pthread_create(&thread, NULL, life, (void *)calls);
    pthread_join(thread, NULL);
}

static void run_lives(void)
{
    for (int i = 0; i < iterations; i++) {
        TSPROF_ITERATION_BEGIN("timestep");
        for (int n = 0; n < i % 4; n++)
            run_shortly(live_shortly, 3);
        TSPROF_ITERATION_END("timestep");
        state(1, i, "short_life", i % 4 * 3);
        if (i % 2)
            run_shortly(live_outside, 1);
    }
    state(1, -1, "outside", iterations / 2);
}

/* Many threads one after another, without markers: nothing may grow. */
static void run_storm(void)
{
    for (int i = 0; i < iterations; i++)
        run_shortly(live_outside, 1);
    state(1, -1, "outside", iterations);
}

/* Threads shorter than a tick of the kernel; prints the milliseconds of processor time they
 * took. */
static int64_t brief_ns;

static void *live_briefly(void *argument)
{
    burn(2000000);
    brief_ns += cpu_ns();
    return argument;
}

static void run_brief(void)
{
    pthread_t thread;
    for (int i = 0; i < iterations; i++)
        if (pthread_create(&thread, NULL, live_briefly, NULL) == 0)
            pthread_join(thread, NULL);
    state(1, -1, "brief", (int)(brief_ns / 1000000));
}

/* As many threads at a time as iterations were asked for. */
static pthread_barrier_t all_there;

static void *live_in_crowd(void *argument)
{
    pthread_barrier_wait(&all_there);
    outside(1, 1);
    pthread_barrier_wait(&all_there);
    return argument;
}

static void run_crowd(void)
{
    pthread_t *crowd = calloc((size_t)iterations, sizeof *crowd);
    pthread_barrier_init(&all_there, NULL, (unsigned)iterations);
    for (int i = 0; crowd && i < iterations; i++)
        pthread_create(&crowd[i], NULL, live_in_crowd, NULL);
    for (int i = 0; crowd && i < iterations; i++)
        pthread_join(crowd[i], NULL);
    free(crowd);
    state(1, -1, "outside", iterations);
}

/* Threads for which there is no address space, and then one for which there is. */
static void *compute_shortly(void *argument)
{
    compute(1);
    return argument;
}

static void run_cramped(void)
{
    static char stack[1 << 18] __attribute__((aligned(4096)));
    struct rlimit all, little;
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack, sizeof stack);
    getrlimit(RLIMIT_AS, &all);
    little = all;
    little.rlim_cur = 1 << 20;
    setrlimit(RLIMIT_AS, &little);
    for (int i = 0; i < iterations; i++)
        if (pthread_create(&thread, &attributes, compute_shortly, NULL) == 0)
            pthread_join(thread, NULL);
    setrlimit(RLIMIT_AS, &all);
    run_shortly(live_outside, 1);
    state(1, -1, "outside", 1);
}

/* A thread inside one MPI call while iterations pass: a request that the main thread completes.
 */
static int do_nothing(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int tell_nothing(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int cancel_nothing(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

static MPI_Request awaited;

static void *await(void *argument)
{
    (void)argument;
    MPI_Wait(&awaited, MPI_STATUS_IGNORE);
    pool_step(1, 1);
    return NULL;
}

static void run_span(void)
{
    pthread_t thread;
    MPI_Grequest_start(tell_nothing, do_nothing, cancel_nothing, NULL, &awaited);
    MPI_Request completed = awaited;
    pthread_create(&thread, NULL, await, NULL);
    for (step = 0; step < iterations; step++) {
        TSPROF_ITERATION_BEGIN("timestep");
        main_step(1, 500);
        if (step == iterations - 2) {
            MPI_Grequest_complete(completed);
            pthread_join(thread, NULL);
        }
        TSPROF_ITERATION_END("timestep");
        state(0, step, "main_step", 1);
    }
    state(1, iterations - 2, "pool_step", 1);
}

/* Every thread marks iterations of its own. */
static void *mark(void *argument)
{
    int number = (int)(long)argument;
    for (int i = 0; i < iterations; i++) {
        TSPROF_ITERATION_BEGIN("timestep");
        if (number)
            pool_step(number, 10);
        else
            main_step(1, 10);
        TSPROF_ITERATION_END("timestep");
    }
    return NULL;
}

static void run_own(void)
{
    pthread_t workers[WORKERS];
    for (long i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, mark, (void *)(i + 1));
    mark(NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    for (int i = 0; i < iterations; i++) {
        state(0, i, "main_step", 1);
        for (int n = 1; n <= WORKERS; n++)
            state(n, i, "pool_step", n);
    }
}

/* A thread that was there before MPI, computes and never calls it. */
static volatile int early_over;

__attribute__((noinline, noclone)) static void early_work(void)
{
    while (!early_over)
        compute(10);
    __asm__ volatile("");
}

static void *live_early(void *argument)
{
    early_work();
    return argument;
}

static void run_early(void)
{
    for (int i = 0; i < iterations; i++) {
        TSPROF_ITERATION_BEGIN("timestep");
        main_step(1, 1000);
        TSPROF_ITERATION_END("timestep");
        state(0, i, "main_step", 1);
    }
}

/* A thread that sleeps through more iterations than are remembered for it. */
static void *sleep_through(void *argument)
{
    volatile int *awake = argument;
    pool_step(1, 1);
    while (!*awake)
        usleep(1000);
    pool_step(2, 1);
    return NULL;
}

static void run_sleep(void)
{
    static volatile int awake;
    pthread_t thread;
    pthread_create(&thread, NULL, sleep_through, (void *)&awake);
    for (int i = 0; i < iterations; i++) {
        TSPROF_ITERATION_BEGIN("timestep");
        main_step(1, 0);
        TSPROF_ITERATION_END("timestep");
        state(0, i, "main_step", 1);
    }
    awake = 1;
    pthread_join(thread, NULL);
}

/* A thread that sleeps through many iterations, and wakes up between the outer and the inner.
 */
static volatile int awake, asleep;

static void *wake_inside(void *argument)
{
    pool_step(1, 1);
    asleep = 1;
    while (!awake)
        usleep(1000);
    for (; !over; asleep = 0)
        pool_step(1, 5);
    return argument;
}

static void run_nested(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wake_inside, NULL);
    while (!asleep)
        usleep(100);
    for (int i = 0; i < 3; i++) {
        TSPROF_ITERATION_BEGIN("outer");
        for (int j = 0; j < (i == 0 ? iterations : 200); j++) {
            TSPROF_ITERATION_BEGIN("inner");
            main_step(1, awake ? 50 : 0);
            TSPROF_ITERATION_END("inner");
            awake = awake || j == iterations - 100;
            while (awake && asleep)
                usleep(100);
        }
        TSPROF_ITERATION_END("outer");
    }
    over = 1;
    pthread_join(thread, NULL);
}

/* The thread that marks ends before its last iteration does. */
static void *desert(void *argument)
{
    for (int i = 0; i < iterations; i++) {
        TSPROF_ITERATION_BEGIN("timestep");
        pool_step(1, 1);
        if (i == iterations - 1)
            break;
        TSPROF_ITERATION_END("timestep");
    }
    return argument;
}

static void run_deserted(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, desert, NULL);
    pthread_join(thread, NULL);
    for (int i = 0; i < 100; i++)
        main_step(1, 10);
    for (int i = 0; i < iterations; i++)
        state(1, i, "pool_step", 1);
    state(0, -1, "main_step", 100);
}

/* MPI is started and ended by another thread than the main one. */
static void *live_with_mpi(void *argument)
{
    int provided;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    awake = 1;
    while (!over)
        usleep(1000);
    main_step(1, 1);
    MPI_Finalize();
    return argument;
}

static void run_second(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, live_with_mpi, NULL);
    while (!awake)
        usleep(100);
    for (int i = 0; i < 1000; i++)
        pool_step(0, 30);
    over = 1;
    pthread_join(thread, NULL);
    state(0, -1, "main_step", 1);
}

/* MPI is started by a child, in which the parent's threads do not exist. */
static void *wait_for_child(void *argument)
{
    while (!over)
        usleep(1000);
    return argument;
}

static void run_forked(void)
{
    pthread_t threads[WORKERS];
    int provided, status = 0;
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, wait_for_child, NULL);
    pid_t child = fork();
    if (child == 0) {
        MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
        run_shortly(live_shortly, 1);
        main_step(1, 1);
        MPI_Finalize();
        state(0, -1, "main_step", 1);
        state(1, -1, "short_life", 1);
        exit(0);
    }
    waitpid(child, &status, 0);
    over = 1;
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    if (status)
        exit(3);
}

static const struct {
    const char *name;
    void (*run)(void);
    int starts_mpi;
} modes[] = {
    {"pool", run_pool, 0},     {"lives", run_lives, 0},     {"storm", run_storm, 0},
    {"crowd", run_crowd, 0},   {"brief", run_brief, 0},     {"span", run_span, 0},
    {"own", run_own, 0},       {"early", run_early, 0},     {"sleep", run_sleep, 0},
    {"nested", run_nested, 0}, {"second", run_second, 1},   {"deserted", run_deserted, 0},
    {"forked", run_forked, 1}, {"cramped", run_cramped, 0},
};

int main(int argc, char **argv)
{
    pthread_t early;
    int provided;
    size_t mode = 0, known = sizeof modes / sizeof modes[0];
    while (argc > 1 && mode < known && strcmp(modes[mode].name, argv[1]) != 0)
        mode++;
    if (argc < 2 || mode == known)
        return fprintf(stderr, "usage: threads MODE [ITERATIONS]\n"), 2;
    if (argc > 2)
        iterations = atoi(argv[2]);
    if (modes[mode].starts_mpi)
        return modes[mode].run(), 0;
    int starts_early = strcmp(argv[1], "early") == 0;
    if (starts_early)
        pthread_create(&early, NULL, live_early, NULL);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    modes[mode].run();
    early_over = 1;
    if (starts_early)
        pthread_join(early, NULL);
    MPI_Finalize();
    return 0;
}
