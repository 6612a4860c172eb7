/*
 * What the time line asks of rooms that use it.  There is one table, defined where the runtime
 * is put together (life/hooks.c), so that the time line includes none of those rooms.
 */
#ifndef TSPROF_HOOKS_H
#define TSPROF_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* Whether a border can be crossed in the sample handler. */
enum border_readiness {
    BORDER_READY,
    BORDER_LATER, /* not now, the next call crosses it; the sample counts all the same */
    BORDER_NEVER  /* no, and the sample would be counted in the wrong iteration */
};

/*
 * One source of borders between iterations.  When a border is to be crossed, the time line has
 * been brought to its instant.  What a user can name in TSPROF_ITERATION has no source of its
 * own: all of it is in iterations/watch.
 */
struct border_source {
    /*
     * THREAD has entered tsprof and its stack has not been walked yet.  Called in program
     * context only, if the thread is `watched` for more than the search for loops; not always
     * by the thread itself, which another one may have stopped.  May be NULL.
     */
    void (*entered)(struct thread *thread);

    /*
     * Whether THREAD has a border up to NS; if so, the time of the next one.  Asked only where
     * timeline_due_async says that there may be one, or the thread is `watched` likewise.  So a
     * source whose borders have instants of their own keeps the thread's border_due_ns at the
     * next of them.  There is one such field: slices and TSPROF_ITERATION never have borders
     * together.
     */
    bool (*next_async)(struct thread *thread, int64_t ns, int64_t *border_ns);

    /* Whether a handler can cross that border.  NULL if it always can. */
    enum border_readiness (*readiness_async)(const struct thread *thread);

    /*
     * Crosses that border; the time line goes on to UNTIL_NS.  Called in a handler only if
     * readiness_async has returned BORDER_READY there.
     */
    void (*cross_async)(struct thread *thread, int64_t until_ns);

    /*
     * THREAD has met a marker.  For a source that gives up as soon as there are markers; or
     * NULL.
     */
    void (*marked)(struct thread *thread);

    bool moves; /* crossing a border may open or close levels */
};

enum { BORDER_SOURCES_MOST = 3 };

struct hooks {
    /*
     * Called by thread_enter, with its arguments, where THREAD has no context (NULL), or one
     * that is claimed or stopped.  Returns the context to claim, or NULL if the call must not
     * be measured.
     */
    struct thread *(*enter)(struct thread *thread, uintptr_t frame, bool starts);

    /* Does work of THREAD, which is about to leave tsprof, because some is due. */
    void (*work)(struct thread *thread);

    /*
     * Ends at once a save of THREAD that is under way in pieces, and reads its clusters until
     * then (thread->frozen).  In any context in which the thread's context is held.
     */
    void (*thaw_async)(struct thread *thread);

    /* Of borders at one instant those of the first source are crossed first; ends with NULL. */
    const struct border_source *sources[BORDER_SOURCES_MOST + 1];
};

extern const struct hooks timeline_hooks;

#endif
