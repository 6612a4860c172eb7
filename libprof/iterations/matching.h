/*
 * Finds out which call paths the items of TSPROF_ITERATION name.
 *
 * The name of each function is looked up once, when the first call arrives from a node of it.
 * The program waits meanwhile, some milliseconds in all, and only if TSPROF_ITERATION names
 * functions.  For the watched thread, in program context.  What was found is kept until the
 * process ends.
 */
#ifndef TSPROF_MATCHING_H
#define TSPROF_MATCHING_H

#include "common/iteration_spec.h"
#include "tree/tree.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What a node of the call tree means to the items of TSPROF_ITERATION, one bit for each item.
 */
struct node_mark {
    uint8_t inside; /* the item names a function on the path */
    uint8_t begins; /* the item names this MPI call or its path */
    bool known;     /* the other two are filled in */
};

/*
 * Gets memory for the marks of as many nodes as TREE can have.  Returns false if there is none.
 */
bool matching_start(const struct iteration_spec *spec, const struct cct *tree);

/* The mark of NODE of TREE, which is found now if it is not known yet.  Preserves errno. */
const struct node_mark *matching_mark(const struct cct *tree, uint32_t node);

#endif
