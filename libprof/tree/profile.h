/*
 * The metrics of call paths: a profile is an array over the cells of a thread's tree.
 *
 * Emptying a profile takes no time: a node's cells count as zero until the node is touched
 * again.  Nor does freezing it, so that it can be read as it was at one instant while the
 * program goes on: only what is changed meanwhile is kept aside, node by node.  Both are told
 * by the epoch in which a node was last touched.  A profile belongs to the tree's thread, under
 * the same rules as the tree.
 */
#ifndef TSPROF_PROFILE_H
#define TSPROF_PROFILE_H

#include "tree/cct.h"

/*
 * Memory for what a frozen profile was, of nodes that have changed since, and the epochs that
 * it was frozen in.
 */
struct profile_kept {
    int64_t *values;  /* by cell; NULL: the profile cannot be frozen */
    uint32_t *stamps; /* by node: the `epoch` below in which it was kept; 0: it never was */
    uint32_t since, epoch; /* nodes with a stamp from `since` to `epoch` were there; 0: not
                              frozen */
    uint32_t nodes;        /* how many have ever been kept */
    size_t drawn;          /* bytes drawn from the budget for them */
    bool spoilt;           /* there was too little memory: what it was is not known any more */
};

struct profile {
    int64_t *values;   /* by cell */
    uint32_t *stamps;  /* by node: the epoch in which it was last touched */
    uint32_t *touched; /* nodes touched since the profile was empty, in that order */
    uint32_t touched_count;
    uint32_t since; /* the epoch in which the profile was empty */
    uint32_t epoch; /* nodes are touched once in each */
    uint32_t node_capacity;
    struct profile_kept kept;
};

/*
 * Makes an empty profile over TREE, as long as the tree can become; false if the arena is used
 * up.
 */
__attribute__((warn_unused_result)) bool
profile_create_async(struct profile *profile, const struct cct *tree, struct arena *arena);

/*
 * Bytes that a profile over TREE takes if all of the call paths that there are occur in it, or
 * if NODES of them do, with as many cells as they have on average.
 */
size_t profile_bytes_async(const struct cct *tree);
size_t profile_bytes_of_async(const struct cct *tree, uint32_t nodes);

/* Empties the profile. */
void profile_clear_async(struct profile *profile);

/*
 * Bytes that are used of what was drawn so that PROFILE can be frozen, and those that may still
 * be touched without drawing.
 */
size_t profile_kept_used_async(const struct profile *profile);
size_t profile_kept_granted_async(const struct profile *profile);

/* Bytes of address space that profile_allow_freezing_async takes of its arena. */
size_t profile_kept_bytes_async(const struct cct *tree);

/*
 * Gives PROFILE what it takes to freeze it, once.  Returns false, and it cannot be frozen, if
 * the arena is used up.
 */
bool profile_allow_freezing_async(struct profile *profile, const struct cct *tree,
                                  struct arena *arena);

/*
 * From now on profile_then_async says what PROFILE is now, until it is released.  It must not
 * be frozen already.  Returns false if it cannot be frozen.
 */
bool profile_freeze_async(struct profile *profile);
void profile_release_async(struct profile *profile);

/* Whether NODE has been touched since PROFILE was empty. */
static inline bool profile_has_async(const struct profile *profile, uint32_t node)
{
    return profile->stamps[node] >= profile->since;
}

/*
 * The cells of NODE as they were when PROFILE was frozen, or as they are if it is not frozen;
 * NULL if the node was not in it.
 */
static inline const int64_t *profile_then_async(const struct profile *profile,
                                                const struct cct *tree, uint32_t node)
{
    const struct profile_kept *kept = &profile->kept;
    const uint32_t stamp = profile->stamps[node], cell = tree->nodes[node].cell;
    if (!kept->epoch)
        return stamp >= profile->since ? profile->values + cell : NULL;
    if (stamp >= kept->since && stamp <= kept->epoch)
        return profile->values + cell;
    /* Where nothing has been kept no page of the stamps is touched. */
    return kept->nodes && kept->stamps[node] == kept->epoch ? kept->values + cell : NULL;
}

/* Makes NODE, which has not been touched in this epoch yet, one that can be added to. */
void profile_touch_async(struct profile *profile, const struct cct *tree, uint32_t node);

/* The cells of NODE, ready to be added to. */
static inline int64_t *profile_cells_async(struct profile *profile, const struct cct *tree,
                                           uint32_t node)
{
    if (__builtin_expect(profile->stamps[node] != profile->epoch, 0))
        profile_touch_async(profile, tree, node);
    return profile->values + tree->nodes[node].cell;
}

/* The cells of one node and the metric of each, for adding to several metrics. */
struct node_cells {
    int64_t *values;
    const uint8_t *cell_of;
};

/* The cells of NODE, ready to be added to; valid until PROFILE is cleared. */
static inline struct node_cells profile_node_async(struct profile *profile,
                                                   const struct cct *tree, uint32_t node)
{
    int64_t *values = profile_cells_async(profile, tree, node);
    return (struct node_cells){values, layout_table[tree->nodes[node].layout].cell_of};
}

/*
 * Adds VALUE to a metric, which must be in the node's layout.  Otherwise it would be added to
 * another node's cell; the runtime that tests build with the address sanitizer stops instead.
 */
static inline void node_cells_add(struct node_cells cells, enum metric metric, int64_t value)
{
#ifdef __SANITIZE_ADDRESS__
    if (cells.cell_of[metric] == NO_CELL)
        __builtin_trap();
#endif
    cells.values[cells.cell_of[metric]] += value;
}

/* Adds VALUE to one metric of NODE, which must be in its layout. */
static inline void profile_add_async(struct profile *profile, const struct cct *tree,
                                     uint32_t node, enum metric metric, int64_t value)
{
    node_cells_add(profile_node_async(profile, tree, node), metric, value);
}

/*
 * Adds a call to the node of an MPI function, or to the node of other call paths: NS
 * nanoseconds, which count as METRIC, and VISITS, which is 0 for a part of a call.
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

/*
 * Adds FROM to INTO, both over TREE: all of it, or of the nodes that were touched those from
 * the FIRSTth up to, but not including, the ENDth.
 */
void profile_accumulate_part_async(struct profile *into, const struct profile *from,
                                   const struct cct *tree, uint32_t first, uint32_t end);
void profile_accumulate_async(struct profile *into, const struct profile *from,
                              const struct cct *tree);

/* The node that CELL belongs to; its number must be FIRST or higher. */
uint32_t profile_node_of_cell_async(const struct cct *tree, uint32_t first, uint32_t cell);

/*
 * Moves VALUES, one for each of COUNT cells, from profile FROM to profile INTO, both over TREE.
 * CELLS are the cells' numbers, strictly ascending.
 */
void profile_move_cells_async(struct profile *into, struct profile *from,
                              const struct cct *tree, const uint32_t *cells,
                              const int64_t *values, size_t count);

/*
 * The same values, but INTO gets them as those of other call paths (tree->other), which takes
 * no memory.
 */
void profile_join_cells_async(struct profile *into, struct profile *from,
                              const struct cct *tree, const uint32_t *cells,
                              const int64_t *values, size_t count);

/* Adds all of FROM to INTO as values of other call paths. */
void profile_join_async(struct profile *into, const struct profile *from,
                        const struct cct *tree);

/* Lists the touched nodes by their stamps, in ascending order, where the list may be wrong. */
void profile_list_anew_async(struct profile *profile, const struct cct *tree);

/* How far sorting the touched nodes has come; all 0 at first. */
struct profile_sorting {
    uint32_t next;    /* the next of them, or the next node */
    uint32_t listed;  /* how many nodes have been listed anew */
    uint32_t highest; /* of those that have been looked at */
    uint64_t moves;
    bool lists; /* they are listed anew, by their stamps */
};

/*
 * Goes on sorting the touched nodes of PROFILE, which is over TREE, into ascending order; looks
 * at about MOST of them.  Returns true once they are sorted.
 */
bool profile_sort_some_async(struct profile *profile, const struct cct *tree,
                             struct profile_sorting *sorting, uint32_t most);

#endif
