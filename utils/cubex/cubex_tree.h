/*
 * The call tree of a CUBE file.  It has nodes for call paths.  At the place of the phase whose
 * iterations are kept apart it has a node with a child for every block (cubex_series.h), and
 * below that child the call paths of the block; with CUBEX_CLUSTERS those of all blocks, below
 * each of them.  CubeLib joins the clusters of an iteration's processes into one subtree, and
 * where one of them lacks a call path that another has below the topmost ones, it puts the
 * node's copy below itself and counts it twice.
 *
 * CubeLib makes room for the nodes that it shows, but looks values up by the numbers of those
 * that are stored.  These are no more, as there are no more blocks than iterations.
 *
 * Siblings differ in name or call site, since CubeLib tells them apart by nothing else when it
 * expands clusters.  The node with the blocks has no other children, since CubeLib would drop
 * them; everything else that was measured in the phase is below a sibling of that node.
 */
#ifndef TSPROF_CUBEX_TREE_H
#define TSPROF_CUBEX_TREE_H

#include "cubex/cubex_series.h"
#include "query/query.h"

struct cubex_node {
    uint32_t parent; /* an earlier node; SUMMARY_NONE for node 0 */
    uint32_t path;   /* in `paths`; SUMMARY_NONE for the node that has the blocks */
    uint32_t block;  /* the block that it belongs to, or CUBEX_BASE */
};

struct cubex_tree {
    struct path_tree *paths;  /* by line */
    struct cubex_node *nodes; /* in depth-first order */
    size_t count;             /* at most CUBEX_MOST_NODES */
    uint32_t holder;          /* the node that has the blocks, or SUMMARY_NONE */
    uint32_t top;             /* the path at the top of each block, or SUMMARY_NONE */
    bool gathers; /* `top` is a common ancestor: the phase was begun in several places */
    uint32_t *block_nodes; /* the topmost node of each block */
};

#define CUBEX_MOST_NODES ((size_t)1 << 24)

/*
 * Makes the tree of all call paths that have a value of a counted metric (cubex_metrics.h) in
 * SERIES, on the selected locations.  False, and ERROR, if it is too large.
 */
bool cubex_tree_make(struct cubex_tree *tree, const struct selection *selection,
                     const struct cubex_series *series, const bool *counted,
                     struct error *error);
void cubex_tree_free(struct cubex_tree *tree);

#endif
