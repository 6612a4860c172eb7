/*
 * A function of MPI that is called very often, from where walking the stack costs little or
 * much:
 *
 *     polls plain|coroutine CALLS [PAUSE_US]
 *
 * It pauses for so many microseconds after every thousand calls, so that it takes as long as is
 * wanted however fast the calls are.
 *
 * Prints nanoseconds per call on standard error.
 */
#include <mpi.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

enum { STACK_BYTES = 1 << 18, CALLS_BETWEEN_PAUSES = 1000 };

static ucontext_t main_context, other_context;
static long calls, pause_us;

/* As long as that, whatever signals arrive meanwhile. */
static void take_pause(void)
{
    struct timespec left = {.tv_sec = pause_us / 1000000, .tv_nsec = pause_us % 1000000 * 1000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
}

__attribute__((noinline)) static void poll_often(void)
{
    int flag;
    for (long i = 0; i < calls; i++) {
        MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        if (pause_us > 0 && i % CALLS_BETWEEN_PAUSES == CALLS_BETWEEN_PAUSES - 1)
            take_pause();
    }
    __asm__ volatile("");
}

__attribute__((noinline)) static void descend(int depth)
{
    if (depth > 0)
        descend(depth - 1);
    else
        poll_often();
    __asm__ volatile("");
}

static void run_aside(void)
{
    descend(10);
}

static void run_in_coroutine(void)
{
    getcontext(&other_context);
    other_context.uc_stack.ss_sp = malloc(STACK_BYTES);
    other_context.uc_stack.ss_size = STACK_BYTES;
    other_context.uc_link = &main_context;
    makecontext(&other_context, run_aside, 0);
    swapcontext(&main_context, &other_context);
    free(other_context.uc_stack.ss_sp);
}

int main(int argc, char **argv)
{
    struct timespec begin, end;
    if (argc < 3)
        return fprintf(stderr, "usage: polls plain|coroutine CALLS [PAUSE_US]\n"), 2;
    calls = atol(argv[2]);
    pause_us = argc > 3 ? atol(argv[3]) : 0;
    MPI_Init(&argc, &argv);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    if (strcmp(argv[1], "coroutine") == 0)
        run_in_coroutine();
    else
        run_aside();
    clock_gettime(CLOCK_MONOTONIC, &end);
    fprintf(
        stderr, "%.1f\n",
        ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) /
            (double)calls);
    MPI_Finalize();
    return 0;
}
