/*
 * The processor's generic timer, as it counts for programs.  It counts at the rate that CNTFRQ
 * says: 1 GHz since Armv8.6, often 25 to 100 MHz before, so that one step is up to 40 ns.
 */
#ifndef TSPROF_ARCH_TICKS_H
#define TSPROF_ARCH_TICKS_H

#include <stdbool.h>
#include <stdint.h>

#define ARCH_TICKS_NAME "cntvct" /* in summaries: doc/format.md lists the names */

/* What Linux calls the counter among its sources of time. */
#define ARCH_TICKS_SOURCE "arch_sys_counter"

/* Reads the counter, perhaps some instructions earlier or later than where the call stands. */
static inline uint64_t arch_ticks_async(void)
{
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}

/*
 * Whether the counter runs at one rate on all cores, whatever their power state: the
 * architecture says so.
 */
static inline bool arch_ticks_are_steady(void)
{
    return true;
}

#endif
