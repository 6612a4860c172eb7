/*
 * Samples: a timer per thread, and the handler that takes the call path.
 *
 * The timer runs on the thread's CPU time: it never interrupts a system call that waits, so a
 * program that does not expect signals sees none of them.  Interrupts that fall into MPI or
 * into tsprof are not used; the next valid sample carries the computation time since the last
 * one (Szebenyi, section 5.1.2).
 */
#ifndef TSPROF_SAMPLER_H
#define TSPROF_SAMPLER_H

#include "thread.h"

/* Installs the handler; sampling stays off when TSPROF_RATE is 0 or no signal is free. */
void sampler_start(void);

/* Gives the calling thread, THREAD, its timer. */
void sampler_attach(struct thread *thread);

/* Takes the timer away; a sample that is already pending does nothing. */
void sampler_detach(struct thread *thread);

/* Ends sampling on all threads, because the program claims the signal.  Async-signal-safe. */
void sampler_give_up_async(void);

/* Time between two samples of a thread in nanoseconds, 0 when sampling is off. */
int64_t sampler_period_ns(void);

#endif
