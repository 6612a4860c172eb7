/*
 * Describes this process's call trees, phases and counters in terms that hold in every process
 * (definitions.h).  Program context; memory from malloc.  Sets DEFINITIONS->failed when that is
 * out.
 */
#ifndef TSPROF_DESCRIBE_H
#define TSPROF_DESCRIBE_H

#include "assemble/definitions.h"
#include "host/host.h"
#include "tree/tree.h"

/*
 * Adds the nodes of TREE that are marked in USED (used_paths.h).  NODE_MAP receives the number
 * of each of them.  Both are as long as the tree.  A node for which NODE_MAP holds a number
 * already, other than DEFINITION_NONE, keeps that number.
 */
void describe_tree(struct definitions *definitions, const struct modmap *modules,
                   const struct cct *tree, const bool *used, uint32_t *node_map);

/* Adds this process's phases; PHASE_MAP (PHASES_MOST long) receives their numbers. */
void describe_phases(struct definitions *definitions, uint32_t *phase_map);

/* Adds this process's counters; COUNTER_MAP (counters_count long) receives their numbers. */
void describe_counters(struct definitions *definitions, uint32_t *counter_map);

#endif
