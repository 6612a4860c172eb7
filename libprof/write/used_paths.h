/*
 * Finds which call paths hold any value: only these, and those above them, go into the summary.
 *
 * A call path can remain empty: it was looked up but never measured, its values were moved
 * elsewhere, or it was made to hold what finds no memory and never had to.  While the program
 * runs no path can be removed, since what was once measured stays in the sums of its cluster
 * and of the run.
 *
 * Program context, after the thread has been stopped.
 */
#ifndef TSPROF_USED_PATHS_H
#define TSPROF_USED_PATHS_H

#include "iterations/iterations.h"

/*
 * Marks in USED the nodes of THREAD that have a value in any profile that is written: of the
 * whole run, of what lies outside iterations, of a cluster.  USED is as long as the tree, and
 * all false before.
 */
void used_paths_find(const struct thread *thread, bool *used);

/*
 * Also marks everything above the marked nodes of TREE, and the root.  Above a node that has a
 * place in PLACED (assemble/placement.h; NULL: no node has one) nothing needs to be marked.
 */
void used_paths_spread(const struct cct *tree, const uint32_t *placed, bool *used);

#endif
