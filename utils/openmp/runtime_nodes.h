/* Which call paths are in the OpenMP runtime.  For openmp.c. */
#ifndef TSPROF_RUNTIME_NODES_H
#define TSPROF_RUNTIME_NODES_H

#include "file/file.h"

#include <stdbool.h>

/*
 * A flag for each node: its function is one of the OpenMP runtime, or one of the C library that
 * works for it, as where a thread sleeps.  The summary's own; NULL if there is no such node.
 */
bool *runtime_nodes_find(struct summary *summary);

/* A flag for each node: it is below one of those, or one of them; for the caller to free(). */
bool *runtime_nodes_below(const struct summary *summary, const bool *nodes);

#endif
