/*
 * counters.c: counts a known number of events in known places.
 *
 *     counters MODE [N [local|global LIBRARY]]
 *
 * The LIBRARY is opened before MPI is initialised.
 * The events are those of fake_papi.c, or of the system: new pages and context switches.
 */
#include "burn.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <tsprof.h>
#include <unistd.h>

enum { COUNTERS = 32, ITERATIONS = 12 };

static __thread long long counters[COUNTERS];

/* For fake_papi.c. */
long long *counters_of_thread(void);
long long *counters_of_thread(void)
{
    return counters;
}

static void count(int counter, long long events)
{
    counters[counter] += events;
}

/* What the operator of MPI_Reduce_local does: once for each call. */
static void (*inside_mpi)(int argument);
static int inside_argument;

static void combine(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)in;
    (void)inout;
    (void)length;
    (void)type;
    inside_mpi(inside_argument);
}

static MPI_Op operator;

/* Has FUNCTION called from inside MPI. */
static void __attribute__((noinline)) call_inside(void (*function)(int), int argument)
{
    int in = 1, out = 2;
    inside_mpi = function;
    inside_argument = argument;
    MPI_Reduce_local(&in, &out, 1, MPI_INT, operator);
}

static void count_inside(int events)
{
    count(0, events);
    count(1, -events);
}

/* Values that a test can calculate from the number of the iteration. */
static void script(int iterations)
{
    count(0, 7);
    for (int i = 0; i < iterations; i++) {
        TSPROF_ITERATION_BEGIN("step");
        TSPROF_PHASE_BEGIN("first");
        count(0, 10 * i + 1);
        count(1, -3);
        TSPROF_PHASE_END("first");
        count(0, 1000);
        errno = 0;
        call_inside(count_inside, 100 + i % 3);
        if (errno != 0)
            exit(3);
        TSPROF_PHASE_BEGIN("second");
        count(2, INT64_C(5000000000000000000));
        TSPROF_PHASE_END("second");
        count(1, 50);
        TSPROF_ITERATION_END("step");
        count(0, 20);
    }
}

/* Each new page is one fault, where nothing makes them huge. */
static char *pages;
static const size_t page_bytes = 4096;

static void __attribute__((noinline)) touch(int number)
{
    for (int i = 0; i < number; i++, pages += page_bytes)
        *(volatile char *)pages = 1;
}

static void touch_pages(int iterations)
{
    for (int i = 0; i < iterations; i++) {
        size_t bytes = 256 * page_bytes;
        char *memory =
            mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            exit(3);
        madvise(memory, bytes, MADV_NOHUGEPAGE);
        pages = memory;
        TSPROF_ITERATION_BEGIN("step");
        TSPROF_PHASE_BEGIN("touch");
        touch(20 + i);
        TSPROF_PHASE_END("touch");
        call_inside(touch, 5 + i);
        touch(3);
        TSPROF_ITERATION_END("step");
        munmap(memory, bytes);
    }
}

/* So long that the processor is given away even if it stands still for a while before that. */
static void give_way(int iterations)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    for (int i = 0; i < iterations; i++) {
        TSPROF_ITERATION_BEGIN("step");
        TSPROF_PHASE_BEGIN("sleep");
        for (int n = 0; n < 5 + i; n++)
            nanosleep(&pause, NULL);
        TSPROF_PHASE_END("sleep");
        TSPROF_ITERATION_END("step");
    }
}

/* Work in which samples fall, half of it with many events. */
static void __attribute__((noinline)) busy(int iteration)
{
    for (int i = 0; i < 20; i++) {
        burn(100000);
        count(0, 1000 + iteration);
    }
}

static void __attribute__((noinline)) calm(void)
{
    burn(2000000);
    count(0, 1);
}

static void sample(int iterations)
{
    for (int i = 0; i < iterations; i++) {
        TSPROF_ITERATION_BEGIN("step");
        busy(i);
        calm();
        TSPROF_ITERATION_END("step");
    }
}

static void work_inside(int events)
{
    burn(4000000);
    count(0, events);
}

/* Interrupts that fall into MPI. */
static void stay_inside(int iterations)
{
    for (int i = 0; i < iterations; i++) {
        TSPROF_ITERATION_BEGIN("step");
        call_inside(work_inside, 10 + i);
        TSPROF_ITERATION_END("step");
    }
}

enum { WORKERS = 3 };

static pthread_barrier_t begins, ends;
static int step, steps;

static void *work(void *argument)
{
    int number = (int)(long)argument, size;
    for (;;) {
        pthread_barrier_wait(&begins);
        if (step == steps)
            return NULL;
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        count(0, 100 * number + step);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        pthread_barrier_wait(&ends);
    }
}

/* Threads that take part in the iterations of the main one, WORKERS of them. */
static void pool(int iterations)
{
    pthread_t threads[WORKERS];
    steps = iterations;
    pthread_barrier_init(&begins, NULL, WORKERS + 1);
    pthread_barrier_init(&ends, NULL, WORKERS + 1);
    for (long i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (step = 0; step < iterations; step++) {
        TSPROF_ITERATION_BEGIN("step");
        pthread_barrier_wait(&begins);
        count(0, 1);
        pthread_barrier_wait(&ends);
        TSPROF_ITERATION_END("step");
    }
    pthread_barrier_wait(&begins);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
}

/* The same with nothing in the threads but counting: they meet borders without readings. */
static void *drift(void *argument)
{
    int size;
    for (int i = 0; i < 1000; i++) {
        count(0, 1);
        burn(20000);
    }
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return argument;
}

static void follow(int iterations)
{
    pthread_t thread;
    pthread_create(&thread, NULL, drift, NULL);
    for (int i = 0; i < iterations; i++) {
        TSPROF_ITERATION_BEGIN("step");
        burn(500000);
        TSPROF_ITERATION_END("step");
    }
    pthread_join(thread, NULL);
}

static void *short_life(void *argument)
{
    int size;
    count(0, 3);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    count(0, 4);
    return argument;
}

static void storm(int threads)
{
    enum { AT_ONCE = 8 };
    pthread_t each[AT_ONCE];
    for (int i = 0; i < threads; i += AT_ONCE) {
        for (int n = 0; n < AT_ONCE; n++)
            pthread_create(&each[n], NULL, short_life, NULL);
        for (int n = 0; n < AT_ONCE; n++)
            pthread_join(each[n], NULL);
    }
}

/* A thread that was there before MPI. */
static volatile int mpi_there;

static void *wait_for_mpi(void *argument)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    int size;
    count(0, 1000);
    while (!mpi_there)
        nanosleep(&pause, NULL);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    count(0, 11);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    count(0, 5);
    return argument;
}

/* No function of MPI is one in which a thread that was cancelled ends. */
static int survived;

static void *be_cancelled(void *argument)
{
    int size;
    pthread_barrier_wait(&begins);
    pthread_barrier_wait(&ends);
    for (int i = 0; i < 100; i++)
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    burn(20000000);
    survived = 1;
    pthread_testcancel();
    return argument;
}

static void cancel(void)
{
    pthread_t thread;
    void *outcome;
    pthread_barrier_init(&begins, NULL, 2);
    pthread_barrier_init(&ends, NULL, 2);
    pthread_create(&thread, NULL, be_cancelled, NULL);
    pthread_barrier_wait(&begins);
    pthread_cancel(thread);
    pthread_barrier_wait(&ends);
    pthread_join(thread, &outcome);
    printf("survived %d, cancelled %d\n", survived, outcome == PTHREAD_CANCELED);
}

/* A child that counts, and one that becomes another program and shows the files it has. */
static void children(void)
{
    int status = 0;
    count(0, 100);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        count(0, 10000);
        _exit(0);
    }
    waitpid(child, &status, 0);
    child = fork();
    if (child == 0) {
        execl("/bin/ls", "ls", "-l", "/proc/self/fd", (char *)NULL);
        _exit(1);
    }
    waitpid(child, &status, 0);
    count(0, 1);
}

static void run(const char *mode, int number)
{
    if (!strcmp(mode, "script"))
        script(number);
    else if (!strcmp(mode, "pages"))
        touch_pages(number);
    else if (!strcmp(mode, "switches"))
        give_way(number);
    else if (!strcmp(mode, "samples"))
        sample(number);
    else if (!strcmp(mode, "inside"))
        stay_inside(number);
    else if (!strcmp(mode, "pool"))
        pool(number);
    else if (!strcmp(mode, "follow"))
        follow(number);
    else if (!strcmp(mode, "storm"))
        storm(number);
    else if (!strcmp(mode, "cancel"))
        cancel();
    else if (!strcmp(mode, "children"))
        children();
    else if (!strcmp(mode, "exit"))
        script(number);
    else if (strcmp(mode, "early"))
        exit(2);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "script";
    int number = argc > 2 ? atoi(argv[2]) : ITERATIONS, provided;
    pthread_t early;
    bool waits = !strcmp(mode, "early");
    if (argc > 4 && !dlopen(argv[4], RTLD_NOW | (strcmp(argv[3], "global") ? 0 : RTLD_GLOBAL)))
        return 3;
    if (waits)
        pthread_create(&early, NULL, wait_for_mpi, NULL);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Op_create(combine, 1, &operator);
    mpi_there = 1;
    if (waits)
        pthread_join(early, NULL);
    run(mode, number);
    if (!strcmp(mode, "exit"))
        exit(0);
    MPI_Op_free(&operator);
    MPI_Finalize();
    return 0;
}
