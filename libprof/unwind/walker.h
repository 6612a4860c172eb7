/*
 * Call paths by walking the stack, fast where the path has hardly changed.
 *
 * A walk is a deterministic function of the starting registers and of the memory words it reads
 * (return addresses, saved frame pointers).  A walker remembers its last walk: every frame's
 * registers and where they were read from.  As soon as a new walk reaches a remembered frame
 * with the same registers, and every word that the rest of the old walk read still holds what
 * it held, the rest must be the same and the walk ends there.  All those words are further out
 * on the thread's own stack than the frame that was reached, so they can be read whatever they
 * hold now.
 *
 * One walker belongs to one thread; async-signal-safe under the rules of struct thread.
 */
#ifndef TSPROF_UNWIND_H
#define TSPROF_UNWIND_H

#include "arch/arch.h"
#include "tree/tree.h"

#include <stdbool.h>
#include <stdint.h>

enum { UNWIND_DEEPEST = 512 };

/* The bounds of a thread's stack: nothing outside is ever read directly. */
struct stack_bounds {
    uintptr_t low;
    uintptr_t high;
};

struct walked_frame {
    struct registers at;
    uintptr_t return_word; /* what the return-address slot held, which made this frame's pc */
    uintptr_t alias;       /* of such a word, if it was looked for; perhaps of an earlier one */
    uintptr_t *fp_slot;    /* where `at.fp` was loaded from; NULL if the inner frame had it */
    uintptr_t *sp_slot;    /* where `at.sp` was loaded from; NULL if computed */
    uint64_t function;     /* code key of the function that holds at.pc; see recipe.h */
    uint64_t rule;         /* of the recipe for at.pc */
    uint32_t node;         /* the call path that ends in this frame */
    bool fp_matters;       /* the walk from here on depends on at.fp */
    bool opaque;           /* reached from the inner frame in a way that cannot be compared */
    uint32_t words;        /* remembered words of this frame and those further out */
};

/* A word that the last walk depended on. */
struct remembered_word {
    const uintptr_t *slot;
    uintptr_t word;
};

/* Where walking stops: at the frame that marked the current phase. */
struct anchor {
    uintptr_t cfa; /* of the marking function's frame; UINTPTR_MAX where there is none */
    uintptr_t
        return_word; /* where the marking function returns to: tells it from its siblings */
    uintptr_t caller_cfa; /* of its caller's frame: what lies above is outside the phase */
};

/* A walk that was made. */
struct walk_memory {
    struct remembered_word end; /* what told that the outermost frame is the anchor's */
    uint64_t epoch; /* of recipes: of another one the walk is no longer to be trusted */
    uint32_t count;
    uint32_t aliased; /* outermost frames whose return addresses have been looked at */
    struct walked_frame
        frames[UNWIND_DEEPEST]; /* outermost first; the outer ones of a deep walk */
    /* What led from each frame to the next, outermost first; at most three words a frame. */
    struct remembered_word words[3 * UNWIND_DEEPEST];
};

enum { BRANCH_FRAMES = 7, BRANCH_WORDS = 12, BRANCH_SETS = 32, BRANCH_WAYS = 8 };

/*
 * The inner end of a walk that was made, down to a remembered frame of the walk before: where a
 * function calls several others in turn which call MPI, the same few ends come again and again.
 * Or a whole walk, where that function is the one that marked the phase.
 *
 * Most are not in the first cache when they are needed: what is compared lies side by side at
 * the beginning.  Frames and words are as they lay in the walk's memory.
 */
struct branch {
    uint64_t epoch;         /* of recipes */
    struct registers start; /* where it begins */
    uintptr_t reached_pc;   /* of the remembered frame that it led to, if it is not whole */
    uintptr_t reached_sp;
    uint32_t reached_node;
    uint16_t kept;       /* frames up to that one; 0: it is a whole walk */
    uint16_t first_word; /* of its words, in the memory */
    uint8_t words;
    uint8_t count;                             /* frames */
    bool fp_matters;                           /* where it begins, */
    bool reached_fp_matters;                   /* and there */
    struct remembered_word end;                /* of a whole walk, as in its memory */
    struct remembered_word word[BRANCH_WORDS]; /* that led to its frames and to that one */
    struct walked_frame frames[BRANCH_FRAMES]; /* outermost first */
    uintptr_t reached_fp;
    uintptr_t *reached_fp_slot;
    uintptr_t *reached_sp_slot;
    uint32_t reached_words;
} __attribute__((aligned(64)));

/*
 * Branches that begin in the same place, or in one that is mixed up with it.  Where one
 * function is called from many sites they come in turn, most often in the order in which they
 * came first.
 */
struct branch_set {
    uint64_t tags;   /* of where they begin, a byte for each way; 0: there is none */
    uint32_t next;   /* to be replaced */
    uint32_t latest; /* to be found */
};

/*
 * Two walks are remembered, since many programs call in turn from two places that are far
 * apart; and branches off the latest.  Visits are counted against the latest walk.
 */
struct walker {
    uint32_t latest; /* memory of the latest walk */
    uint32_t unused; /* walks since the other was used */
    bool single;     /* remember no other: aliases are told by the latest walk alone */
    uint32_t root;   /* the node that walks start below */
    struct anchor anchor;
    struct walk_memory memories[2];
    struct branch_set sets[BRANCH_SETS]; /* by where branches begin */
    struct branch branches[BRANCH_SETS][BRANCH_WAYS];
};

/*
 * Frames of the walk under way, innermost first, and one more for the next: too large for a
 * handler's stack.  VISITS is for the caller, where a walk's result says that it has any, until
 * the next walk.
 */
struct walk_scratch {
    struct visits visits;
    struct walked_frame frames[UNWIND_DEEPEST + 1];
};

/* What a walk found. */
struct walk_result {
    uint64_t site; /* code key of the start's pc: where the innermost function was at */
    uint32_t node;
    uint32_t steps; /* frames that were not found in the walk remembered */
    bool foreign;   /* started on another stack than the thread's own */
    bool failed;    /* the root was not reached; node lies below the artificial node for that */
    bool remembered; /* the walker's frames are those of this walk */
    bool visited;    /* the scratch has visits */
};

/* Forgets all walks. */
void walker_forget_async(struct walker *walker);

/* A walker without memory whose call paths start at ROOT. */
void walker_reset_async(struct walker *walker, uint32_t root, const struct anchor *anchor);

/*
 * The call path of a stack whose innermost frame has registers START (by address: a copy would
 * wait for all its parts to be written).  If the result says so, SCRATCH has a visit for each
 * frame that was entered since the last walk: never too many, as a frame that was left and
 * entered again in the same way cannot be told from one that stayed.  Where a walk cannot be
 * remembered (another stack, or too deep) there is at most one visit per call path, and none
 * where it failed.
 */
struct walk_result unwind_async(struct walker *walker, struct walk_scratch *scratch,
                                const struct stack_bounds *stack, const struct registers *start,
                                struct cct *tree);

/*
 * The same from where a sample fell: START and AUX, the auxiliary register (arch/), are of no
 * caller but of the interrupted function itself.
 */
struct walk_result unwind_sample_async(struct walker *walker, struct walk_scratch *scratch,
                                       const struct stack_bounds *stack,
                                       const struct registers *start, uintptr_t aux,
                                       struct cct *tree);

/*
 * Puts aliases (alias.h) where the functions of the last walk return to, so that the next walks
 * tell each of their calls from the one before: then the visits of functions that are walked
 * over in every call are exact.  Right after a walk from a wrapper that was remembered, before
 * any of its frames can have changed; never in a signal handler.  Returns how many functions
 * were newly found that cannot return by an alias.
 */
uint32_t unwind_put_aliases(struct walker *walker);

/*
 * Has the function of frame INDEX of the last walk, counted from the outermost, return by an
 * alias, under the same rules.  Returns where its return address is and sets *WORD to what lies
 * there now, an alias or the address itself; NULL if the frame was not reached by a call.
 */
const uintptr_t *unwind_put_alias(struct walker *walker, uint32_t index, uintptr_t *word);

/*
 * From a frame with registers START, in a signal handler that has interrupted another one,
 * whose frame address is FRAME, or what that has called: where the system has saved what the
 * inner handler returns to, a ucontext_t.  0 where the way there is not known, or at FRAME
 * there is no handler.  In any handler.
 */
uintptr_t unwind_find_context_async(const struct stack_bounds *stack,
                                    const struct registers *start, uintptr_t frame);

/*
 * The frame that called the function whose registers are START, two levels deep: fills ANCHOR
 * for a marker in that function.  Unknown fields become UINTPTR_MAX.
 */
void unwind_anchor_async(const struct stack_bounds *stack, struct registers start,
                         struct anchor *anchor);

#endif
