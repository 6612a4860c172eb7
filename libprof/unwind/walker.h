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
 * A walker belongs to one thread.  Functions named *_async may be called in its signal
 * handlers, if these never interrupt another use of the walker: struct thread's depth sees to
 * that.  The others are for program context.
 */
#ifndef TSPROF_WALKER_H
#define TSPROF_WALKER_H

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
    uintptr_t
        return_word;    /* what the return-address slot held; this frame's pc is made from it */
    uintptr_t alias;    /* the alias last looked up, perhaps for an earlier word; 0: none */
    uintptr_t *fp_slot; /* where `at.fp` was loaded from; NULL if still in the register */
    uintptr_t *sp_slot; /* where `at.sp` was loaded from; NULL if computed */
    uint64_t function;  /* code key of the function that holds at.pc; see recipe.h */
    uint64_t rule;      /* the rule of the recipe for at.pc */
    uint32_t node;      /* the call path that ends in this frame */
    bool fp_matters;    /* the walk from here on depends on at.fp */
    bool opaque;        /* reached from the inner frame in a way that cannot be compared */
    bool signs;         /* return_word is signed there: it must not be replaced */
    uint32_t words;     /* remembered words of this frame and of those further out */
    int32_t return_offset; /* of the slot that return_word was in, from at.sp */
};

/* A word on the stack that a remembered walk depended on: its address and what it held. */
struct remembered_word {
    const uintptr_t *slot;
    uintptr_t word;
};

/* Where walks stop: at the frame that marked the current phase. */
struct anchor {
    uintptr_t cfa; /* of the marking function's frame; UINTPTR_MAX if there is no anchor */
    uintptr_t
        return_word; /* where the marking function returns to: tells it from its siblings */
    uintptr_t caller_cfa; /* CFA of its caller's frame: above it is outside the phase */
};

/* A remembered walk. */
struct walk_memory {
    struct remembered_word end; /* what showed that the outermost frame is the anchor's */
    uint64_t epoch; /* the recipe epoch of the walk: in another one it no longer holds */
    uint32_t count;
    uint32_t aliased; /* outermost frames that have been looked at for aliases */
    struct walked_frame
        frames[UNWIND_DEEPEST]; /* outermost first; of a deep walk, the outer ones */
    /*
     * The words that led from each frame to the next, outermost first; at most three for a
     * frame.
     */
    struct remembered_word words[3 * UNWIND_DEEPEST];
};

enum { BRANCH_FRAMES = 7, BRANCH_WORDS = 12, BRANCH_SETS = 32, BRANCH_WAYS = 8 };

/*
 * The inner end of an earlier walk, out to a frame of the walk before it: where a function
 * calls several others in turn that call MPI, the same few ends come again and again.  Or a
 * whole walk, if that function is the one that marked the phase.
 *
 * Most branches are not in the first-level cache when they are needed, so what is compared lies
 * side by side at the beginning.  Frames and words are stored as they were in the walk's
 * memory.
 */
struct branch {
    uint64_t epoch;         /* the recipe epoch */
    struct registers start; /* the registers where it begins */
    uintptr_t reached_pc;   /* of the frame that it leads to, unless it is a whole walk */
    uintptr_t reached_sp;
    uint32_t reached_node;
    uint16_t kept;       /* frames from the outermost to that one; 0: a whole walk */
    uint16_t first_word; /* the index of its first word in the walk's memory */
    uint8_t words;
    uint8_t count;              /* how many frames it has */
    bool fp_matters;            /* the frame pointer matters where it begins */
    bool reached_fp_matters;    /* the frame pointer matters in the frame that it leads to */
    struct remembered_word end; /* of a whole walk: as in its memory */
    struct remembered_word
        word[BRANCH_WORDS]; /* words that led to its frames and to that one */
    struct walked_frame frames[BRANCH_FRAMES]; /* outermost first */
    uintptr_t reached_fp;
    uintptr_t *reached_fp_slot;
    uintptr_t *reached_sp_slot;
    uint32_t reached_words;
    int32_t reached_return_offset;
    bool reached_signs;
} __attribute__((aligned(64)));

/*
 * Branches that begin in the same place, or in places that share a key.  Where a function is
 * called from many sites, they come in turn, mostly in the order in which they first came.
 */
struct branch_set {
    uint64_t tags;   /* of where each begins, a byte for each way; 0: no branch */
    uint32_t next;   /* the way to replace next */
    uint32_t latest; /* the way that was found or kept last */
};

/*
 * Two walks are remembered, since many programs call in turn from two places that are far
 * apart, and branches off the latest one.  Visits are counted against the latest walk.
 */
struct walker {
    uint32_t latest; /* the number of the latest walk's memory */
    uint32_t unused; /* how many walks were made since the other memory was used */
    bool single;     /* remember no second walk: aliases refer to the latest walk alone */
    uint32_t root;   /* the node that walks start below */
    struct anchor anchor;
    struct walk_memory memories[2];
    struct branch_set sets[BRANCH_SETS]; /* by where branches begin */
    struct branch branches[BRANCH_SETS][BRANCH_WAYS];
};

/*
 * The frames of the walk under way, innermost first, and room for the next one: too large for a
 * handler's stack.  VISITS is for the caller to read until the next walk, if the walk's result
 * says that there are any.
 */
struct walk_scratch {
    struct visits visits;
    struct walked_frame frames[UNWIND_DEEPEST + 1];
};

/* What a walk found. */
struct walk_result {
    uint64_t site; /* code key of the pc it started from: where the innermost function was */
    uint32_t node;
    uint32_t steps; /* how many frames were not found in the remembered walk */
    bool foreign;   /* it started on another stack than the thread's own */
    bool failed;    /* the root was not reached; node lies below the artificial node for that */
    bool remembered; /* the walker's frames are those of this walk */
    bool visited;    /* the scratch has visits */
};

/* Forgets all walks. */
void walker_forget_async(struct walker *walker);

/*
 * Empties WALKER; from now on its call paths start at node ROOT and its walks stop at ANCHOR.
 */
void walker_reset_async(struct walker *walker, uint32_t root, const struct anchor *anchor);

/*
 * Walks the stack from the frame whose registers are START, and returns its call path, which is
 * added to TREE if it is new.  (START is passed by address: a copy would wait for all its parts
 * to be written.)  If the result says so, SCRATCH has a visit for each frame that was entered
 * since the last walk.  There are never too many: a frame that was left and entered again in
 * the same way cannot be told from one that stayed.  A walk that cannot be remembered (on
 * another stack, or too deep) gives at most one visit per call path, and none if it failed.
 */
struct walk_result unwind_async(struct walker *walker, struct walk_scratch *scratch,
                                const struct stack_bounds *stack, const struct registers *start,
                                struct cct *tree);

/*
 * Like unwind_async, for a sample: START and AUX, the auxiliary register (see arch/), are those
 * of the interrupted function itself, not of a caller.
 */
struct walk_result unwind_sample_async(struct walker *walker, struct walk_scratch *scratch,
                                       const struct stack_bounds *stack,
                                       const struct registers *start, uintptr_t aux,
                                       struct cct *tree);

/*
 * Puts aliases (alias.h) in place of the return addresses of the last walk's functions, so that
 * the next walks tell each call of them from the one before.  Then the visits of functions that
 * are walked over in every call are exact.  Only right after a walk from a wrapper that was
 * remembered, before any of its frames can have changed; never in a signal handler.  Returns
 * how many functions were newly found that cannot return by an alias.
 */
uint32_t unwind_put_aliases(struct walker *walker);

/*
 * Makes the function of frame INDEX of the last walk, counted from the outermost, return by an
 * alias, under the rules of unwind_put_aliases.  Returns where its return address is, and sets
 * *WORD to what lies there now, an alias or the address itself; NULL if the frame was not
 * reached by a call.
 */
const uintptr_t *unwind_put_alias(struct walker *walker, uint32_t index, uintptr_t *word);

/*
 * The same for the function that call path NODE ends in.  NULL, too, if it is not on the last
 * walk.
 */
const uintptr_t *unwind_put_alias_at(struct walker *walker, uint32_t node, uintptr_t *word);

/* Where the return address of that function is; NULL if it was not reached by a call. */
const uintptr_t *unwind_return_slot(const struct walker *walker, uint32_t node);

/*
 * For a signal handler that has interrupted another one, or what the other one called: START
 * are registers in this handler, FRAME is the other's frame address.  Returns the address of
 * the ucontext_t to which this handler will return; 0 if the way to FRAME is not known, or the
 * function there is not a signal handler.  In any handler.
 */
uintptr_t unwind_find_context_async(const struct stack_bounds *stack,
                                    const struct registers *start, uintptr_t frame);

/*
 * The same for a handler that has interrupted work on a stack of its own, STACK: the context of
 * the outermost handler there, found by walking to the stack's end.  0 if there is none.
 */
uintptr_t unwind_find_last_context_async(const struct stack_bounds *stack,
                                         const struct registers *start);

/*
 * Fills ANCHOR for a phase that is marked in the function whose registers are START, from its
 * frame and its caller's.  The CFA of a frame that is not found becomes UINTPTR_MAX.
 */
void unwind_anchor_async(const struct stack_bounds *stack, struct registers start,
                         struct anchor *anchor);

#endif
