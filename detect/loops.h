/*
 * Recognises the loops that a stream of call paths comes from, while it comes.
 *
 * A loop is in one function, whose frame stays on the stack while what the loop calls comes and
 * goes.  So what recurs are not call paths but call sites, frame by frame: where a call path
 * leaves the one before it, one call from some frame (a node of the call tree, a *token* here)
 * follows another from the same frame.  If the same token has been there before, since that
 * frame was entered, then what came in between was one pass of a loop, and the loop is known
 * by it.  Recurring inside a pass there are inner loops (M. Kobayashi, "Dynamic characteristics
 * of loops", 1984, for branches).
 *
 * Loops are cut at their *border*: one of the tokens, which comes once in each pass, if
 * possible one that all processes are likely to have.  What is to be cut is told as it comes:
 * up to LOOPS_NESTED loops, one inside the other, the outer ones first.
 *
 * What the machine code says of loops (code.h) decides where the stream cannot: whether a token
 * that comes now and then is part of the loop or of one around it, and when a loop has been
 * left.
 *
 * No MPI, no signals, no globals, no input or output, no memory but what it is given.  The same
 * stream gives the same answers.  A recogniser belongs to one thread.
 */
#ifndef TSPROF_LOOPS_H
#define TSPROF_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LOOPS_MOST = 12,  /* known at the same time */
    LOOPS_NESTED = 3, /* that are cut inside each other */
    LOOPS_AROUND_MOST = 4,
    LOOPS_NONE = 0xff
};

struct loops_config {
    uint32_t nodes; /* there are fewer than this; 0 is the root */
    uint32_t (*parent)(const void *context, uint32_t node);
    /*
     * What the machine code says: the loops of NODE's caller that NODE is called from within,
     * known by any numbers, innermost first; at most LOOPS_AROUND_MOST.  Returns how many, -1
     * where that cannot be said.  NULL: it never can.  Asked once for each node.
     */
    int (*loops_around)(const void *context, uint32_t node, uint64_t *around);
    /*
     * How much loop NUMBER is worth to be known, the time spent in it for example: the one
     * worth least is forgotten where there is no room.  NULL: what counts is how many passes it
     * had.
     */
    uint64_t (*worth)(const void *context, unsigned number);
    const void *context;
};

/* A loop. */
struct loop {
    uint32_t serial; /* counts all that were ever known: of another one if it has changed */
    uint32_t header; /* token that it was recognised by */
    uint32_t border; /* token that begins a pass */
    uint32_t leaf;   /* call path that came with it when it was last chosen */
    uint32_t serial_around; /* of the loop around it when it was last cut; 0: none */
    uint64_t passes;        /* begun since it has been known */
    uint64_t least, most;   /* passes in one run that has ended; 0: none has */
    bool beside;            /* in the same function as the loop around it */
    bool certain;           /* the machine code has such a loop */
    bool ignored;           /* it is not cut any more */
};

/* What a call path means for the loops that are cut. */
struct loops_verdict {
    uint8_t keep;               /* of the open passes, outermost first, so many stay open */
    uint8_t count;              /* then so many begin */
    uint8_t open[LOOPS_NESTED]; /* of these loops, outermost first */
};

/* Of a call path: in one line of the cache, as every call needs it. */
struct loops_node {
    uint64_t inside;   /* token it is in, deeper than is looked: after that it means nothing */
    uint64_t quiet[2]; /* calls before this one after which it means nothing, latest first */
    uint64_t again;    /* after which it only begins another pass of the innermost loop */
};

struct loops_rest;

struct loops {
    uint64_t era; /* changes, in its upper half, whenever the loops that are known do */
    uint32_t last;
    uint32_t innermost; /* border of the innermost open pass, if no other loop came since */
    uint64_t repeats;   /* passes that loops_repeat has begun, not yet counted */
    struct loops_node *nodes;
    struct loops_rest *rest;
};

/* What a recogniser for so many nodes needs; most of it is never touched. */
size_t loops_bytes(uint32_t nodes);

/* Makes one of MEMORY, loops_bytes long, all zeros and aligned to 64 bytes. */
void loops_start(struct loops *loops, const struct loops_config *config, void *memory);

/* Whether the call of path LEAF, the next one, means nothing for any loop. */
static inline bool loops_pass(struct loops *loops, uint32_t leaf)
{
    const uint64_t after = loops->era | loops->last;
    const struct loops_node *node = &loops->nodes[leaf];
    if (node->inside == after)
        return true;
    if (node->quiet[0] != after && node->quiet[1] != after)
        return false;
    loops->last = leaf;
    return true;
}

/*
 * Whether the call of path LEAF, the next one, does nothing but end a pass of the innermost
 * loop and begin another one, which is then the case.
 */
static inline bool loops_repeat(struct loops *loops, uint32_t leaf)
{
    if (leaf != loops->innermost || loops->nodes[leaf].again != (loops->era | loops->last))
        return false;
    loops->last = leaf;
    loops->repeats++;
    return true;
}

/*
 * The same for a call that neither of these knows: what it means.  PREFERENCE says how likely
 * all processes are to make such a call; borders are put where it is highest.
 */
struct loops_verdict loops_arrive(struct loops *loops, uint32_t leaf, unsigned preference);

/* The innermost loop that has an open pass is not cut any more: that pass is over. */
void loops_ignore(struct loops *loops);

/*
 * Looks less deep from now on, so that about half of the calls that meant something since the
 * last time, or the beginning, mean nothing any more: for when looking costs too much.  Loops
 * that are further in are not cut any more, but KEPT, if it is not LOOPS_NONE, still is.
 * Returns how many of the open passes stay open, outermost first.
 */
unsigned loops_lessen(struct loops *loops, unsigned kept);

/* Loop NUMBER, below LOOPS_MOST; its serial is 0 where there is none. */
const struct loop *loops_get(struct loops *loops, unsigned number);

#endif
