/*
 * The processes agree which of the loops that they have found (search.h) are shown as iterations,
 * and of how many passes: what they offer goes up the tree of ranks, what is chosen comes down.
 * A process that has not got the main loop shows one of its own in its place, if that has as
 * many passes, so that masters and other programs of a job have iterations, too.
 *
 * At the end, when no thread measures any more; program context.
 */
#ifndef TSPROF_AGREE_H
#define TSPROF_AGREE_H

#include "library/library.h"

/*
 * Collective: everybody calls it, whatever was found.  Where no loop is shown, slices of time
 * are, as many on all processes.
 */
void shown_loops_agree(struct rank_tree *ranks);

/* The same for a process that nobody answers: what it shows in its part.  Later calls of agree
 * change nothing. */
void shown_loops_agree_alone(void);

#endif
