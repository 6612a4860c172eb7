/*
 * The clock of the time line: integer nanoseconds since clock_start.
 *
 * Where the processor has a counter that runs at one rate, a reading costs one instruction and
 * a multiplication; elsewhere it is a call of clock_gettime.  No reading depends on an earlier
 * one, so sums of differences along the time line are exact.
 */
#ifndef TSPROF_CLOCK_H
#define TSPROF_CLOCK_H

#include "arch/arch.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct clock {
    bool counts; /* readings come from the processor's counter */
    uint64_t base_ticks;
    uint64_t multiplier; /* nanoseconds per tick, scaled by 2^32 */
    int64_t base_ns;     /* CLOCK_MONOTONIC at base_ticks */
    int64_t epoch_ns;    /* CLOCK_REALTIME at the start */
};

extern struct clock measurement_clock __attribute__((visibility("hidden")));

/* Chooses the source and sets the origin.  Call once, before any other thread measures. */
void clock_start(void);

/*
 * Measures the length of a tick against CLOCK_MONOTONIC.  Waits until at least a millisecond
 * has passed since clock_start, so that the error is at most about 40 parts in a million.
 * Until then only clock_ticks_async may be used.
 */
void clock_calibrate(void);

/* Ticks per second, as calibrated; 10^9 for the monotonic clock. */
double clock_hertz(void);

/*
 * The length of a tick in nanoseconds, measured anew over all the time since clock_start; 1 for
 * the monotonic clock.
 */
double clock_ns_per_tick(void);

/* CLOCK_MONOTONIC in nanoseconds.  Any context. */
static inline int64_t clock_monotonic_ns_async(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* A raw reading, in ticks.  Any context. */
static inline uint64_t clock_ticks_async(void)
{
    if (__builtin_expect(measurement_clock.counts, 1))
        return arch_ticks_async();
    return (uint64_t)clock_monotonic_ns_async();
}

/* A raw reading in nanoseconds since clock_start.  Any context, after clock_calibrate. */
static inline int64_t clock_to_ns_async(uint64_t ticks)
{
    uint64_t passed = ticks - measurement_clock.base_ticks;
    return (int64_t)((unsigned __int128)passed * measurement_clock.multiplier >> 32);
}

/* Now, in nanoseconds since clock_start.  Any context, after clock_calibrate. */
static inline int64_t clock_now_async(void)
{
    return clock_to_ns_async(clock_ticks_async());
}

#endif
