/*
 * Chooses which of the loops that processes have found are shown as iterations: one process
 * decides for all, from what all of them have found.
 *
 * Pure functions: no MPI, no globals, no memory, no input or output.
 */
#ifndef TSPROF_CHOICE_H
#define TSPROF_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CHOICE_OFFERS_MOST = 32,
    CHOICE_LOOPS_MOST = 8,
    CHOICE_PASSES_LEAST = 4, /* a loop that is shown has at least this many passes */
    CHOICE_SHARE = 64,       /* it takes at least 1 / CHOICE_SHARE of the time, */
    CHOICE_SHARE_ALL = 6,    /* and all that are shown this part, if there are slices instead */
    CHOICE_PASSES_SURE = 2,  /* if there is none: least passes of one that the code has */
    CHOICE_SHARE_SURE = 16,  /* such a loop takes at least 1 / CHOICE_SHARE_SURE of the time */
    CHOICE_FEW = 5,          /* a loop of fewer passes may only repeat another one, */
    CHOICE_REGULAR = 12,     /* or one of fewer, if it does so equally often each time, */
    CHOICE_RUN = 8           /* and this often */
};

/* A loop, as one or several processes have found it. */
struct loop_offer {
    uint64_t key;    /* identifies the loop on all processes; 0: none */
    uint64_t around; /* key of the loop around it; 0: none */
    uint64_t processes;
    uint64_t least, most;         /* fewest and most passes in a process */
    uint64_t time_ns;             /* time in the loop, summed over processes */
    uint64_t begin_ns;            /* earliest begin */
    uint64_t run_least, run_most; /* passes in one pass of the loop around it; 0: not known */
    bool beside;                  /* in the same function as the loop around it */
    bool certain;                 /* the machine code has a loop there */
    bool missed;                  /* passes of it may have been missed */
};

struct loop_offers {
    uint64_t time_ns;   /* time in which loops were searched for, summed over processes */
    uint64_t processes; /* in how many they were */
    uint64_t count;
    bool marked; /* a process has met markers */
    bool named;  /* they are what TSPROF_ITERATION names: whatever they took */
    bool sliced; /* there are slices of time that can be shown instead */
    struct loop_offer offers[CHOICE_OFFERS_MOST];
};

/* Merges what other processes have found into OFFERS. */
void choice_merge(struct loop_offers *offers, const struct loop_offers *others);

struct loop_choice {
    uint64_t count;
    struct {
        uint64_t key;
        uint64_t passes;        /* most passes in a process */
    } loops[CHOICE_LOOPS_MOST]; /* the main loop first, the others by their begin */
};

void choice_make(const struct loop_offers *offers, struct loop_choice *choice);

#endif
