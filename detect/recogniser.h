/*
 * The inside of a recogniser of loops (loops.h): its memory, and the functions that its files
 * call of each other.
 *
 *     sites.c       what is known of call paths: ancestry, what the machine code says
 *     passes.c      what has come in the frames on the stack, which passes are open
 *     recurrence.c  what a token that comes again means: of which loop, its border
 *     loops.c       following the calls from frame to frame
 *
 * Each uses only those above it.  For these files only.  What loops.h says holds for all of
 * them: one thread at a time, no memory but what loops_start was given.  Nodes, tokens and
 * leaves are numbers of call paths; depths are distances from the root.  Nothing here fails:
 * what there is no room for is forgotten.
 */
#ifndef TSPROF_RECOGNISER_H
#define TSPROF_RECOGNISER_H

#include "detect/loops.h"

enum {
    ITEMS_MOST = 512,
    DEEPEST = 192,       /* depth to which call paths are looked at */
    AROUNDS_MOST = 1024, /* distinct answers of the machine code that are kept */
    NO_ITEM = -1
};

#define NO_NODE UINT32_MAX

/* The loops around a call, innermost first: many calls have the same. */
struct around {
    uint64_t loops[LOOPS_AROUND_MOST];
    int count; /* -1: unknown */
    bool used;
};

/* A token that has come since its frame was entered, or since the pass of its loop began. */
struct item {
    uint32_t token;
    uint32_t depth;
    uint32_t leaf;  /* call path that it first came with */
    uint32_t times; /* how often it came again */
    uint64_t passes_before;
    uint8_t preference; /* PREFERENCE of that call path */
    uint8_t loop;       /* loop whose header it is, or LOOPS_NONE */
    bool fresh;         /* never seen before */
    bool had_border;    /* the loop's border has come in this pass */
};

/* A pass that has begun. */
struct open_pass {
    uint64_t number; /* number among all passes opened */
    uint8_t loop;
    int item;       /* index of the header's item */
    uint32_t depth; /* depth of the calls of the function that has the loop */
    uint32_t header;
};

/* What is known of a call path, apart from what every call needs (struct loops_node). */
struct known {
    uint32_t depth;      /* plus one; 0: not known yet */
    uint32_t regular;    /* pass of the outermost loop in which it last came */
    uint32_t regular_in; /* and the era of that pass; 0: it never came */
    uint16_t around;     /* index in `arounds`, plus one */
    uint8_t header_of;   /* loop whose header it is, plus one */
    uint8_t border_of;
};

struct loops_rest {
    struct known *known; /* by call path */
    struct loops_config config;
    struct loop loops[LOOPS_MOST];
    uint32_t serials;
    struct item items[ITEMS_MOST];
    int count;
    int active; /* index of the outermost item with a loop; NO_ITEM */
    struct open_pass open[LOOPS_NESTED];
    int open_count;
    uint64_t passes;                /* passes opened so far */
    uint32_t deepest;               /* depth to which calls are looked at */
    uint64_t arrivals[DEEPEST + 1]; /* by depth of the first new node */
    uint32_t path[DEEPEST + 1];
    struct around arounds[AROUNDS_MOST]; /* a hash table */
    bool news;                           /* the set of known loops has changed */
    bool moved;                          /* the call has changed something: it is not quiet */
};

/* Call paths.  In sites.c, except what each call of the program needs. */

/* Answers from the machine code. */
enum answer { UNKNOWN, NO, YES };

/* The parent of NODE, which is not the root. */
static inline uint32_t site_parent(const struct loops_rest *rest, uint32_t node)
{
    return rest->config.parent(rest->config.context, node);
}

/* The depth of NODE, which is remembered from then on. */
static inline uint32_t site_depth(struct loops_rest *rest, uint32_t node)
{
    uint32_t above = 0, at = node;
    for (; at != 0 && rest->known[at].depth == 0; at = site_parent(rest, at))
        above++;
    const uint32_t depth = above + (at ? rest->known[at].depth - 1 : 0);
    rest->known[node].depth = depth + 1;
    return depth;
}

/* The ancestor of NODE at DEPTH; NODE itself if that is no deeper. */
static inline uint32_t site_ancestor(struct loops_rest *rest, uint32_t node, uint32_t depth)
{
    for (uint32_t at = site_depth(rest, node); at > depth; at--)
        node = site_parent(rest, node);
    return node;
}

/* The depth of the innermost node that two call paths share. */
uint32_t site_common_depth(struct loops_rest *rest, uint32_t a, uint32_t b);

/*
 * Whether the machine code has a loop around the calls of TOKEN, in the function that makes
 * them.
 */
enum answer site_in_loop(struct loops_rest *rest, uint32_t token);

/*
 * Whether SIBLING, another call of the same function, is in the loop by which TOKEN comes
 * again.  If that loop is not in this function, all calls of the function are in it.
 */
enum answer site_in_loop_of(struct loops_rest *rest, uint32_t token, uint32_t sibling);

/* Whether two calls of a function are known to share no loop. */
bool site_is_apart(struct loops_rest *rest, uint32_t token, uint32_t sibling);

/* Items and open passes, both with the innermost last.  In passes.c. */

/* Ends all open passes from index KEEP on. */
static inline void passes_close(struct loops_rest *rest, int keep)
{
    rest->open_count = keep < rest->open_count ? keep : rest->open_count;
}

/* Ends the passes of loops that are left by a call of TOKEN at DEPTH. */
void passes_leave(struct loops_rest *rest, uint32_t depth, uint32_t token);

/* Begins a pass of the loop whose header is item INDEX, and ends those inside it. */
void passes_begin(struct loops_rest *rest, int index);

/*
 * The item of TOKEN among those of its frame, at DEPTH, which are the last ones; NO_ITEM if
 * TOKEN has not come, or too long ago.
 */
int items_find(const struct loops_rest *rest, uint32_t depth, uint32_t token);

/*
 * Adds an item for TOKEN, which has come at DEPTH with LEAF for the first time since its frame
 * was entered.  If it is the border of a known loop, a pass of that loop begins.  PREFERENCE:
 * see loops_arrive.
 */
void items_push(struct loops_rest *rest, uint32_t depth, uint32_t token, uint32_t leaf,
                unsigned preference);

/* Drops the items from index COUNT on, and ends the passes of their loops. */
void items_drop(struct loops_rest *rest, int count);

/* Ends the loops in the same function that do not contain TOKEN: they have been left. */
void items_leave(struct loops_rest *rest, uint32_t depth, uint32_t token);

/*
 * Ends the passes of the loops of items FIRST to LAST - 1, which have been left, and those
 * inside them.
 */
void items_end_loops(struct loops_rest *rest, int first, int last);

/* Removes items FIRST to LAST - 1; no loop of these may have an open pass. */
void items_remove(struct loops_rest *rest, int first, int last);

/* Tokens that come again.  In recurrence.c. */

/*
 * To be called when item INDEX comes again, with LEAF.  Either it is the header of a loop,
 * which is added if it is new, and a pass begins if this is the loop's border; or it is only
 * part of a loop that has another header.  What came after it is dropped.  PREFERENCE: see
 * loops_arrive.
 */
void recurrence_arrive(struct loops_rest *rest, int index, uint32_t leaf, unsigned preference);

#endif
