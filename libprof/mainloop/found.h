/*
 * The loops that were found on a thread (search.h), and which of them are shown as iterations.
 *
 * What is chosen among them is for all processes to agree on (write/shown_loops.h), at the end; as long
 * as nobody has, a process proposes for its part what it would choose alone.
 */
#ifndef TSPROF_FOUND_H
#define TSPROF_FOUND_H

#include "detect/choice.h"
#include "mainloop/search.h"

/* Why slices of time are shown rather than loops. */
enum slices_reason { SLICES_NO_LOOP, SLICES_RECURSION, SLICES_FEW_PASSES, SLICES_LITTLE_TIME };

/* The thread whose loops were looked for, NULL if none's are there.  Program context. */
struct thread *found_thread(void);

/* Whether loop NUMBER of THREAD may be shown, for what is known of it here. */
bool found_is_offered_async(const struct thread *thread, unsigned number);

/* The time up to NS in which loops were looked for, in ns. */
uint64_t found_time_until_async(const struct thread *thread, int64_t ns);

/* Adds the loops found on THREAD to OFFERS, those whose KEYS, by number, are not 0. */
void found_offer_async(const struct thread *thread, const uint64_t keys[LOOPS_MOST],
                       struct loop_offers *offers);

/*
 * Makes loop NUMBER of THREAD, which has stopped, the series at PLACE among those chosen, of
 * PASSES iterations.  Program context.
 */
void found_keep(struct thread *thread, unsigned number, uint64_t place, uint64_t passes);

/*
 * Shows the slices of THREAD, NULL if there is none, as COUNT iterations, for a REASON; of the
 * time PERMILLE was in the loop that took most of it.  Program context.
 */
void found_keep_slices(struct thread *thread, uint64_t count, enum slices_reason reason,
                       uint64_t permille);

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
void found_prepare(const struct thread *thread);
void found_propose_async(const struct thread *thread, struct proposal *proposal);

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
unsigned found_list(const struct thread *thread, struct found_loop *found, unsigned most);

/* Says, once, what has been chosen: for one process to do. */
void found_announce(void);

/* How long the slices are that are shown, and why they are; "" where none are. */
const char *found_slices(void);

#endif
