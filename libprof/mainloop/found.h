/*
 * The loops that were found on a thread (search.h), and which of them are shown as iterations.
 *
 * At the end all processes choose together which are shown (write/shown_loops.h).  Until then a
 * process writes into its part the loops that it would choose alone.
 */
#ifndef TSPROF_FOUND_H
#define TSPROF_FOUND_H

#include "detect/choice.h"
#include "mainloop/search.h"

/* Why time slices are shown instead of loops. */
enum slices_reason {
    SLICES_NO_LOOP,
    SLICES_RECURSION,
    SLICES_FEW_PASSES,
    SLICES_LITTLE_TIME,
    SLICES_NOT_NAMED
};

/* The thread whose calls were searched for loops; NULL if there is none.  Program context. */
struct thread *found_thread(void);

/* Whether loop NUMBER of THREAD may be shown, as far as this process can tell. */
bool found_is_offered_async(const struct thread *thread, unsigned number);

/* For how long loops had been searched for at NS, in nanoseconds. */
uint64_t found_time_until_async(const struct thread *thread, int64_t ns);

/*
 * Adds the loops found on THREAD to OFFERS.  KEYS has a key for each loop number; those with
 * key 0 are left out.
 */
void found_offer_async(const struct thread *thread, const uint64_t keys[LOOPS_MOST],
                       struct loop_offers *offers);

/*
 * Shows loop NUMBER of THREAD, which has been stopped, as a series of PASSES iterations.  PLACE
 * is its place among the chosen loops, which gives it its name.  Program context.
 */
void found_keep(struct thread *thread, unsigned number, uint64_t place, uint64_t passes);

/* Whether this process shows a loop in PLACE among the chosen loops. */
bool found_is_kept(uint64_t place);

/* Notes that PROCESSES others have looked for loops and show none in PLACE. */
void found_note_absent(uint64_t place, uint64_t processes);

/*
 * Shows the slices of THREAD (NULL if this process has none) as COUNT iterations.  REASON says
 * why; for SLICES_LITTLE_TIME, PERMILLE is the share of the time that the longest loop took.
 * Program context.
 */
void found_keep_slices(struct thread *thread, uint64_t count, enum slices_reason reason,
                       uint64_t permille);

/*
 * The series that a process writes into its part as long as nothing has been agreed on: those
 * that it would choose alone if the measurement ended now.
 */
struct proposal {
    unsigned count;
    struct series series[CHOICE_LOOPS_MOST];
};

/* So many cells of all that is proposed are added up at once by whoever writes it. */
enum { PROPOSED_CELLS = 1 << 13 };

/*
 * found_propose_async fills PROPOSAL; a series whose phase is not registered is left out.  So
 * found_prepare, which registers the phases that a proposal for THREAD needs, is called before
 * that in program context.  Both are for the thread that holds the context.
 */
void found_prepare(const struct thread *thread);
void found_propose_async(const struct thread *thread, struct proposal *proposal);

/* A loop that was found in this process, as the summary has it. */
struct found_loop {
    uint32_t border;   /* node of the call that begins most passes */
    uint32_t function; /* node of the function that has the loop */
    uint64_t offset;   /* where its code begins in that function, in bytes; 0: not known */
    uint32_t phase;    /* the phase that it is shown as; UINT32_MAX: it is not shown */
    uint64_t passes;   /* number of passes that were cut */
    uint64_t time_ns;  /* time in them */
    uint32_t around;   /* 1 + index in this list of the loop around it; 0: none */
    uint64_t absent;   /* so many processes that looked for loops do not show it */
    bool certain;      /* the machine code has it, and tells its passes apart */
    bool partly;       /* it had more passes, which were not cut */
};

/*
 * Lists the loops found on THREAD, MOST at most, in the order in which they began; returns how
 * many.
 */
unsigned found_list(const struct thread *thread, struct found_loop *found, unsigned most);

/* Tells the line that ends the run which loops or slices are shown.  One process, once. */
void found_announce(void);

/* A text that says how long the shown slices are and why they are shown; "" if none are. */
const char *found_slices(void);

#endif
