/*
 * How long a thread of this process has had a processor, and how long it has waited for one.
 * All functions may be called in any context, for any thread of the process, and leave errno as
 * it was.
 */
#ifndef TSPROF_PROCESSOR_H
#define TSPROF_PROCESSOR_H

#include <stdint.h>

/* The processor time of thread OS_ID, the system's number of it, in nanoseconds; 0: unknown. */
int64_t processor_used_ns_async(int os_id);

/*
 * How long thread OS_ID was ready to run and had no processor, in nanoseconds, from its start
 * on; -1 if the system does not tell.  Takes some microseconds, for a file below /proc.
 */
int64_t processor_waited_ns_async(int os_id);

/*
 * How often the calling thread has given its processor up in order to wait for something; -1 if
 * unknown.  While that stays the same, it was ready to run all the time.
 */
int64_t processor_sleeps_async(void);

#endif
