/*
 * The processes agree which of the loops that they have found (seek.h) are shown as iterations,
 * and of how many passes: what they offer goes up the tree of ranks, what is chosen comes down.
 * A process that has not got the main loop shows one of its own in its place, if that has as
 * many passes, so that masters and other programs of a job have iterations, too.
 *
 * At the end, when no thread measures any more; program context.
 */
#ifndef TSPROF_AGREE_H
#define TSPROF_AGREE_H

#include "detect/choice.h"
#include "mainloop/seek.h"
struct team;

/*
 * Collective: everybody calls it, whatever was found.  Where no loop is shown, slices of time
 * are, as many on all processes.
 */
void agree(struct team *team);

/* The same for a process that nobody answers: what it shows in its part.  Later calls of agree
 * change nothing. */
void agree_alone(void);

/*
 * What a process shows of THREAD in its part as long as nothing has been agreed on: what it
 * would choose alone if the measurement ended now.
 */
struct proposal {
    unsigned count;
    struct series series[CHOICE_LOOPS_MOST];
    const struct profile *less; /* all that is in them, below zero */
};

/*
 * Registers the phases that proposals for THREAD need, in program context; without its phase a
 * series is left out.  By the thread that holds the context.
 */
void agree_prepare(const struct thread *thread);
void agree_propose_async(const struct thread *thread, struct proposal *proposal);

/* A loop that was found here, for the summary. */
struct found_loop {
    uint32_t border;  /* node of the call that begins a pass */
    uint32_t phase;   /* UINT32_MAX: it is not shown */
    uint64_t passes;  /* that were cut */
    uint64_t time_ns; /* in them */
    uint32_t around;  /* number of the loop around it in this list, plus one; 0: none */
    bool certain;     /* the machine code has a loop there */
};

/* The loops found on THREAD, in the order in which they began; at most MOST. */
unsigned agree_list(const struct thread *thread, struct found_loop *found, unsigned most);

/* Says, once, what has been chosen: for one process to do. */
void agree_announce(void);

/* How long the slices are that are shown, and why they are; "" where none are. */
const char *agree_slices(void);

#endif
