/*
 * burn.h: computation for a given CPU time, without floating point, since that may be what a
 * program watches.
 */
#ifndef BURN_H
#define BURN_H

#include <stdint.h>
#include <time.h>

/* Of the calling thread unless the program says otherwise. */
#ifndef BURN_CLOCK
#define BURN_CLOCK CLOCK_THREAD_CPUTIME_ID
#endif

/* Rounds, of a nanosecond or so, between two looks at the clock: calls of the system, mostly.
 */
#ifndef BURN_ROUNDS
#define BURN_ROUNDS 1000
#endif

__attribute__((unused)) static int64_t cpu_ns(void)
{
    struct timespec now;
    clock_gettime(BURN_CLOCK, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

__attribute__((unused)) static void burn(int64_t ns)
{
    for (int64_t end = cpu_ns() + ns; cpu_ns() < end;)
        for (volatile int i = 0; i < BURN_ROUNDS; i++)
            continue;
}

#endif
