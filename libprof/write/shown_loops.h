/*
 * Has the processes choose together which of the loops that they have found (loop search,
 * search.h) are shown as iterations, and of how many passes.  What each has found is merged up
 * the tree of ranks, and the choice is broadcast down.  A process that does not have the main
 * loop shows one of its own instead, if that has as many passes, so that masters and other
 * programs of a job have iterations as well.
 *
 * At the end, when no thread measures any more; program context.
 */
#ifndef TSPROF_SHOWN_LOOPS_H
#define TSPROF_SHOWN_LOOPS_H

#include "library/library.h"

/*
 * Chooses the loops that are shown.  Collective: every process calls it, whether it has found
 * loops or not.  If no loop is shown, slices of time are, equally many on all processes.
 */
void shown_loops_agree(struct rank_tree *ranks);

/*
 * Chooses for this process alone, for its part, when the others cannot be reached.  Later calls
 * of shown_loops_agree change nothing.
 */
void shown_loops_agree_alone(void);

#endif
