/* The processor's time-stamp counter. */
#ifndef TSPROF_ARCH_TICKS_H
#define TSPROF_ARCH_TICKS_H

#include <cpuid.h>
#include <stdbool.h>
#include <stdint.h>
#include <x86intrin.h>

#define ARCH_TICKS_NAME "tsc" /* in summaries: doc/format.md lists the names */

/* What Linux calls the counter among its sources of time. */
#define ARCH_TICKS_SOURCE "tsc"

/* Reads the counter, perhaps some instructions earlier or later than where the call stands. */
static inline uint64_t arch_ticks_async(void)
{
    return __rdtsc();
}

/* Whether the counter runs at one rate on all cores, whatever their power state. */
static inline bool arch_ticks_are_steady(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
}

#endif
