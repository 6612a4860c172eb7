/*
 * The counter of a loop while it is looked for (counter.h): what is known of the places that
 * hold it, and how far the search has come.  For counter.c and counting*.c; where functions
 * take one of these structures the caller owns it, and none can fail.
 */
#ifndef TSPROF_COUNTING_H
#define TSPROF_COUNTING_H

#include "arch/arch.h"
#include "detect/counter.h"
#include "detect/flow.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    COUNTING_NOWHERE = INSTRUCTION_NOWHERE,
    COUNTING_BLOCKS = 4096,
    COUNTING_SLOTS = 24, /* words of the frame that are followed */
    COUNTING_PLACES = EFFECT_REGISTERS + COUNTING_SLOTS,
    COUNTING_CANDIDATES = 32,
    COUNTING_INSTRUCTIONS = 100000, /* read for one answer: some 2 ms */
    COUNTING_READ_STEPS = 8,        /* that reading one of them takes by the account, */
    COUNTING_READ_PIECE = 50,       /* and of the steps of a piece, with all that follows, */
    COUNTING_LOOK_PIECE = 6,        /* and anything else: a piece's has some 10 instructions */
    COUNTING_FAR = 1 << 20,         /* no frame is larger, in bytes */
    COUNTING_WORD = 4               /* bytes that are followed of each */
};

/* The two ways to address the frame. */
enum { COUNTING_BY_SP, COUNTING_BY_FP };

/*
 * What is known where the function has come to a block: which places hold the counter as it was
 * at the loop's entry, plus how much.
 */
struct counting_state {
    uint64_t holds;                  /* places, a set: registers, then words of the frame */
    uint32_t ahead[COUNTING_PLACES]; /* of these */
    int32_t sp;                      /* how far the stack pointer has moved since the entry */
    bool lost;                       /* it is not known where the stack pointer is */
};

/* Of a block, a set. */
enum { COUNTING_REACHED = 1, COUNTING_WAITING = 2 };

enum counting_stage {
    COUNTING_LOOK,      /* around in the function: candidates */
    COUNTING_CANDIDATE, /* the next of them begins */
    COUNTING_FOLLOW,    /* where it goes in the loop */
    COUNTING_PLACE,     /* where it is at the call */
    COUNTING_FIRST,     /* what it begins with */
    COUNTING_ENDED
};

/* What a block of the function does to the frame, from its begin to its end. */
struct counting_scan {
    int32_t sp; /* how far the stack pointer has moved since the begin */
    bool is_taken;
    int32_t lowest; /* address taken by the stack pointer, seen from where that is then, */
    int32_t since;  /* and from where it was at the begin */
    bool acts;      /* it is not only padding */
    bool calls;     /* the last thing that it does is a call */
};

/* A loop that is being looked at. */
struct counting {
    struct code_function function;
    uint32_t entry;     /* its block */
    uint32_t at, block; /* the call, and its block */
    bool is_known;      /* only the candidate at `known` counts */
    struct effect_place known;
    struct flow flow;

    enum counting_stage stage;
    uint32_t reading; /* the block that the stage has come to, */
    uint32_t next;    /* the instruction there that it looks at next, */
    uint32_t cursor;  /* and the edge behind them: see flow_next */
    bool is_reading;
    uint32_t read;  /* instructions, in all stages */
    uint32_t looks; /* at anything else */

    struct counting_scan scan;
    int32_t pushed;   /* see counting_look.c */
    bool is_taken[2]; /* memory is whose address is taken, by the ways to address it */
    int32_t taken[2]; /* the lowest of it */
    bool is_fp_plain; /* the frame pointer is a register like others */
    struct effect_place candidates[COUNTING_CANDIDATES];
    unsigned candidate_count, candidate; /* the next one */

    struct counting_state now; /* what is known at the instruction that is looked at next */
    int number;                /* the candidate's among the places that are followed */
    struct effect_place slots[COUNTING_SLOTS]; /* offsets from the stack pointer at the entry */
    unsigned slot_count;
    uint64_t loaded; /* words of the frame that the loop has loaded from, a set of places */
    uint32_t step;   /* of the candidate: 0 as long as none is known */
    bool failed;

    struct code_counter found;
    bool has_first; /* a block that leads into the loop sets `found.first` there */
    bool sets;      /* the block that is looked at sets the counter, to `number_set` */
    uint32_t number_set;

    uint8_t *flags; /* of each block */
    struct counting_state *states;
    uint32_t *waiting; /* blocks to be gone through */
    uint32_t waiting_count;
};

/* Begins to read BLOCK. */
void counting_read(struct counting *counting, uint32_t block);

/*
 * Reads the next instruction of the block that is being read.  False at its end, and if no more
 * are read; then `next` is before the end.
 */
bool counting_next(struct counting *counting, struct effect *effect);

/* The end of the block that is being read, in bytes from the function's start. */
uint32_t counting_end(const struct counting *counting);

/* Whether that leads out of any frame, from anywhere in it. */
static inline bool counting_is_far(int32_t offset)
{
    return offset > COUNTING_FAR || offset < -COUNTING_FAR;
}

static inline bool counting_is_same(struct effect_place a, struct effect_place b)
{
    return a.kind == b.kind && a.number == b.number && a.offset == b.offset;
}

/* Looking around.  In counting_look.c. */

/*
 * Looks at one more instruction, or at the end of one more block, to list what may be counters,
 * and memory of the frame whose address is taken.  Returns whether that was the last; then
 * `failed` if there is no telling what the loop's places hold.
 */
bool counting_look(struct counting *counting);

/* What is known of places.  In counting_state.c. */

/*
 * The number of PLACE among those that are followed, where the stack pointer has moved as in
 * STATE; -1: it is not followed.
 */
int counting_number(struct counting *counting, struct effect_place place,
                    const struct counting_state *state);

/* What EFFECT does to what is known. */
void counting_apply(struct counting *counting, struct counting_state *state,
                    const struct effect *effect);

/* What is known at BLOCK if it is reached from where STATE is known, too. */
void counting_reach(struct counting *counting, uint32_t block,
                    const struct counting_state *state);

#endif
