/*
 * What the time line asks of rooms above it.  There is one table, made where the runtime is put
 * together; the time line knows none of those that are in it.
 */
#ifndef TSPROF_HOOKS_H
#define TSPROF_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* What a handler can do about a border. */
enum border_readiness {
    BORDER_READY,
    BORDER_LATER, /* nothing, but the sample is right without it: the next call crosses it */
    BORDER_NEVER  /* nothing, and the sample would be in the wrong iteration */
};

/*
 * Somebody who has borders of iterations at instants of their own.  The time line has been
 * brought to a border when that is crossed.
 */
struct border_source {
    /* THREAD, the calling one, has entered tsprof, before anybody walks its stack; or NULL. */
    void (*entered)(struct thread *thread);

    /* The next border of THREAD up to NS, if there is one. */
    bool (*next_async)(struct thread *thread, int64_t ns, int64_t *border_ns);

    /* Whether a handler can cross it; NULL: always. */
    enum border_readiness (*readiness_async)(const struct thread *thread);

    /* Crosses it, on the way to UNTIL_NS; in a handler only if it is ready there. */
    void (*cross)(struct thread *thread, int64_t until_ns);

    /* A marker has been met on THREAD: who has borders only as long as there are none gives up. */
    void (*marked)(struct thread *thread);

    bool moves; /* another level may be open after a border */
};

struct hooks {
    /*
     * A call by a thread without a context, or whose context is claimed or stopped; see
     * thread_enter.  NULL: it is not to be measured.
     */
    struct thread *(*enter)(struct thread *thread, uintptr_t frame, bool starts);

    /* THREAD leaves tsprof and it is time to save. */
    void (*save)(struct thread *thread);

    /* In the order in which they are asked, NULL at the end. */
    const struct border_source *sources[4];
};

extern const struct hooks timeline_hooks;

#endif
