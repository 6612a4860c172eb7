/*
 * How long a thread of this process has had a processor, how long it has waited for one, and
 * which ones it may have.
 * All functions may be called in any context, for any thread of the process, and leave errno as
 * it was.
 */
#ifndef TSPROF_PROCESSOR_H
#define TSPROF_PROCESSOR_H

#include <stdint.h>

enum { PROCESSOR_WORDS = 32 };

/* Processors, by the system's number: 64 W + B is bit B of word W. */
struct processor_set {
    uint64_t words[PROCESSOR_WORDS];
};

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

/*
 * The processors that thread OS_ID may run on, in *SET; left as it was if the system does not
 * tell, or has more processors than a set has room for.
 */
void processor_allowed_async(int os_id, struct processor_set *set);

/* The system must not be asked any more which processors threads may run on.  Any context. */
void processor_ask_no_more_async(void);

#endif
