/*
 * Candidates: the loops that are cut while the main loop is searched for (search.h), and what
 * their passes tell about them.  Loops are known by their numbers in the recogniser
 * (detect/loops.h).
 *
 * For the thread whose calls are examined, or for whoever has stopped it.
 */
#ifndef TSPROF_CANDIDATE_H
#define TSPROF_CANDIDATE_H

#include "mainloop/search.h"

/* How many passes of loop NUMBER were cut; 0 if the loop has nothing to show. */
uint64_t candidate_passes_async(const struct thread *thread, unsigned number);

/*
 * Whether loop NUMBER is erratic: its function calls itself and most of its passes are like no
 * other, so it is only what a recursion does at one of its levels.
 */
bool candidate_is_erratic_async(const struct thread *thread, unsigned number);

/*
 * Whether loop NUMBER may well be the main loop, as far as can be told at NS: the machine code
 * tells its passes apart, there were some of them, and they took half of the time or more.  Or
 * it is what TSPROF_ITERATION names.
 */
bool candidate_is_main(struct search *search, unsigned number, int64_t ns);

/* Whether that is so, and its passes are not too short for profiles. */
bool candidate_is_sure(struct search *search, unsigned number, int64_t ns);

/*
 * The loop that has taken the longest part of the time from the start of the search to NS;
 * LOOPS_NONE if none has taken half of it.  Where loops are named, any that is.
 */
unsigned candidate_longest(struct search *search, int64_t ns);

#endif
