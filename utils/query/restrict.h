/*
 * Cuts a summary down to a part of its call tree.
 */
#ifndef TSPROF_RESTRICT_H
#define TSPROF_RESTRICT_H

#include "file/file.h"

/*
 * Removes from all profiles of SUMMARY, those of whole runs and those of clusters, every value
 * that is not on one of NODES (a flag for each node of the file).  Wall times stay as they are.
 */
void summary_restrict(struct summary *summary, const bool *nodes);

#endif
