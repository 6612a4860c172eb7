/*
 * Levels: the open phases of a thread, one inside the other, level 0 being the whole program.
 *
 * Computation is pending on the innermost level until a sample, or the end of the level, says
 * whose it was.  All functions: by the thread that holds the context (struct thread's depth).
 */
#ifndef TSPROF_LEVEL_H
#define TSPROF_LEVEL_H

#include "host/config.h"
#include "timeline/thread.h"

/* What marks a walk that has no frame to stop at. */
extern const struct anchor level_no_anchor;

/* Opens level 0 for a new thread; false when memory is out. */
bool level_open_program(struct thread *thread);

/*
 * Opens the next level for an instance of PHASE whose node is ROOT, gathered in SERIES of the
 * thread or, with SERIES -1, only summed.  NULL when there is no memory or no level left.  Its
 * walks stop at ANCHOR.
 */
struct level *level_open_async(struct thread *thread, uint32_t phase, uint32_t root, int series,
                               const struct anchor *anchor, int64_t ns);

/*
 * Opens the next level for a pass of a loop in the function whose node is BASE, gathered in
 * SERIES or, with -1, not at all.  It has no node of its own: call paths go on as they are.
 * Computation before its first sample is taken to be of LAST_SAMPLE, the one before.  Where
 * there is no memory for its profile it is not kept.  A level must be left.
 */
void level_open_sought_async(struct thread *thread, uint32_t base, int series,
                             uint32_t last_sample, int64_t ns);

/* Lets the functions of LEVEL's last walk return by aliases; see unwind_put_aliases. */
void level_put_aliases(struct thread *thread, struct level *level);

/*
 * The call path of a stack whose innermost frame has registers START; the thread's scratch has
 * its visits if the result says so.  With TSPROF_VISITS=exact what was walked over returns by
 * aliases from then on: program context only, for functions that the program has called.
 */
static inline struct walk_result level_walk(struct thread *thread, struct level *level,
                                            struct registers start)
{
    struct walk_result walk =
        unwind_async(level->walker, thread->scratch, &thread->stack, &start, &thread->tree);
    /* Whoever remembers no other walks does so for the aliases. */
    if (level->walker->single && walk.remembered)
        level_put_aliases(thread, level);
    return walk;
}

/* Counts the visits that WALK, the thread's last, has found in LEVEL; most have found none. */
static inline void level_count_visits_async(struct thread *thread, struct level *level,
                                            const struct walk_result *walk)
{
    if (walk->visited)
        visits_add_async(&thread->scratch->visits, level->profile, &thread->tree);
}

/*
 * Makes room for the next level; KEPT: with a profile of its own.  False when there is none.
 * For callers that must know before they look for a series.
 */
bool level_furnish_async(struct thread *thread, bool kept);

/* Ends the innermost level at NS, to which the time line has been accounted for. */
void level_close_async(struct thread *thread, int64_t ns);

/* Undoes the innermost level: what it holds becomes part of the one around it. */
void level_absorb_async(struct thread *thread);

/* Ends level 0 as well as it can be: nothing is pending after it, but it stays open. */
void level_settle_async(struct thread *thread);

/* Brings the time line, in the program, to NS, or leaves it where it has come further; returns
 * where it is. */
int64_t level_advance_async(struct thread *thread, int64_t ns);

/*
 * Gives what is pending on all open levels to their last samples, so that it is in profiles
 * what has been accounted for.
 */
void level_settle_all_async(struct thread *thread);

/* Moves what LEVEL has set aside into its profile: overhead, counted calls. */
void level_flush_async(struct thread *thread, struct level *level);

/* Gives pending computation to NODE. */
void level_attribute_async(struct thread *thread, struct level *level, uint32_t node);

#endif
