/*
 * The call tree of a CUBE file: nodes for call paths and, in the place of the phase whose
 * iterations are kept apart, a node with a child for every block (cubex_series.h), below which
 * the call paths of the block stand.
 *
 * Siblings differ in name or call site: CubeLib tells them apart by nothing else when it
 * expands clusters.  Below the node with the blocks there is nothing but blocks, since CubeLib
 * drops it: what else was measured in the phase is below a sibling of that node.
 */
#ifndef TSPROF_CUBEX_TREE_H
#define TSPROF_CUBEX_TREE_H

#include "cubex/cubex_series.h"
#include "query/query.h"

struct cubex_node {
    uint32_t parent; /* an earlier node; SUMMARY_NONE for node 0 */
    uint32_t path;   /* in `paths`; SUMMARY_NONE for the node that holds the blocks */
    uint32_t block;  /* or CUBEX_BASE */
};

struct cubex_tree {
    struct path_tree *paths;  /* by line */
    struct cubex_node *nodes; /* each before those below it, each subtree together */
    size_t count;             /* at most CUBEX_MOST_NODES */
    uint32_t holder;          /* the node that holds the blocks, or SUMMARY_NONE */
    uint32_t top;             /* the path that each block stands for, or SUMMARY_NONE */
    bool gathers;          /* that is not the phase's own, which was begun in several places */
    uint32_t *block_nodes; /* the node of each block: of the first path of its subtree */
};

#define CUBEX_MOST_NODES ((size_t)1 << 24)

/*
 * The tree of what has a value of a counted metric (cubex_metrics.h) in SERIES, on the
 * locations of SELECTION.  False, and why, if it is too large.
 */
bool cubex_tree_make(struct cubex_tree *tree, const struct selection *selection,
                     const struct cubex_series *series, const bool *counted,
                     struct error *error);
void cubex_tree_free(struct cubex_tree *tree);

#endif
