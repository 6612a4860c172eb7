/*
 * Levels: the open phases of a thread, one inside the other, level 0 being the whole program.
 *
 * Computation is pending on the innermost level until a sample, or the end of the level, tells
 * which call path it belongs to.  Levels are opened and closed by iterations/instance.h.  These
 * functions are for the thread that holds the context.
 */
#ifndef TSPROF_LEVEL_H
#define TSPROF_LEVEL_H

#include "timeline/thread.h"

/* The anchor of a walk that stops at no frame and goes on to the root. */
extern const struct anchor level_no_anchor;

/*
 * Makes the functions of LEVEL's last walk return by aliases; see unwind_put_aliases.  Program
 * context only.
 */
void level_put_aliases(struct thread *thread, struct level *level);

/*
 * Walks the stack whose innermost frame has registers START.  Returns its call path; if the
 * result says `visited`, the thread's scratch holds the visits.  With TSPROF_VISITS=exact the
 * functions walked over return by aliases from then on.  Program context only, and only in
 * functions that the program has called.
 */
static inline struct walk_result level_walk(struct thread *thread, struct level *level,
                                            struct registers start)
{
    struct walk_result walk =
        unwind_async(level->walker, thread->scratch, &thread->stack, &start, &thread->tree);
    /* A walker remembers just one walk if, and only if, visits are exact. */
    if (level->walker->single && walk.remembered)
        level_put_aliases(thread, level);
    return walk;
}

/*
 * Part of the innermost region may be code that the compiler has put elsewhere, f.cold, which
 * looks like another function that was called from the same place.  If there is such a part on
 * the way to NODE, where THREAD is, its visits are told by the region.
 */
void level_claim_part_async(struct thread *thread, uint32_t node);

/* Adds the visits that WALK, the thread's last walk, has found, if any, to LEVEL's profile. */
static inline void level_count_visits_async(struct thread *thread, struct level *level,
                                            const struct walk_result *walk)
{
    if (!walk->visited)
        return;
    if (__builtin_expect(thread->region != CCT_ROOT, 0))
        level_claim_part_async(thread, walk->node);
    visits_add_async(&thread->scratch->visits, level->profile, &thread->tree);
}

/*
 * Settles all open levels: attributes what is pending on each to its last sample, so that the
 * profiles hold all that has been accounted for.
 */
void level_settle_all_async(struct thread *thread);

/* The computation of THREAD up to the end of its line, in nanoseconds. */
int64_t level_computed_async(const struct thread *thread);

/* Moves the overhead and the counted calls of LEVEL into its profile. */
void level_flush_async(struct thread *thread, struct level *level);

/* Attributes what is pending on LEVEL, computation and counters, to NODE. */
void level_attribute_async(struct thread *thread, struct level *level, uint32_t node);

#endif
