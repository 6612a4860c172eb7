/*
 * How much of a thread's time line it was ready to run and had no processor: metric
 * `preempted`, which lies beside the times, since it may fall into each of them.
 *
 * The system tells only how much there has been so far.  It is asked at the borders of
 * instances, but not again within PREEMPTION_LEAST_NS: a thread that is preempted misses
 * milliseconds, so what is given to the wrong one of several shorter instances is less than one
 * of them may miss.  What was found at one look is divided in proportion to time, if several
 * borders lie before it; so all of it is given once, and sums are exact.
 *
 * For the thread that holds the context, or whoever has stopped it.
 */
#ifndef TSPROF_PREEMPTION_H
#define TSPROF_PREEMPTION_H

#include "host/host.h"

#include <stdint.h>

struct thread;

enum { PREEMPTION_LEAST_NS = 500000 };

struct preemption {
    int64_t until_ns;   /* on the time line: when the system was last asked */
    int64_t given_ns;   /* all up to here has been given */
    int64_t used_ns;    /* processor time then */
    int64_t waited_ns;  /* the system's figure, as far as it is known; -1: it has none */
    int64_t sleeps;     /* likewise, see processor_sleeps_async */
    int64_t off_ns;     /* without a processor, for whatever reason, since then */
    int64_t pending_ns; /* found, and not given to an instance yet */
    int64_t total_ns;   /* found in all */
    struct processor_set allowed; /* where it may run, as far as is known; as of the last look
                                   * of those that may take time */
};

/* The line of THREAD begins at NS, or continues there with another thread of the system's. */
void preemption_begin_async(struct thread *thread, int64_t ns);

/* Asks the system, whatever that takes: the line of THREAD is about to end. */
void preemption_look_async(struct thread *thread);

/* Gives what lies before NS to the innermost level; asks the system if it is time to. */
void preemption_give_async(struct thread *thread, int64_t ns);

/* The share of AMOUNT, found between BEGIN_NS and END_NS, that lies before NS. */
int64_t preemption_share_async(int64_t amount, int64_t begin_ns, int64_t end_ns, int64_t ns);

#endif
