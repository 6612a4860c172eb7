/*
 * What is known of the loops that are cut while the main one is looked for (search.h), and what
 * that says of them.
 *
 * By the thread that is looked at, or whoever has stopped it.
 */
#ifndef TSPROF_SOUGHT_H
#define TSPROF_SOUGHT_H

#include "mainloop/search.h"

/* Passes of loop NUMBER that were cut; 0 where there is nothing to show. */
uint64_t candidate_passes(const struct thread *thread, unsigned number);

/*
 * Whether loop NUMBER is no more than what a recursion does at one of its levels: most of its
 * passes are like no other.
 */
bool candidate_is_erratic_async(const struct thread *thread, unsigned number);

/* The loop that has taken most of the time up to NS; LOOPS_NONE if none has taken half of it.
 */
unsigned candidate_longest(struct search *search, int64_t ns);

#endif
