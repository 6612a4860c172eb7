/*
 * Sampling: a timer for each thread, and the signal handler that takes the call path.
 *
 * The instants form a Poisson process in the thread's CPU time (poisson.h).  A sample that
 * falls into MPI or into tsprof is not used; the next one that is used accounts for all
 * computation time since the last used one (Szebenyi, section 5.1.2).
 *
 * Functions that end in _async are async-signal-safe; the others are for program context.
 */
#ifndef TSPROF_SAMPLER_H
#define TSPROF_SAMPLER_H

#include "sample/in_step.h"
#include "sample/jumps.h"
#include "sample/limit.h"
#include "sample/timer.h"
#include "timeline/timeline.h"

/* What the sampler keeps for each thread. */
struct sampling {
    struct sample_timer timer;
    struct jumps jumps;
    uint64_t random; /* state of the random stream of gaps between samples */
    struct limit limit;
    int64_t handled_ns;      /* the handler's time when it last armed the timer */
    int64_t limited;         /* samples that the limit has put off */
    struct step_tally begin; /* of what is next compared with the samples, see in_step.h */
    int64_t look_due_ns;     /* when that is to be done */
    int64_t look_after_ns;   /* so long after `begin` */
};

/*
 * Installs the signal handler.  Sampling stays off if TSPROF_RATE is 0, or if the program uses
 * every signal that could be used.  To be called once.
 */
void sampler_start(void);

/*
 * Creates and arms the timer of THREAD, the calling thread.  If the system refuses, the thread
 * gets NOTE_NOT_SAMPLED.
 */
void sampler_attach(struct thread *thread);

/* Destroys the timer of THREAD; a signal that is already pending will be ignored. */
void sampler_detach_async(struct thread *thread);

/*
 * Arms the timer of THREAD again, in case the program jumped out of the handler before that was
 * done.  If it was armed already this does no harm: gaps are exponentially distributed from any
 * instant on.  To be called by THREAD itself.
 */
void sampler_resume_async(struct thread *thread);

/*
 * Tells the user if the sampling rate or the timer could not be had as the settings ask for.
 * Only one process of a job should call it.
 */
void sampler_complain(void);

/*
 * Tells the user at the end if sampling was limited.  Only one process of a job should call it.
 */
void sampler_complain_limited(void);

/* Ends sampling on all threads, because the program wants the signal for itself. */
void sampler_give_up_async(void);

/* Turns sampling off in a child of fork, which has inherited no timers. */
void sampler_forget_async(void);

/* From now on no thread changes over to another timer by itself.  Any context. */
void sampler_stay_async(void);

#endif
