/*
 * Tells hosts apart.  A name will not do: several hosts may have the same, and so may
 * containers. Program context; reads /proc.
 */
#ifndef TSPROF_HOST_IDENTITY_H
#define TSPROF_HOST_IDENTITY_H

#include <stdint.h>

/*
 * A number that is the same in all processes among which numbers of processes, their times of
 * start and CLOCK_MONOTONIC mean the same: those of one boot of a host and of the same
 * namespaces of processes and time.  0 if that cannot be found out.
 */
uint64_t host_identity(void);

/*
 * A number, never 0, that is the same in all processes whose CLOCK_MONOTONIC is the same: those
 * of one boot of a host and of the same namespace of time.
 */
uint64_t host_identity_of_clock(void);

/*
 * A number, never 0, that is the same in all processes of one boot of a host, whose processors
 * have one counter.
 */
uint64_t host_identity_of_boot(void);

#endif
