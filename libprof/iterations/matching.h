/*
 * Which call paths TSPROF_ITERATION means.
 *
 * Names are looked up when a node of the call tree is first arrived at, once for each function:
 * the program waits meanwhile, some milliseconds in all, and only where TSPROF_ITERATION names
 * functions.  By the watched thread, in program context; keeps what it found for good.
 */
#ifndef TSPROF_MATCHING_H
#define TSPROF_MATCHING_H

#include "tree/tree.h"
#include "common/iteration_spec.h"

#include <stdbool.h>
#include <stdint.h>

/* What a node is to the items of TSPROF_ITERATION: a bit for each. */
struct node_mark {
    uint8_t inside; /* functions on the path that are meant */
    uint8_t begins; /* an MPI call whose path is meant */
    bool known;     /* the rest is filled in */
};

/* Makes room for as many nodes as TREE can have; false when there is none. */
bool matching_start(const struct iteration_spec *spec, const struct cct *tree);

/* What NODE of TREE is, found out now if that has not been done. */
const struct node_mark *matching_mark(const struct cct *tree, uint32_t node);

#endif
