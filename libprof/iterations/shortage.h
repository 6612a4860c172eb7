/*
 * What becomes of iterations that there is no memory for.  All of it is by the thread that
 * holds the context.
 */
#ifndef TSPROF_ITERATIONS_SHORTAGE_H
#define TSPROF_ITERATIONS_SHORTAGE_H

#include "compress/clustering.h"
#include "timeline/timeline.h"

#include <stdbool.h>

/*
 * A clustering had no memory for an iteration: notes whether that means that it is LOST, and
 * whether the equivalence was RELAXED.
 */
void shortage_note_async(struct thread *thread, bool lost, bool relaxed);

/*
 * LOST was to be an iteration that is not nested in another, and no cluster has taken it: moves
 * it from the sum of all iterations to what lies outside of them.  Where there is no memory for
 * its call paths there, it is added to other call paths.
 */
void shortage_move_outside_async(struct thread *thread, const struct iteration_profile *lost);

/* There is no memory to list an iteration of SERIES: it gets no profile. */
void shortage_skip_async(struct thread *thread, uint32_t series);

#endif
