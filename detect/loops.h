/*
 * Recognises, on line, the loops that a stream of call paths comes from.
 *
 * A loop is in one function, whose frame stays on the stack while the loop calls other
 * functions.  Where a call path departs from the one before it, one call from some frame (a
 * node of the call tree, called a *token* here) follows another from the same frame.  The
 * machine code (code.h) says which loops are around both, and whether the function must have
 * come by the entry of one of them on the way from one call to the other: then another pass of
 * that loop has begun.  So a pass begins at the first call in it, whichever that is.
 *
 * Where the code cannot be read, the stream alone has to do: if the same token has come before
 * since its frame was entered, then all that came in between was one pass of a loop, and the
 * token identifies the loop.  What recurs inside a pass are inner loops (as M. Kobayashi,
 * "Dynamic characteristics of loops", 1984, does for branches).  Such a loop is cut at its
 * *border*: a token that comes once in each pass, if possible one that all processes are likely
 * to have.
 *
 * With each call the recogniser tells which passes end and begin, for up to LOOPS_NESTED loops
 * inside each other, the outer ones first.  A loop is known from the second time that a pass of
 * it begins.
 *
 * No MPI, no signals, no globals, no input or output, and no memory but what it is given.  The
 * same stream gives the same answers.  A recogniser belongs to one thread.
 */
#ifndef TSPROF_LOOPS_H
#define TSPROF_LOOPS_H

#include "detect/code.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LOOPS_MOST = 12,  /* loops known at the same time */
    LOOPS_NESTED = 3, /* loops cut inside each other */
    LOOPS_AROUND_MOST = 8,
    LOOPS_NONE = 0xff,
    LOOPS_LATER = -2, /* an answer that is not there yet, */
    LOOPS_SOON = -3   /* and until it is each call is told of: see loops_arrive_in_time */
};

struct loop;

/* A number that the program counts the passes of a loop with, as it is at a call. */
struct loops_count {
    bool known;
    bool late;     /* it is not known yet; to be asked again */
    bool starts;   /* in the first pass of each run it is `first` */
    uint32_t is;   /* modulo 2^32, the same at all calls in a pass */
    uint32_t step; /* more in each pass */
    uint32_t first;
};

struct loops_config {
    uint32_t nodes; /* nodes are numbered below this; 0 is the root */
    uint32_t (*parent)(const void *context, uint32_t node);
    /*
     * Finds the loops of NODE's caller around the call of NODE, from the machine code.  AROUND
     * receives at most LOOPS_AROUND_MOST numbers that identify them, innermost first.  Returns
     * how many, -1 if that cannot be told.  Called once for each node, or again later if it
     * returns LOOPS_LATER or LOOPS_SOON.  NULL: it can never be told.
     */
    int (*loops_around)(const void *context, uint32_t node, uint64_t *around);
    /*
     * How the function that makes the calls FROM and TO, siblings in the call tree or the same,
     * gets from one to the other.  Bits of the answer stand for what LOOPS_AROUND of TO gave.
     * A call for which an answer is late counts as not made, and loops as seen in part only.
     */
    struct code_way (*way)(const void *context, uint32_t from, uint32_t to);
    /*
     * What the loop at ENTRY, around the call of NODE that is being made, is counted with.
     * NULL: that is never known.
     */
    struct loops_count (*count)(const void *context, uint32_t node, uint64_t entry);
    /*
     * Remembers the frame of the function that call path FUNCTION ends in, which is on the
     * stack and has loop NUMBER.  Returns the place of a word that changes when that function
     * is called again; NULL if there is none.
     */
    const uintptr_t *(*watch)(const void *context, unsigned number, uint32_t function);
    /* Whether that function is known to have been called again since. */
    bool (*is_called_again)(const void *context, unsigned number, uint32_t function);
    /*
     * The worth of knowing loop NUMBER, for example the time spent in it: where there is no
     * room the loop that is worth least is forgotten.  NULL: the number of its passes.
     */
    uint64_t (*worth)(const void *context, unsigned number);
    /* Whether LOOP, which has just been recognised, is to be cut.  NULL: each is. */
    bool (*is_wanted)(const void *context, const struct loop *loop);
    const void *context;
};

/* A loop. */
struct loop {
    uint32_t serial; /* numbers all loops ever known: differs if NUMBER is another loop now */
    uint32_t header; /* token by which it was recognised; its parent's function has the loop */
    uint64_t entry;  /* identifies it in the function's code; 0: the code was not read */
    uint32_t border; /* token that begins a pass, or mostly does */
    uint32_t leaf;   /* call path that came with the border */
    uint32_t votes;  /* how often that call began a pass, less how often others did */
    uint32_t serial_around; /* serial of the loop around it when it was last cut; 0: none */
    uint64_t passes;        /* passes begun since it was recognised */
    uint64_t least, most;   /* fewest and most passes in an ended run; 0: none ended */
    uint64_t runs;          /* how often it was come into */
    uint32_t needs; /* depth to which calls must be looked at to tell its passes apart */
    uint32_t
        looked; /* least depth to which they were since it is known; 0: as deep as they are */
    uint32_t begins,
        asked;         /* how often a pass may have been missed: at a pass's begin, in it */
    bool counted;      /* the program's own count has told passes that calls do not */
    bool miscounted;   /* it is not what it was taken for */
    bool count_late;   /* when its first passes began it was not known yet how it is counted */
    bool spared;       /* it is read now and then only */
    bool called_again; /* its function was, so that the loop seemed to go on */
    bool beside;       /* in the same function as the loop around it */
    bool certain;      /* the machine code has such a loop, and tells its passes apart */
    bool told;         /* passes of it have been cut */
    bool ignored;      /* not cut any more */
    bool deep;         /* since it is deeper than is looked */
    bool interrupted;  /* its last run was not seen to its end, and may go on */
    bool partly;       /* some of its passes were not cut, or not seen */
    bool missed;       /* passes may have been taken for one, since looking is limited */
};

/* What a call path means for the loops that are cut. */
struct loops_verdict {
    uint8_t keep;                  /* so many of the open passes, outermost first, stay open */
    uint8_t count;                 /* then so many begin */
    uint8_t open[LOOPS_NESTED];    /* of these loops, outermost first */
    uint64_t unseen[LOOPS_NESTED]; /* after so many passes of each without any call */
};

/* What is known of a call path.  Every call needs it, so it fits into one cache line. */
struct loops_node {
    uint64_t inside;   /* token above it, if it is deeper than is looked: quiet after that */
    uint64_t quiet[2]; /* calls after which it means nothing to any loop, latest first */
    uint64_t again;    /* call after which it only begins another pass of the innermost loop */
};

/* A call, and one after which it means nothing to any loop, as in struct loops_node. */
struct loops_pair {
    uint64_t after; /* 0: this place is free */
    uint64_t leaf;
};

enum { LOOPS_PAIRS = 4096 };

struct loops_rest;

struct loops {
    uint64_t era; /* its upper half changes whenever the set of known loops does */
    uint32_t last;
    uint32_t innermost;       /* call that began the innermost open pass; UINT32_MAX: none */
    uint64_t repeats;         /* passes begun by loops_repeat that are not counted yet */
    const uintptr_t *watched; /* a word that holds `stays` until the innermost loop is left */
    uintptr_t stays;
    struct loops_node *nodes;
    struct loops_pair *pairs; /* LOOPS_PAIRS, a hash table */
    struct loops_rest *rest;
};

/* Where it is remembered that LEAF means nothing AFTER a call, where calls have many others
 * before. */
static inline struct loops_pair *loops_pair(const struct loops *loops, uint64_t after,
                                            uint32_t leaf)
{
    const uint64_t mixed = (after ^ (uint64_t)leaf << 20) * UINT64_C(0x9E3779B97F4A7C15);
    return &loops->pairs[mixed >> 52];
}

_Static_assert(LOOPS_PAIRS == 1 << (64 - 52), "as loops_pair has it");

/* The bytes that a recogniser for so many nodes needs; most of them are never touched. */
size_t loops_bytes(uint32_t nodes);

/* Initialises LOOPS in MEMORY, which has loops_bytes, all zeros and aligned to 64 bytes. */
void loops_start(struct loops *loops, const struct loops_config *config, void *memory);

/*
 * To be asked first of each call: whether LEAF, the next call path, means nothing to any loop.
 * If so, it has been dealt with.
 */
static inline bool loops_pass(struct loops *loops, uint32_t leaf)
{
    const uint64_t after = loops->era | loops->last;
    const struct loops_node *node = &loops->nodes[leaf];
    if (node->inside == after)
        return true;
    if (node->quiet[0] != after && node->quiet[1] != after) {
        const struct loops_pair *pair = loops_pair(loops, after, leaf);
        if (pair->after != after || pair->leaf != leaf)
            return false;
    }
    if (*loops->watched != loops->stays)
        return false;
    loops->last = leaf;
    return true;
}

/*
 * To be asked next: whether LEAF does nothing but end a pass of the innermost loop and begin
 * another.  If so, that has happened.
 */
static inline bool loops_repeat(struct loops *loops, uint32_t leaf)
{
    if (leaf != loops->innermost || loops->nodes[leaf].again != (loops->era | loops->last) ||
        *loops->watched != loops->stays)
        return false;
    loops->last = leaf;
    loops->repeats++;
    return true;
}

/*
 * Tells what LEAF, the next call path, means, if neither loops_pass nor loops_repeat has dealt
 * with it.  PREFERENCE says how likely all processes are to make such a call; where the code
 * cannot be read, borders are put where it is highest.
 */
struct loops_verdict loops_arrive(struct loops *loops, uint32_t leaf, unsigned preference);

/* Stops cutting the innermost loop that has an open pass, and ends that pass. */
void loops_ignore(struct loops *loops);

/*
 * Reads the counts of loops less often from now on, for when that costs too much: passes that
 * were not seen are told of later.  Returns whether that can save anything.
 */
bool loops_spare(struct loops *loops);

/* Reads that of loop NUMBER as often as before. */
void loops_spare_not(struct loops *loops, unsigned number);

/*
 * Looks less deep into the call tree from now on, for when looking costs too much.  About half
 * of the calls that meant something since the last time, or since the start, will mean nothing
 * then.  Loops further in are not cut any more, except those in KEPT, a set of their numbers,
 * of which no pass is missed that is told apart no further in than those before; if a later one
 * is, `missed` is set once it is looked deeper again.  Where less than that cannot be looked
 * at, nothing changes, nor does the era.  Returns how many of the open passes stay open,
 * outermost first.
 */
unsigned loops_lessen(struct loops *loops, uint32_t kept);

/*
 * Looks at nothing from now on, until loops_deepen: no loop is cut any more.  Returns how many
 * of the open passes stay open: none.
 */
unsigned loops_look_away(struct loops *loops);

/* Whether some calls are looked at less deep, since answers about their code were late. */
bool loops_is_waiting(const struct loops *loops);

/* Asks for these answers again. */
void loops_try_again(struct loops *loops);

/*
 * The same of what was LOOPS_SOON, just before LEAF arrives.  All calls since then must have
 * arrived.  If they were few, it is looked at one by one, in the next calls that arrive,
 * whether a pass of a loop has begun in them, or their function has been called again.
 */
void loops_arrive_in_time(struct loops *loops, uint32_t leaf);

/* Whether that goes on. */
bool loops_is_checking(const struct loops *loops);

/* Looks as deep as at first again, and cuts loops further in. */
void loops_deepen(struct loops *loops);

/* Loop NUMBER, which is below LOOPS_MOST; its serial is 0 if there is no such loop. */
const struct loop *loops_get(struct loops *loops, unsigned number);

#endif
