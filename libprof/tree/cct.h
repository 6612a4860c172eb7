/*
 * The calling context tree of one thread.
 *
 * A node is a call path: what was called (a function of the program, known by its first
 * address; an MPI function; a phase; something artificial) and from where (the call site, an
 * address in the parent's function).  Names are looked up later.  Every node owns a run of
 * cells, one for each metric that a node of its kind can have; profiles are arrays over cells.
 * Nodes and cells are only added, and their numbers never change.
 *
 * A tree belongs to one thread.  Its sample handler may call these functions, as long as it
 * never interrupts another of them: struct thread's depth sees to that.
 */
#ifndef TSPROF_CCT_H
#define TSPROF_CCT_H

#include "common/metrics.h"
#include "host/host.h"

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

/* One for each metric: no layout has a metric twice. */
enum { LAYOUT_MOST_CELLS = METRIC_MOST };

struct layout_info {
    uint8_t cells;
    uint8_t counters; /* its first cell that holds a counter; counters come last, and every
                         layout has them */
    uint8_t metric_of[LAYOUT_MOST_CELLS]; /* the metric of the n-th cell */
    uint8_t cell_of[METRIC_MOST];         /* the inverse; NO_CELL where the layout has none */
};

enum { NO_CELL = 0xff };

/* The first cells of every layout of an MPI function. */
enum { MPI_VISITS_CELL, MPI_TIME_CELL };

enum node_kind {
    NODE_FUNCTION,  /* key: the code key of its first address, see known_modules.h */
    NODE_MPI,       /* key: enum mpi_call */
    NODE_PHASE,     /* key: number of the phase */
    NODE_ARTIFICIAL /* key: enum artificial */
};

enum artificial {
    ARTIFICIAL_ROOT,      /* the program */
    ARTIFICIAL_FAILED,    /* unwinding failed here */
    ARTIFICIAL_TRUNCATED, /* the stack was too deep */
    ARTIFICIAL_OTHER      /* no memory for more call paths */
};

/* The name of an artificial node, for instance "program". */
const char *cct_artificial_name_async(enum artificial what);

struct node {
    uint64_t key;
    uint64_t site; /* code key of the return address in the parent, less one; 0 if unknown */
    uint32_t parent;
    uint32_t cell; /* the first of its cells */
    uint8_t kind;  /* enum node_kind */
    uint8_t layout;
    bool inside;          /* below a phase whose instances have profiles of their own */
    bool told;            /* the function itself tells each of its visits, see regions/ */
    uint16_t time_metric; /* of an MPI node: the metric that its time counts as */
    uint32_t recent;      /* the child that was looked for last; 0 if none */
    uint32_t next;        /* the next node in its bucket; 0 if none */
};

struct cct {
    struct node *nodes;
    uint32_t node_count;
    uint32_t node_capacity;
    uint32_t node_granted; /* nodes drawn from the budget so far */
    uint32_t inside_count; /* nodes that are `inside` */
    uint32_t cell_count;
    uint32_t cell_capacity;
    uint32_t *buckets; /* a hash table that grows with the tree: the first node of each list */
    uint32_t bucket_count;
    uint32_t bucket_capacity;
    uint32_t other; /* the node for call paths that no memory was left for */
    bool full;      /* there was such a call path */
};

enum { CCT_ROOT = 0 };

/*
 * Fills the layout table, without counters or with COUNTERS of them.  Call once per process,
 * before the first tree.
 */
void layouts_start(void);
void layouts_start_with(unsigned counters);

/*
 * Bytes of the budget that a node takes, with its cells in profiles (for four nested kept
 * phases) and its share of everything else that is as long as the tree.
 */
size_t cct_bytes_per_node_async(void);

/*
 * Makes NODE, that of a phase, and what will be added below it, nodes that are `inside`.
 */
void cct_begin_inside_async(struct cct *tree, uint32_t node);

/* Bytes of the nodes of TREE and of the table that finds them, without profiles. */
size_t cct_bytes_async(const struct cct *tree);

extern struct layout_info layout_table[LAYOUT_COUNT];

/*
 * Makes an empty tree with its root, for up to NODES nodes as far as the process's budget
 * allows; false if the arena or the budget is used up.
 */
__attribute__((warn_unused_result)) bool cct_create(struct cct *tree, struct arena *arena,
                                                    uint32_t nodes);

/*
 * The child of PARENT with this kind and key, called from SITE; added if it is new.  If the
 * tree is full, returns the node of other call paths, whose layout has every metric.
 */
uint32_t cct_child_async(struct cct *tree, uint32_t parent, enum node_kind kind, uint64_t key,
                         uint64_t site, enum layout layout, enum metric time_metric);

#endif
