/*
 * Answers questions about loops from the machine code of the calling functions
 * (detect/code.h).  Each function is read once.  Answers for call sites are the same on all
 * call paths, so they are found once and remembered, until a library is unloaded.
 *
 * A large function is read in pieces, since the program waits meanwhile: what is asked of it is
 * late until then.  Of such functions one at a time is read.  The counter of a loop is looked
 * for in pieces, too, one at a time.  What is asked while the program waits for one call takes
 * LOOP_CODE_PIECE_STEPS then, and LOOP_CODE_STAY_STEPS with all small functions that are read.
 *
 * What that may take grows with the time: LOOP_CODE_FREE_NS and a 2048th of it.  It is reckoned
 * in steps, since the time of each answer is as long as others take the processor.  Where it is
 * used up, answers are late: they are found when they are asked for again and there is time.
 *
 * For the thread whose main loop is searched for (search.h), in program context.
 */
#ifndef TSPROF_LOOP_CODE_H
#define TSPROF_LOOP_CODE_H

#include "detect/code.h"
#include "detect/counter.h"
#include "detect/loops.h"
#include "unwind/unwind.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    LOOP_CODE_PLACES = 4096,
    LOOP_CODE_LOOPS = 16384, /* around all places together */
    LOOP_CODE_WAYS = 8192,
    LOOP_CODE_FUNCTIONS = 2048,
    LOOP_CODE_COUNTERS = 1024,
    LOOP_CODE_BLOCKS = 1 << 17,
    LOOP_CODE_AT_ONCE_BYTES = 1000, /* a function that is no longer is read at once, */
    LOOP_CODE_STAY_STEPS = 5400,    /* but for a call no further one beyond so many steps; */
    LOOP_CODE_PIECE_STEPS = 3500,   /* a piece of others has so many: some 12 us */
    /* One of looking for a counter; until it is found passes may be missed, or be too many. */
    LOOP_CODE_COUNTER_STEPS = 15000,
    LOOP_CODE_STEP_NS = 2,        /* what a step takes that reads code or follows ways, */
    LOOP_CODE_COUNTER_PS = 3500,  /* one that looks for counters, */
    LOOP_CODE_QUESTION_NS = 1500, /* and each answer beside */
    LOOP_CODE_FREE_NS = 6000000,  /* what answers may take in any case */
    LOOP_CODE_LAST_NS = 5000000   /* and what they may in addition when the search ends */
};

/* What is known of a call. */
struct loop_code_place {
    uintptr_t address; /* 0: this place is free */
    uint32_t first;    /* index of the innermost loop around it */
    int32_t count;     /* of these loops; -1: the code cannot be understood */
};

/* What is known of the way from a call to another one of the same function. */
struct loop_code_way {
    uintptr_t from;   /* 0: this place is free */
    int32_t distance; /* from there, in bytes */
    uint8_t crossed, unseen;
    bool known, possible, same;
};

/* Where a call finds the counter of a loop around it. */
struct loop_code_counter {
    uintptr_t address; /* of the call; of the loop's entry: of the first such call; 0: free */
    uintptr_t entry;
    struct code_counter counter;
    bool was_read, was_lost; /* it could be read at the call once; once it could not */
};

_Static_assert((int)LOOPS_AROUND_MOST <= 8, "a byte holds which loops are crossed");

/* A function that has been read. */
struct loop_code_function {
    uintptr_t start; /* 0: this place is free */
    uint32_t first;  /* index of its first block */
    uint32_t count;  /* of its blocks; 0: it cannot be understood */
    uint32_t bytes;
    bool is_piece; /* it is a part of another function, apart from the rest of it */
};

struct loop_code {
    struct code_memory *memory;                      /* code_memory_bytes long */
    struct code_memory *piece_memory;                /* likewise, for what is read in pieces */
    struct counter_memory *counter_memory;           /* counter_memory_bytes long */
    struct loop_code_function *reading;              /* it is read in pieces; NULL: none is */
    struct loop_code_counter *counting;              /* likewise, is looked for in pieces */
    uint64_t before_call;                            /* steps taken before this call */
    bool in_piece;                                   /* just now */
    bool at_once;                                    /* nothing is read in pieces */
    uint64_t bytes;                                  /* of code that have been read so far */
    uint32_t block_count;                            /* blocks in use, from the first on, */
    uint32_t last_blocks;                            /* and before the end of them */
    uint64_t epoch;                                  /* the recipe epoch of all that is known */
    int64_t begin_ns;                                /* since when there is time for all that */
    int64_t free_ns;                                 /* it may take that in any case */
    int64_t learning_ns;                             /* what it has taken by the clock */
    uint64_t questions;                              /* how many answers had to be found */
    uint32_t loop_count;                             /* loops in use */
    uint16_t known[LOOP_CODE_PLACES];                /* places in use, */
    uint32_t known_count;                            /* and how many are */
    struct loop_code_place places[LOOP_CODE_PLACES]; /* hash tables by address */
    struct loop_code_way ways[LOOP_CODE_WAYS];
    struct loop_code_function functions[LOOP_CODE_FUNCTIONS];
    struct loop_code_counter counters[LOOP_CODE_COUNTERS];
    struct kept_rules kept;                     /* for reading counters */
    uint64_t loops[LOOP_CODE_LOOPS];            /* of all places: where they are entered */
    struct code_block blocks[LOOP_CODE_BLOCKS]; /* of all functions */
};

/*
 * Finds the loops around the call instruction that contains ADDRESS.  AROUND gets the addresses
 * at which they are entered, innermost first, LOOPS_AROUND_MOST at most.  Returns how many
 * there are, -1 if the code cannot be understood, LOOPS_LATER, or LOOPS_SOON if it, or another
 * function, is being read.  Preserves errno.
 */
int loop_code_around(struct loop_code *code, uintptr_t address, uint64_t *around);

/* Whether anything is read, or looked for, in pieces now. */
static inline bool loop_code_is_busy(const struct loop_code *code)
{
    return code->reading || code->counting;
}

/*
 * To be called before a call is examined.  Does another piece of what is done in pieces, if
 * there is anything.  Returns whether a function has been read now, so that what was late can
 * be asked for again.  Preserves errno.
 */
bool loop_code_go_on(struct loop_code *code);

/* From now on nothing is done in pieces if AT_ONCE; what has begun is done to its end. */
void loop_code_read_at_once(struct loop_code *code, bool at_once);

/* What finding answers has taken, reckoned from its steps, in nanoseconds. */
int64_t loop_code_spent_ns(const struct loop_code *code);

/* What it may take until NS after the begin, but for the last answer. */
int64_t loop_code_allowed_ns(const struct loop_code *code, int64_t ns);

/* Whether there is time for another answer. */
bool loop_code_has_time(const struct loop_code *code);

/*
 * How the function that calls at FROM and at TO gets from there to here; see code_way_between.
 * Bits of its answer stand for the loops around TO, innermost first, as loop_code_around has
 * them.  Preserves errno.
 */
struct code_way loop_code_way(struct loop_code *code, uintptr_t from, uintptr_t to);

/*
 * Whether the function may get from the call at FROM to the one at TO both through ENTRY, where
 * a loop around them is entered, and otherwise, without any of the COUNT calls at SITES, at
 * most LOOP_CODE_SITES, in between.  No if that cannot be told.
 */
enum { LOOP_CODE_SITES = 64 };
bool loop_code_may_pass_unseen(struct loop_code *code, uintptr_t from, uintptr_t to,
                               uintptr_t entry, const uintptr_t *sites, unsigned count);

/*
 * Where the call at ADDRESS finds a counter of the loop around it that is entered at ENTRY; its
 * `place` is PLACE_ELSEWHERE if it finds none.  All calls in a loop find the same counter, or
 * none.  NULL: it, or another one, is being looked for; until then loop_code_is_busy.
 * Preserves errno.
 */
const struct code_counter *loop_code_counter(struct loop_code *code, uintptr_t address,
                                             uintptr_t entry);

/* Notes whether what loop_code_counter has found for that call could be read there. */
void loop_code_note_read(struct loop_code *code, uintptr_t address, uintptr_t entry,
                         bool was_read);

/*
 * Whether there is such a counter for that call and it was read there; if that has never been
 * tried, at another call in the loop.
 */
bool loop_code_is_counted(struct loop_code *code, uintptr_t address, uintptr_t entry);

/*
 * Whether the loop at ENTRY does but one of the COUNT calls at SITES in each pass, and data
 * choose which: see code_is_dispatcher.  No if that cannot be told.
 */
bool loop_code_is_dispatcher(struct loop_code *code, uintptr_t entry, const uintptr_t *sites,
                             unsigned count);

/* Whether the function that begins at START is only a part of one, apart from the rest. */
bool loop_code_is_piece(struct loop_code *code, uintptr_t start);

#endif
