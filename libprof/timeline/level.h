/*
 * Levels: the open phases of a thread, one inside the other, level 0 being the whole program.
 *
 * Computation is pending on the innermost level until a sample, or the end of the level, says
 * whose it was.  Who opens and closes levels: iterations/instance.h.  All functions: by the
 * thread that holds the context.
 */
#ifndef TSPROF_LEVEL_H
#define TSPROF_LEVEL_H

#include "timeline/thread.h"

/* What marks a walk that has no frame to stop at. */
extern const struct anchor level_no_anchor;

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
 * Gives what is pending on all open levels to their last samples, so that it is in profiles
 * what has been accounted for.
 */
void level_settle_all_async(struct thread *thread);

/* Moves what LEVEL has set aside into its profile: overhead, counted calls. */
void level_flush_async(struct thread *thread, struct level *level);

/* Gives pending computation to NODE. */
void level_attribute_async(struct thread *thread, struct level *level, uint32_t node);

#endif
