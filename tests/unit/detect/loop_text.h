/*
 * Small programs written as text, whose loops are known, run call by call before the recogniser
 * of loops.  For tests; one at a time.
 *
 * A program is functions of single statements: a lower-case letter calls MPI from a place of
 * its own, an upper-case one the function of that name.  3(…) repeats, %4(…) does something in
 * every fourth pass of the loop around it (the first of them, too), >4(…) in all but the first
 * four, ?(…) by chance, {…} something that the machine code has elsewhere; 9~(…) repeats a
 * number of times that varies, up to 10, 1&20:4(…) once, but 4 times in every 20th pass around
 * the caller.  A capital and a colon begin a function; M is the first.
 */
#ifndef TSPROF_LOOP_TEXT_H
#define TSPROF_LOOP_TEXT_H

#include "detect/loops.h"

#include <stdbool.h>
#include <stdint.h>

enum { NODES_MOST = 1 << 17, TEXT_MOST = 2048, SERIALS_MOST = 1 << 16 };

struct call_node {
    uint32_t parent;
    uint32_t place; /* in the program's text */
    uint32_t next, first;
};

/* The program that runs or has run, and what the recogniser said of it. */
struct world {
    const char *text;
    bool reads_code; /* whether loops_around may be asked */
    struct call_node nodes[NODES_MOST];
    uint32_t node_count;
    struct loops loops;
    void *memory;
    uint64_t random;
    uint64_t calls, slow;
    unsigned came;     /* calls so far */
    unsigned spared;   /* how often counts were made to be read less often */
    uint64_t relearnt; /* how often all was forgotten though nothing was given up */
    /* By serial of a loop: passes that were cut. */
    uint64_t cut[SERIALS_MOST];
    uint64_t inside[SERIALS_MOST]; /* calls in them */
    uint32_t open[LOOPS_NESTED];
    unsigned open_count;
    bool broken;                   /* verdicts do not fit together */
    uintptr_t entered[NODES_MOST]; /* how often the function of a node was entered */
    uintptr_t watched[LOOPS_MOST]; /* and how often when its loop was watched last */
    uint64_t truth[TEXT_MOST];     /* passes of the loop that begins there in the text */
    uint64_t pass[TEXT_MOST];      /* and which one it is in */
    uint64_t asked;                /* how often that was asked for */
    uint64_t late_calls;           /* for which answers were late that are there soon */
    uint64_t hash;                 /* of all verdicts */
};
extern struct world world;

/* What the recogniser meets in the next runs; all zero: nothing out of the ordinary. */
struct conditions {
    bool counts;           /* the program counts the passes of its loops */
    bool takes_repeats;    /* what only repeats the innermost loop is taken at once */
    uint64_t counts_late;  /* so many times it is not known yet how loops are counted */
    uint64_t late_for;     /* answers about the code are late in so many slow calls */
    uint64_t spare_after;  /* counts are read less often after so many slow calls */
    uint64_t lessen_after; /* it is looked less deep after so many slow calls, and again, */
    uint64_t kept_place;   /* but the loop there is kept */
    unsigned away_at;      /* nothing is looked at from this call on, */
    unsigned back_at;      /* up to this one; 0: never */
    char deepen_at;        /* when this call comes it is looked as deep as at first again */
    char late_function;    /* answers about this function are late */
    char again_at;         /* until this call comes, when they are asked for again */
    uint64_t soon_for;     /* or are there after so many calls of it, each of which comes */
};
extern struct conditions conditions;

/* Runs the program TEXT, whose chance begins with SEED; TEXT stays the caller's. */
void simulate(const char *text, bool reads_code, uint64_t seed);

/* The place in TEXT of its loop number NTH, which it must have. */
uint64_t place_in(const char *text, unsigned nth);

/* Where the code has the loop that this one is of. */
uint64_t place_of(const struct loop *loop);

/* Passes that were cut of loops that the code has at PLACE, the most of any. */
uint64_t cut_at(uint64_t place);

/* The loop at PLACE of the text; NULL if it is not known. */
const struct loop *known_loop(uint64_t place);

/* A number by chance, less than BELOW. */
uint32_t chance(uint32_t below);

/* Saves costs: of two loops the inner one is given up, too. */
void spare(void);

#endif
