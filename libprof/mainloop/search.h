/*
 * The loop search: finds the main loop of a program without markers, and makes its passes
 * iterations.
 *
 * The MPI calls of the thread that has initialised MPI are examined one by one
 * (detect/loops.h).  A loop is cut from its second pass on, long before
 * anybody can know whether it is the main loop: up to three loops inside each other at a time.
 * So everything is provisional.  Passes have profiles and clusters of their own, but for the
 * rest of the runtime what is in them also counts as outside all iterations, so that nothing
 * has to be undone when a loop is dropped.  Only at the end, when the processes have agreed
 * which loops are shown (write/shown_loops.h), is it taken out of there.
 *
 * Passes have no node of their own, so call paths are the same inside and outside.
 *
 * Time slices are gathered meanwhile, to be shown if there is no loop (slices.h).
 *
 * The cost is bounded.  When the search takes more than its share of the time, only every
 * second, fourth, ... pass of the costliest loop gets a profile, but for what is the main loop
 * for all that is known.  If no single loop is to blame, but many of them or irregular calls,
 * calls are examined less deep in the call tree.  Loops inside the one that will be shown have
 * no profiles once that is known (candidate.h).
 *
 * The first marker that any thread meets ends the search, and leaves nothing of it behind.
 */
#ifndef TSPROF_SEARCH_H
#define TSPROF_SEARCH_H

#include "detect/loops.h"
#include "iterations/iterations.h"
#include "mainloop/loop_code.h"
#include "mainloop/preference.h"
#include "mainloop/search_cost.h"
#include "mainloop/slices.h"
#include "timeline/timeline.h"
#include "tree/tree.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    SEARCH_SHORT = 4, /* stride from which an inner loop is given up for the one around it */
    SEARCH_SURE = 16, /* passes of the loop around it that must have been seen by then */
    SEARCH_FEW = 4,   /* or so many */
    SEARCH_FEW_NS = 250000000, /* of so long a time */
    SEARCH_MANY = 32, /* passes after which a loop is shown rather than one inside it */
    SEARCH_PERIOD_LEAST_NS = 5000000, /* that says which loop takes the time at present */
    SEARCH_PASS_LEAST_NS = 20000, /* shorter passes of the main loop need not have profiles */
    SEARCH_DEEPER_SHARE = 4, /* it looks deeper again after one part in so many of the time, */
    SEARCH_DEEPER_LEAST_NS = 50000000, /* at least after that */
    SEARCH_MINOR_PASSES = 32 /* of a loop, between two looks at whether it will be shown */
};

/* Number of the series of the time slices, as search_series returns it for a loop. */
enum { SEARCH_SLICES = SERIES_MOST - 1 - LOOPS_MOST };

/* What is known of the passes of a loop that is cut. */
struct candidate {
    uint32_t serial;      /* serial of the loop; 0: none */
    int64_t begin_ns;     /* when its first pass began */
    int64_t time_ns;      /* time in its passes, */
    int64_t own_ns;       /* of that tsprof's own, as far as it is known to be */
    int64_t recent_ns;    /* time in those that have ended since costs were last reduced, */
    int64_t cost_ns;      /* and what cutting it has cost since then */
    int64_t clustered_ns; /* of which clustering, from the beginning */
    uint64_t passes;      /* number of passes that have ended */
    uint64_t skipped;     /* how many of the last ones are not in the clustering yet */
    uint64_t unseen;      /* how many of `passes` have made no calls */
    uint64_t runs;        /* how often it had been come into when a pass began last, */
    uint64_t run;         /* and passes that have begun since */
    uint64_t stride;      /* one in so many of the others has a profile, */
    bool minor;           /* or none: a loop around it will be shown instead, */
    uint64_t asked;       /* which was asked when there were so many passes */
    uint32_t within;      /* set of the loops in whose passes a pass of this one began */
    int64_t least_calls;  /* of MPI, in any pass that another one followed; 0: not known */
};

struct search {
    struct loops loops;
    struct candidate candidates[LOOPS_MOST];
    struct slices slices;
    uint8_t open[LOOPS_NESTED]; /* loop whose pass is open on each level, from level 1 on */
    int64_t calls_before[LOOPS_NESTED]; /* MPI calls before that pass */
    int64_t begin_ns;                   /* when it began: at the end of MPI_Init */
    int64_t before_ns;                  /* the thread's time until then */
    uint64_t looks;                     /* number of calls that had to be examined in full */
    struct search_cost cost;
    int64_t deeper_ns;  /* when it may look deeper again; INT64_MAX: it does */
    int64_t again_ns;   /* when code is to be asked for again; INT64_MAX: none is waited for */
    int64_t due_ns;     /* the earlier one of both */
    uint64_t skips;     /* passes without a profile that may follow the innermost one, */
    uint64_t skipped;   /* how many of them have begun and are not counted yet, */
    int64_t skipped_ns; /* and when the last one of these began */
    uint32_t doubtful;  /* set of loops: see doubt.h; found when the search ends */
    bool failing;       /* most walks do not reach the root; those that do are not examined */
    uint64_t others;    /* number of walks of the rarer kind */
    struct walker *walker;         /* remembers the last walk; NULL if it is not remembered */
    bool visited;                  /* that walk has visits */
    uintptr_t aliases[LOOPS_MOST]; /* by loop: what its function returns by; 0: not known */
    uintptr_t entries; /* where all functions return by aliases: walks that entered one */
    struct loop_code *code;
    struct arena code_arena; /* its memory, as long as calls are examined */
    struct arena arena;      /* the memory of all this */
};

/*
 * Begins the search on THREAD, the calling thread, if the settings ask for it.  Program
 * context, when MPI has been initialised.
 */
void search_start(struct thread *thread);

/* Bytes that looking for loops among the call paths of THREAD takes; 0 if it never did. */
size_t search_bytes_async(const struct thread *thread);

/*
 * Counts a walk of the rarer kind: one that has reached the root where most do not, or the
 * other way round.  Only walks of the more frequent kind are examined, because the two kinds
 * cannot be compared.  Returns whether this one is to be examined, because its kind is now the
 * more frequent.
 */
bool search_takes_other(struct thread *thread);

/* To be called after each WALK from a call of THREAD, before that is examined. */
static inline void search_note_walk(struct thread *thread, const struct walk_result *walk)
{
    struct search *search = thread->search;
    search->walker = walk->remembered ? thread->level->walker : NULL;
    search->visited = walk->visited;
    search->entries += walk->visited;
}

/*
 * Whether the call LEAF, made at NS, does no more than end a pass without a profile and begin
 * another: if so, counts that.  This is the quick way for loops of very short passes.
 */
static inline bool search_skip(struct search *search, uint32_t leaf, int64_t ns)
{
    if (search->skipped == search->skips || !loops_repeat(&search->loops, leaf))
        return false;
    search->skipped++;
    search->skipped_ns = ns;
    return true;
}

/* Whether the next call is to be examined in any case: it may be time to look deeper again. */
static inline bool search_is_due(const struct search *search, int64_t ns)
{
    return ns >= search->due_ns;
}

/*
 * Examines any other call LEAF, made at NS, to which the time line has been brought, and opens
 * and closes passes.  PREFERENCE is that of the MPI function.
 */
void search_arrive(struct thread *thread, uint32_t leaf, unsigned preference, int64_t ns);

/*
 * Ends the search on THREAD, if there is one, because of a marker, and drops all it has found.
 */
void search_give_up(struct thread *thread);

/*
 * Ends the search at NS because the thread or the measurement ends, and closes open passes.
 * Program context.
 */
void search_stop(struct thread *thread, int64_t ns);

/*
 * The series where the passes of loop NUMBER are gathered: one of the last places, which do not
 * count among the thread's series until the loop is shown.
 */
static inline uint32_t search_series(unsigned number)
{
    return SERIES_MOST - 1 - number;
}

#endif
