/*
 * clock_cost.c: what a reading of the clock takes that tsprof reads three times for each MPI
 * call.
 *
 *     clock_cost ROUNDS
 *
 * Prints nanoseconds for one reading.
 */
#include "arch/arch.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
    const long rounds = argc > 1 ? atol(argv[1]) : 10000000;
    volatile uint64_t kept = 0;
    const double begin = now_ns();
    for (long i = 0; i < rounds; i++)
        kept = arch_ticks_async();
    printf("%.2f\n", (now_ns() - begin) / (double)rounds);
    return kept == 0;
}
