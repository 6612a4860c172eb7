/*
 * Finds where the call paths of OpenMP's worker threads belong: under the parallel region, on
 * the thread that opened it.
 *
 * A worker's stack begins in the OpenMP runtime, which calls the region's outlined function.
 * The opening thread calls the same function from the same runtime, but below its own call
 * path.  So if there is only one such path, it is the worker's as well.  In the same way the
 * phases that a thread follows are placed where they are on the thread that marks them.
 *
 * The runtime places the threads of a process that ends normally, the command those of a
 * process that was killed.  Each describes its trees in its own way; see placement_tree.
 */
#ifndef TSPROF_PLACEMENT_H
#define TSPROF_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>

enum { PLACEMENT_NONE = UINT32_MAX, PLACEMENT_ROOT = 0 };

enum placement_kind {
    PLACEMENT_FUNCTION,
    PLACEMENT_PHASE,
    PLACEMENT_ARTIFICIAL, /* what tsprof shows in place of functions: nothing begins below it */
    PLACEMENT_OTHER
};

struct placement_node {
    uint32_t parent; /* a smaller number than the node's own */
    enum placement_kind kind;
    /* Two nodes, of one tree or of both, stand for the same function, phase or MPI function if
     * their kinds, these numbers and the names are the same. */
    uint64_t region[2];
    const char *name; /* never NULL */
    const char
        *file;     /* path of the program or library that a function lies in; NULL: unknown */
    bool kept;     /* a phase whose iterations are kept */
    bool followed; /* a phase that another thread marks */
};

/* A call tree of one thread.  NODE describes one of its nodes, but not the root; what the
 * description points to lives as long as the tree. */
struct placement_tree {
    const void *tree;
    uint32_t node_count;
    struct placement_node (*node)(const void *tree, uint32_t number);
};

/*
 * Fills PLACED, which has an entry for each node of WORKER.  For the function of a parallel
 * region, or a phase that the worker follows, the entry is the node of OPENER's tree whose
 * place it takes; for all others, and where the place is not known, PLACEMENT_NONE.  Trees that
 * would take minutes, as only a damaged file's do, are placed in part.  Allocates nothing; any
 * context in which NODE may be called.
 */
void placement_find(const struct placement_tree *worker, const struct placement_tree *opener,
                    uint32_t *placed);

#endif
