/*
 * The calling context tree of one thread.
 *
 * A node is a call path: what was called (a function of the program by its first address, an
 * MPI function, a phase, something artificial) and from where (the call site, an address in the
 * parent's function).  Names come later.  Every node owns a run of cells, one for each metric
 * its kind can have; profiles are arrays over cells.  Nodes and cells are only added, numbers
 * never change.
 *
 * Owned by one thread; functions may be called from its sample handler as long as that never
 * interrupts another of them (struct thread's depth sees to it).
 */
#ifndef TSPROF_CCT_H
#define TSPROF_CCT_H

#include "host/host.h"
#include "common/metrics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which metrics a node can have: rows of layout.def. */
enum layout {
#define LAYOUT(id, ...) LAYOUT_##id,
#include "tree/layout.def"
#undef LAYOUT
    LAYOUT_COUNT
};

enum { LAYOUT_MOST_CELLS = 40 + COUNTERS_MOST };

struct layout_info {
    uint8_t cells;
    uint8_t
        counters; /* its first cell of a counter: they come last, and all layouts have them */
    uint8_t metric_of[LAYOUT_MOST_CELLS]; /* metric of the n-th cell */
    uint8_t cell_of[METRIC_MOST];         /* the inverse; NO_CELL where the layout has none */
};

enum { NO_CELL = 0xff };

/* Of all layouts of MPI functions. */
enum { MPI_VISITS_CELL, MPI_TIME_CELL };

enum node_kind {
    NODE_FUNCTION,  /* key: the code key of its first address, see known_modules.h */
    NODE_MPI,       /* key: enum mpi_call */
    NODE_PHASE,     /* key: number of the phase */
    NODE_ARTIFICIAL /* key: enum artificial */
};

enum artificial {
    ARTIFICIAL_ROOT,      /* the program */
    ARTIFICIAL_FAILED,    /* an unwind did not get further than here */
    ARTIFICIAL_TRUNCATED, /* the stack was too deep */
    ARTIFICIAL_OTHER      /* no memory for more call paths */
};

/* What nodes of that kind are called: "program". */
const char *cct_artificial_name(enum artificial what);

struct node {
    uint64_t key;
    uint64_t site; /* code key of the return address in the parent, less one; 0 if unknown */
    uint32_t parent;
    uint32_t cell; /* its first cell */
    uint8_t kind;  /* enum node_kind */
    uint8_t layout;
    uint16_t time_metric; /* of an MPI node: the metric its time counts as */
    uint32_t recent;      /* the child that was looked for last; 0 if none */
};

struct cct {
    struct node *nodes;
    uint32_t node_count;
    uint32_t node_capacity;
    uint32_t node_granted; /* nodes drawn from the budget so far */
    uint32_t cell_count;
    uint32_t cell_capacity;
    uint32_t *buckets; /* open addressing, node number + 1 */
    uint32_t bucket_mask;
    uint32_t other; /* the node that takes what finds no memory */
    bool full;      /* something found none */
};

enum { CCT_ROOT = 0 };

/* Fills the layout table, without counters or with COUNTERS of them; once per process, before
 * the first tree. */
void layouts_start(void);
void layouts_start_with(unsigned counters);

/*
 * What a node takes of the budget, with its cells in profiles (of four nested kept phases) and
 * its part of all that is as long as the tree.
 */
size_t cct_bytes_per_node(void);

extern struct layout_info layout_table[LAYOUT_COUNT];

/*
 * An empty tree with its root for up to NODES nodes, as far as the process's budget goes; false
 * when the arena or the budget is used up.
 */
__attribute__((warn_unused_result)) bool cct_create(struct cct *tree, struct arena *arena,
                                                    uint32_t nodes);

/*
 * The child of PARENT with this kind and key called from SITE, made if new.  When the tree is
 * full the answer is the node of other paths, whose layout has every metric.
 */
uint32_t cct_child_async(struct cct *tree, uint32_t parent, enum node_kind kind, uint64_t key,
                         uint64_t site, enum layout layout, enum metric time_metric);

#endif
