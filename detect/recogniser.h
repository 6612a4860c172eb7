/*
 * A recogniser of loops (loops.h) from the inside: what it remembers, and what the files that
 * it is built from do for each other.
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
    DEEPEST = 192,       /* call paths are looked at so far from the root */
    AROUNDS_MOST = 1024, /* different answers that are remembered */
    NO_ITEM = -1
};

#define NO_NODE UINT32_MAX

/* The loops around a call, innermost first: many calls have the same. */
struct around {
    uint64_t loops[LOOPS_AROUND_MOST];
    int count; /* -1: that cannot be said */
    bool used;
};

/* A token that has come since its frame was entered, or since the loop's pass began. */
struct item {
    uint32_t token;
    uint32_t depth;
    uint32_t leaf;  /* call path that it first came with */
    uint32_t times; /* that it came again */
    uint64_t passes_before;
    uint8_t preference; /* of that call path */
    uint8_t loop;       /* that it is the header of; LOOPS_NONE */
    bool fresh;         /* never seen before */
    bool had_border;    /* in this pass */
};

/* A pass that has begun. */
struct open_pass {
    uint64_t number; /* of all that were opened */
    uint8_t loop;
    int item;       /* index of the header's */
    uint32_t depth; /* of the calls in the function that has the loop */
    uint32_t header;
};

/* Of a call path, beside what is needed at each call. */
struct known {
    uint32_t depth;      /* plus one; 0: not known yet */
    uint32_t regular;    /* pass of the outermost loop in which it was last looked at */
    uint32_t regular_in; /* and when */
    uint16_t around;     /* number of what the machine code says, plus one */
    uint8_t header_of;   /* loop, plus one */
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
    uint64_t passes;                /* opened so far */
    uint32_t deepest;               /* that is looked at */
    uint64_t arrivals[DEEPEST + 1]; /* by depth of what was new, since `deepest` changed */
    uint32_t path[DEEPEST + 1];
    struct around arounds[AROUNDS_MOST]; /* by what they say, mixed */
    bool news;                           /* what is known of loops has changed */
    bool moved;                          /* the call has changed what is to be remembered */
};

/* Call paths, in sites.c but for what each call of the program needs. */

/* What can be said of the machine code. */
enum answer { UNKNOWN, NO, YES };

/* The call path that NODE is called from; not for the root. */
static inline uint32_t site_parent(const struct loops_rest *rest, uint32_t node)
{
    return rest->config.parent(rest->config.context, node);
}

/* How deep NODE is; from then on that is remembered. */
static inline uint32_t site_depth(struct loops_rest *rest, uint32_t node)
{
    uint32_t above = 0, at = node;
    for (; at != 0 && rest->known[at].depth == 0; at = site_parent(rest, at))
        above++;
    const uint32_t depth = above + (at ? rest->known[at].depth - 1 : 0);
    rest->known[node].depth = depth + 1;
    return depth;
}

/* The node at DEPTH on the way from the root to NODE; NODE if that is no deeper. */
static inline uint32_t site_ancestor(struct loops_rest *rest, uint32_t node, uint32_t depth)
{
    for (uint32_t at = site_depth(rest, node); at > depth; at--)
        node = site_parent(rest, node);
    return node;
}

/* Depth of the innermost node that two call paths have in common. */
uint32_t site_common_depth(struct loops_rest *rest, uint32_t a, uint32_t b);

/* Whether the machine code has a loop around the calls of TOKEN, in their function. */
enum answer site_in_loop(struct loops_rest *rest, uint32_t token);

/*
 * Whether SIBLING is part of the loop by which TOKEN comes again: if not of one in the same
 * function, then all that the function calls is.
 */
enum answer site_in_loop_of(struct loops_rest *rest, uint32_t token, uint32_t sibling);

/* Whether two calls of a function are known not to be in any loop together. */
bool site_is_apart(struct loops_rest *rest, uint32_t token, uint32_t sibling);

/* Items and open passes, both innermost last: passes.c. */

/* The passes from number KEEP on are over. */
static inline void passes_close(struct loops_rest *rest, int keep)
{
    rest->open_count = keep < rest->open_count ? keep : rest->open_count;
}

/* Ends the passes of loops that are left by a call of TOKEN at DEPTH. */
void passes_leave(struct loops_rest *rest, uint32_t depth, uint32_t token);

/* A pass of the loop whose header is item INDEX begins; those inside it are over. */
void passes_begin(struct loops_rest *rest, int index);

/*
 * The item of TOKEN among those of its frame, at DEPTH, which are the last ones; NO_ITEM if it
 * has not come, or too long ago.
 */
int items_find(const struct loops_rest *rest, uint32_t depth, uint32_t token);

/*
 * Adds TOKEN, which has come at DEPTH with LEAF for the first time since its frame was entered.
 * Where it is the border of a loop that is known, a pass of that begins.  PREFERENCE: see
 * loops_arrive.
 */
void items_push(struct loops_rest *rest, uint32_t depth, uint32_t token, uint32_t leaf,
                unsigned preference);

/* The items from number COUNT on are gone, and with them what is open of their loops. */
void items_drop(struct loops_rest *rest, int count);

/* Loops beside TOKEN, in the same function, that do not have it have been left. */
void items_leave(struct loops_rest *rest, uint32_t depth, uint32_t token);

/* Loops of items FIRST to LAST - 1 are left: their passes are over, and those inside them. */
void items_end_loops(struct loops_rest *rest, int first, int last);

/* Removes items FIRST to LAST - 1, no loop of which has an open pass. */
void items_remove(struct loops_rest *rest, int first, int last);

/* Tokens that come again: recurrence.c. */

/*
 * Item INDEX has come again, with LEAF.  It is the header of a loop then, of a new one if need
 * be, and a pass of that begins if its border is there; or it is only part of a loop that has
 * another header.  What came after it is dropped.  PREFERENCE: see loops_arrive.
 */
void recurrence_arrive(struct loops_rest *rest, int index, uint32_t leaf, unsigned preference);

#endif
