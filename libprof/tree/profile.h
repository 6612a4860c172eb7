/*
 * Numbers of call paths: one profile is an array over the cells of a thread's tree.
 *
 * A profile can be emptied in no time: a node's cells count as zero until the node is touched
 * in the current epoch.  Owned by the tree's thread, under the same rules as the tree.
 */
#ifndef TSPROF_PROFILE_H
#define TSPROF_PROFILE_H

#include "tree/cct.h"

struct profile {
    int64_t *values;   /* by cell */
    uint32_t *stamps;  /* by node: the epoch in which its cells were last cleared */
    uint32_t *touched; /* nodes touched in this epoch, in order of the first touch */
    uint32_t touched_count;
    uint32_t epoch;
    uint32_t node_capacity;
};

/* An empty profile over TREE; false when the arena is used up. */
__attribute__((warn_unused_result)) bool
profile_create(struct profile *profile, const struct cct *tree, struct arena *arena);

/* Forgets all numbers. */
void profile_clear_async(struct profile *profile);

/* Clears the cells of a node that has not been touched in this epoch. */
void profile_touch_async(struct profile *profile, const struct cct *tree, uint32_t node);

/* The cells of NODE, ready to be added to. */
static inline int64_t *profile_cells_async(struct profile *profile, const struct cct *tree,
                                           uint32_t node)
{
    if (__builtin_expect(profile->stamps[node] != profile->epoch, 0))
        profile_touch_async(profile, tree, node);
    return profile->values + tree->nodes[node].cell;
}

/* The cells of one node and which of them is whose: for whoever adds to several metrics. */
struct node_cells {
    int64_t *values;
    const uint8_t *cell_of;
};

/* Valid as long as PROFILE is not cleared. */
static inline struct node_cells profile_node_async(struct profile *profile,
                                                   const struct cct *tree, uint32_t node)
{
    int64_t *values = profile_cells_async(profile, tree, node);
    return (struct node_cells){values, layout_table[tree->nodes[node].layout].cell_of};
}

/* Adds to a metric, which must be in the node's layout. */
static inline void node_cells_add(struct node_cells cells, enum metric metric, int64_t value)
{
    cells.values[cells.cell_of[metric]] += value;
}

/* Adds to one metric of a node, which must be in its layout. */
static inline void profile_add_async(struct profile *profile, const struct cct *tree,
                                     uint32_t node, enum metric metric, int64_t value)
{
    node_cells_add(profile_node_async(profile, tree, node), metric, value);
}

/*
 * Adds VISITS, 0 for part of one, and NS, as METRIC, to the node of an MPI function, or to the
 * one that takes what has none.
 */
static inline void profile_add_call_async(struct profile *profile, const struct cct *tree,
                                          uint32_t node, enum metric metric, int64_t ns,
                                          int64_t visits)
{
    struct node_cells cells = profile_node_async(profile, tree, node);
    bool mpi = tree->nodes[node].kind == NODE_MPI;
    cells.values[mpi ? MPI_TIME_CELL : cells.cell_of[metric]] += ns;
    cells.values[mpi ? MPI_VISITS_CELL : cells.cell_of[METRIC_visits]] += visits;
}

/* The metric of the n-th cell of NODE. */
static inline enum metric profile_metric_async(const struct node *node, unsigned n)
{
    enum metric metric = (enum metric)layout_table[node->layout].metric_of[n];
    return metric == METRIC_time ? (enum metric)node->time_metric : metric;
}

/* Adds all of FROM to INTO, both over TREE. */
void profile_accumulate_async(struct profile *into, const struct profile *from,
                              const struct cct *tree);

/*
 * Makes NOW what has changed in it since it was BEFORE, and BEFORE what NOW was: both over TREE
 * and, of the same nodes, with values that only NOW has had added to.  What has not changed is
 * untouched.
 */
void profile_take_change_async(struct profile *now, struct profile *before,
                               const struct cct *tree);

/* The node that CELL belongs to, which must be FIRST or one with a higher number. */
uint32_t profile_node_of_cell_async(const struct cct *tree, uint32_t first, uint32_t cell);

/*
 * Moves COUNT cells, with strictly ascending numbers CELLS and these VALUES, from one profile
 * over TREE to another.
 */
void profile_move_cells_async(struct profile *into, struct profile *from,
                              const struct cct *tree, const uint32_t *cells,
                              const int64_t *values, size_t count);

/* Sorts the touched nodes into ascending order. */
void profile_sort_touched_async(struct profile *profile);

#endif
