/*
 * Which of the loops that processes have found are shown as iterations: what one process
 * decides for all, from what all of them have found.
 *
 * No MPI, no globals, no memory, no input or output.
 */
#ifndef TSPROF_CHOICE_H
#define TSPROF_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CHOICE_OFFERS_MOST = 32,
    CHOICE_LOOPS_MOST = 8,
    CHOICE_PASSES_LEAST = 4, /* of a loop that is shown, */
    CHOICE_SHARE = 64,       /* which takes one part in so many of the time; */
    CHOICE_PASSES_SURE = 2,  /* where there is none, of one that the machine code has */
    CHOICE_SHARE_SURE = 16,  /* and that takes one part in so many */
    CHOICE_FEW = 5           /* passes of a loop that may be only a repetition of another one */
};

/* A loop, as one or several processes have found it. */
struct loop_offer {
    uint64_t key;    /* the same on all processes; 0: none */
    uint64_t around; /* key of the loop around it, 0 if there is none */
    uint64_t processes;
    uint64_t least, most;         /* passes, by process */
    uint64_t time_ns;             /* in it, of all processes */
    uint64_t begin_ns;            /* at the earliest */
    uint64_t run_least, run_most; /* passes in one pass of the loop around it; 0: not known */
    bool beside;                  /* in the same function as that */
    bool certain;                 /* the machine code has a loop there */
};

struct loop_offers {
    uint64_t time_ns; /* in which loops were looked for, of all processes */
    uint64_t count;
    bool marked; /* a process has met markers */
    struct loop_offer offers[CHOICE_OFFERS_MOST];
};

/* Adds what other processes have found. */
void choice_merge(struct loop_offers *offers, const struct loop_offers *others);

struct loop_choice {
    uint64_t count;
    struct {
        uint64_t key;
        uint64_t passes;        /* the most that a process has */
    } loops[CHOICE_LOOPS_MOST]; /* the main one first, the others as they began */
};

void choice_make(const struct loop_offers *offers, struct loop_choice *choice);

#endif
