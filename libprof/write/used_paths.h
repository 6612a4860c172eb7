/*
 * Which call paths hold anything: only those, and what is above them, go into the summary.
 *
 * A call path can be left without numbers: it was looked up and then nothing came of it, what
 * it had moved elsewhere, or it is the place for what found no memory and nothing did.  What
 * was measured once stays in the sums of its cluster and of the run, so while the program runs
 * nothing can be removed.
 *
 * Program context, after the thread has been stopped.
 */
#ifndef TSPROF_USAGE_H
#define TSPROF_USAGE_H

#include "iterations/iterations.h"

/*
 * Marks in USED, as long as the tree of THREAD and empty, the nodes that have a value in a
 * profile that is written: of the whole run, of what lies outside iterations, of a cluster.
 */
void used_paths_find(const struct thread *thread, bool *used);

/*
 * Marks what is above the marked nodes of TREE, too, and the root.  Above a node with a place
 * in PLACED (placement.h; NULL: none has) nothing has to be.
 */
void used_paths_spread(const struct cct *tree, const uint32_t *placed, bool *used);

#endif
