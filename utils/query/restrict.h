/*
 * Looking at a part of the call tree only.
 */
#ifndef TSPROF_RESTRICT_H
#define TSPROF_RESTRICT_H

#include "file/file.h"

/*
 * Takes what is not on one of NODES (by node of the file) out of all profiles of SUMMARY: whole
 * runs, and clusters.  Wall times stay.
 */
void summary_restrict(struct summary *summary, const bool *nodes);

#endif
