/*
 * The inside of a recogniser of loops (loops.h): its memory, and the functions that its files
 * call of each other.
 *
 *     sites.c       what is known of call paths: ancestry, what the machine code says
 *     passes.c      which passes are open; what has come in frames whose code was not read
 *     known.c       which loops are known
 *     counted.c     passes that only the program's own count tells
 *     coded.c       loops that the machine code has
 *     recurrence.c  where it was not read, what a token that comes again means
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
    OPEN_MOST = 8, /* passes followed inside each other, LOOPS_NESTED of which are told of */
    DEEPEST = 192, /* depth to which call paths are looked at */
    AROUNDS_MOST = 512, /* distinct answers of the machine code that are kept */
    COUNTED_SOMETIMES =
        16,            /* a count that tells nothing new is read in one of so many passes */
    COUNTS_MOST = 256, /* loops that are not known yet, but counted */
    FORGOTTEN_MOST = 256,
    LATE_MOST = 256,     /* calls, while a function is being read */
    ARRIVALS_LEAST = 16, /* calls after which it can be told where to look less */
    NO_ITEM = -1
};

#define NO_NODE UINT32_MAX
#define ERA     (UINT64_C(1) << 32)

/* The loops around a call, innermost first: many calls have the same. */
struct around {
    uint64_t loops[LOOPS_AROUND_MOST];
    int count; /* -1: unknown */
    bool used;
};

/*
 * A token from a frame whose code was not read, which has come since the frame was entered, or
 * since the pass of its loop began.
 */
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
    uint64_t number;        /* number among all passes opened */
    uint64_t passes_before; /* passes of the loop before this run, of a loop in code */
    uint32_t depth;         /* depth of the calls of the function that has the loop */
    uint32_t began;         /* the call path that began it, as deep as is looked */
    const uintptr_t *word;  /* does not hold `stays` when the function is called again; */
    uintptr_t stays;        /* NULL: that is not known */
    uint64_t counted;       /* passes of the loop when its count was read last */
    uint64_t unseen;        /* passes without any call right before this one */
    uint32_t count;         /* the count that was read, */
    bool has_count;         /* if one was */
    int item;               /* index of the header's item; NO_ITEM: a loop in code */
    uint8_t loop;
    bool silent; /* of an ignored loop, or too far in: followed, but nobody is told */
};

/* The last count of a loop that is not known, but of which a pass may have begun unseen. */
struct last_count {
    uint64_t entry; /* 0: there is none */
    uint32_t function;
    uint32_t is;
    uint32_t asked; /* how often it was compared */
};

/* A loop in code that was forgotten, since there was no room for it. */
struct forgotten {
    uint64_t entry; /* 0: there is none */
    uint32_t function;
    uint32_t times; /* how often it was forgotten, or has come since and was not added */
};

/* Calls that were not looked at as deep as they are, one after the other. */
struct late_calls {
    uint32_t node; /* they are taken for this one; 0: there are none */
    uint32_t leaves[LATE_MOST];
    uint32_t count;
    uint32_t checked; /* of them */
    bool is_left;     /* another one has come since */
    bool are_there;   /* the answers */
    bool round;       /* a pass of a loop has, or may have, begun between those checked */
    uint16_t missed;  /* loops that are `missed` and `partly` for that reason alone, sets */
    uint16_t partly;
    bool is_first_above; /* and the function that calls `node` is late_call for that reason */
};

/* What is known of a call path, apart from what every call needs (struct loops_node). */
struct known {
    uint32_t depth;      /* plus one; 0: not known yet */
    uint32_t regular;    /* pass of the outermost loop in which it last came */
    uint32_t regular_in; /* and the era of that pass; 0: it never came */
    uint16_t around;     /* index in `arounds`, plus one */
    uint8_t outer;       /* whether a loop may be further out: 1 no, 2 yes; 0: not looked */
    bool counting : 1;   /* a loop of the function that it ends in had a last_count */
    bool late : 1;       /* calls were not looked at further in, since answers were late, */
    bool late_call : 1;  /* or further in than a call of the function that it ends in */
    uint32_t round;    /* call that began a round of those its function makes from one place */
    uint16_t loops;    /* known loops in the code of the function that it ends in, a set */
    uint8_t header_of; /* loop whose header it is, plus one */
    uint8_t border_of;
};

struct loops_rest {
    struct known *known; /* by call path */
    struct loops_config config;
    struct loop loops[LOOPS_MOST];
    uint32_t serials;
    bool refused; /* there was no room for a loop once, or one was forgotten */
    struct item items[ITEMS_MOST];
    int count;
    int active;     /* index of the outermost item with a loop; NO_ITEM */
    uint32_t began; /* the call path that is being followed, as deep as is looked */
    struct open_pass open[OPEN_MOST];
    int open_count;
    uint64_t passes;                /* passes opened so far */
    uint32_t deepest;               /* depth to which calls are looked at */
    uint64_t arrivals[DEEPEST + 1]; /* by depth of the first new node */
    uint32_t path[DEEPEST + 1];
    struct around arounds[AROUNDS_MOST]; /* a hash table */
    struct last_count counts[COUNTS_MOST];
    struct forgotten forgotten[FORGOTTEN_MOST]; /* a hash table */
    struct loops_pair pairs[LOOPS_PAIRS];
    bool jumped;   /* it cannot have come from the call before it without returning */
    bool counted;  /* what the call means depends on a count: it is not quiet */
    bool apart;    /* it is made from another part of a function that has not returned */
    bool left;     /* the loop that goes on may have been left and entered again unseen */
    bool told;     /* a count has told that a pass has begun */
    bool sampling; /* the call would be quiet, but counts are to be read */
    bool news;     /* the set of known loops has changed */
    struct late_calls late_calls;
    bool late;         /* an answer about the code is not there yet, */
    bool soon;         /* but will be soon, */
    bool waiting;      /* and calls are looked at less deep for that reason */
    uint32_t differs;  /* depth at which the call differs from the one before */
    uint32_t repeated; /* passes begun as before that were looked at, or might have been */
    bool moved;        /* the call has changed something: it is not quiet */
    bool guessed;      /* the call has had to do with items */
};

/* Call paths.  In sites.c, except what each call of the program needs. */

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

/* The loops that the machine code has around the calls of TOKEN, in the calling function. */
const struct around *site_around(struct loops_rest *rest, uint32_t token);

/*
 * How the function that calls TOKEN got there from FROM, the call before it in the same frame;
 * unknown if its code was not read.
 */
struct code_way site_way(struct loops_rest *rest, uint32_t from, uint32_t token);

/* Whether there is, or may be, a loop around any of the calls that lead to FUNCTION. */
bool site_is_in_loop(struct loops_rest *rest, uint32_t function);

/* Whether the loop with this ENTRY is around the calls of TOKEN. */
bool site_is_in(struct loops_rest *rest, uint32_t token, uint64_t entry);

/* Calls for which answers are late.  In late.c. */

/*
 * What cannot be looked at yet begins below DEPTH on the way to LEAF: passes of loops there may
 * be missed, or, if it calls one function again and again, of one right above.
 */
void late_note(struct loops_rest *rest, uint32_t leaf, uint32_t depth);

/* LEAF has come and was taken for TOKEN, as the call before. */
void late_come(struct loops_rest *rest, uint32_t token, uint32_t leaf);

/* A call has come that shares COMMON nodes with the one before it, and is looked at. */
void late_look(struct loops_rest *rest, uint32_t before, uint32_t common);

/* The answers are there now, and LEAF comes next. */
void late_end(struct loops_rest *rest, uint32_t leaf);

/* Looks at one of these calls, if there are any; false: there are none. */
bool late_check(struct loops_rest *rest);

/* Notes what may be missed for that reason of loop NUMBER, which has just been added. */
void late_add(struct loops_rest *rest, unsigned number);

/* Items and open passes, both with the innermost last.  In passes.c. */

/* Ends all open passes from index KEEP on. */
void passes_close(struct loops_rest *rest, int keep);

/* How many of the first COUNT open passes are not silent. */
int passes_told(const struct loops_rest *rest, int count);

/* How many of the open passes, the outermost, are of loops in frames whose calls are above
 * DEPTH. */
int passes_above(const struct loops_rest *rest, uint32_t depth);

/*
 * Begins a pass of loop NUMBER, whose calls are at DEPTH and which has ITEM (NO_ITEM: in code),
 * behind the first AT open passes, and ends the others.
 */
void passes_begin(struct loops_rest *rest, int at, uint8_t number, uint32_t depth, int item);

/* Begins a pass of the loop whose header is item INDEX, and ends those inside it. */
void items_begin(struct loops_rest *rest, int index);

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

/*
 * Ends the passes of the loops of items FIRST to LAST - 1, which have been left, and those
 * inside them.
 */
void items_end_loops(struct loops_rest *rest, int first, int last);

/* Removes items FIRST to LAST - 1; no loop of these may have an open pass. */
void items_remove(struct loops_rest *rest, int first, int last);

/* Known loops.  In known.c. */

/* Counts PASSES of LOOP in a run that has ended. */
void known_end_run(struct loop *loop, uint64_t passes);

/*
 * Adds a loop with the header TOKEN, inside of AROUND open passes; with its ENTRY in the code,
 * or 0.  Returns its number; LOOPS_NONE if there is no room for it.
 */
uint8_t known_add(struct loops_rest *rest, uint32_t token, uint64_t entry, int around);

/* The loop with this ENTRY in the function that call path FUNCTION ends in, or LOOPS_NONE. */
uint8_t known_find(const struct loops_rest *rest, uint32_t function, uint64_t entry);

/* Whether that is known, and certain. */
bool known_is_certain(const struct loops_rest *rest, uint32_t function, uint64_t entry);

/* Counts.  In counted.c. */

/*
 * The outermost loop around the call of TOKEN, as an index in AROUND beyond INNER, of which a
 * pass may have begun unseen since FROM, on this WAY, and has begun, as its count tells; INNER
 * if there is none.
 */
int counted_find(struct loops_rest *rest, const struct around *around, int inner, uint32_t from,
                 uint32_t token, const struct code_way *way);

/*
 * Whether no pass of the loop at ENTRY around the call of TOKEN has begun since the last one,
 * as its count tells, although the code seems to have come by there: a function further in was
 * left by a jump, and has stayed.
 */
bool counted_stays(struct loops_rest *rest, uint32_t token, uint64_t entry);

/* What a count tells of a pass that begins. */
struct counted {
    bool known;
    uint32_t count;
    uint64_t unseen; /* passes before it that were not seen */
};

/* To be asked before a pass of loop NUMBER begins with TOKEN behind the first AT open ones. */
struct counted counted_begin(struct loops_rest *rest, int at, uint8_t number, uint32_t token);

/*
 * Whether the count of the loop that OPEN is a pass of is to be read when the next one begins,
 * however often the same calls have begun one.
 */
bool counted_is_due(const struct loops_rest *rest, const struct open_pass *open);

/* Takes over what COUNTED says of the pass of loop NUMBER that has just begun. */
void counted_keep(struct loops_rest *rest, uint8_t number, const struct counted *counted);

/* Loops in code.  In coded.c. */

/* Begins passes of the known loops around the call at DEPTH, which its function has just begun.
 */
void coded_enter(struct loops_rest *rest, uint32_t depth, uint32_t leaf);

/*
 * Finds out what it means for the loops around the call at DEPTH, in a function that has
 * stayed, that FROM was called before.
 */
void coded_go_on(struct loops_rest *rest, uint32_t from, uint32_t depth, uint32_t leaf);

/* Tokens that come again.  In recurrence.c. */

/*
 * To be called when item INDEX comes again, with LEAF: it is the header of a loop, which is
 * added if it is new, and a pass begins if it is the loop's border.  What came after it is
 * dropped.
 */
void recurrence_arrive(struct loops_rest *rest, int index, uint32_t leaf);

#endif
