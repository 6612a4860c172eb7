/*
 * Samples: a timer per thread, and the handler that takes the call path.
 *
 * The instants form a Poisson process in the thread's CPU time (poisson.h).  Interrupts that
 * fall into MPI or into tsprof are not used; the next valid sample carries the computation time
 * since the last one (Szebenyi, section 5.1.2).
 */
#ifndef TSPROF_SAMPLER_H
#define TSPROF_SAMPLER_H

#include "sample/jumps.h"
#include "sample/timer.h"
#include "timeline/timeline.h"

/* What a thread needs to be sampled. */
struct sampling {
    struct sample_timer timer;
    struct jumps jumps;
    uint64_t random; /* state of the gaps between samples */
};

/* Installs the handler; sampling stays off when TSPROF_RATE is 0 or no signal is free.  Once.
 */
void sampler_start(void);

/* Gives the calling thread, THREAD, its timer. */
void sampler_attach(struct thread *thread);

/* Takes the timer away; a sample that is already pending does nothing. */
void sampler_detach_async(struct thread *thread);

/*
 * Has the next sample taken of THREAD though the handler may have been left before it asked for
 * that.  Where it was not nothing changes: from any instant on gaps are distributed as from the
 * last sample on.  On the thread itself.
 */
void sampler_resume_async(struct thread *thread);

/* Says what could not be done as the settings want it; for one process of a job to do. */
void sampler_complain(void);

/* Ends sampling on all threads, because the program claims the signal.  Async-signal-safe. */
void sampler_give_up_async(void);

/* Leaves nothing of sampling in a child of fork, which has no timers.  Async-signal-safe. */
void sampler_forget_async(void);

/* The handler's signal, 0 when sampling is off. */
int sampler_signal_async(void);

#endif
