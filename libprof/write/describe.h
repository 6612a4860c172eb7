/*
 * What this process's numbers refer to, in terms that hold in every process (definitions.h):
 * its call trees, phases and counters.  Program context; memory from malloc.
 */
#ifndef TSPROF_DESCRIBE_H
#define TSPROF_DESCRIBE_H

#include "tree/tree.h"
#include "assemble/definitions.h"
#include "host/host.h"

/*
 * Adds TREE, as far as it is USED (as long as the tree; used_paths.h); NODE_MAP (as long, too)
 * receives the number of each of its used nodes.  A node to which NODE_MAP gives a number
 * already, and not DEFINITION_NONE, has that.
 */
void describe_tree(struct definitions *definitions, const struct modmap *modules,
                   const struct cct *tree, const bool *used, uint32_t *node_map);

/* Adds the phases; PHASE_MAP (PHASES_MOST long) receives their numbers. */
void describe_phases(struct definitions *definitions, uint32_t *phase_map);

/* Adds what this process counts; COUNTER_MAP (counters_count long) receives the numbers. */
void describe_counters(struct definitions *definitions, uint32_t *counter_map);

#endif
