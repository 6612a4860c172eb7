/* See timeline.h. */
#include "timeline/timeline.h"

bool timeline_has_markers;

int64_t timeline_advance_async(struct thread *thread, int64_t ns)
{
    if (ns <= thread->last_ns)
        return thread->last_ns;
    if (thread->counting)
        counts_advance_async(thread, ns);
    thread_computed_async(thread, ns);
    return ns;
}

const struct border_source *timeline_next(struct thread *thread, int64_t ns, int64_t *border_ns)
{
    const struct border_source *first = NULL;
    int64_t each_ns;
    for (const struct border_source *const *source = timeline_hooks.sources; *source; source++)
        if ((*source)->next_async(thread, ns, &each_ns) && (!first || each_ns < *border_ns)) {
            first = *source;
            *border_ns = each_ns;
        }
    return first;
}

void timeline_cross(struct thread *thread, int64_t ns)
{
    const struct border_source *next;
    int64_t border_ns;
    for (const struct border_source *const *source = timeline_hooks.sources; *source; source++)
        if (thread->watched && (*source)->entered)
            (*source)->entered(thread);
    while ((next = timeline_next(thread, ns, &border_ns))) {
        timeline_advance_async(thread, border_ns);
        next->cross_async(thread, ns);
    }
}

/*
 * Crosses the borders of SOURCE up to NS in the sample handler.  Returns false if it cannot
 * cross one and the sample would therefore be attributed to the wrong iteration.
 */
static bool cross_source_async(struct thread *thread, const struct border_source *source,
                               int64_t ns)
{
    int64_t border_ns;
    while (source->next_async(thread, ns, &border_ns)) {
        const enum border_readiness readiness =
            source->readiness_async ? source->readiness_async(thread) : BORDER_READY;
        if (readiness != BORDER_READY)
            return readiness == BORDER_LATER;
        timeline_advance_async(thread, border_ns);
        source->cross_async(thread, ns);
    }
    return true;
}

void timeline_come(struct thread *thread, int64_t ns)
{
    /* Where only loops are searched for, all borders have instants of their own. */
    const bool listens = thread->watched && !thread->searching;
    if (listens || timeline_due_async(thread, ns))
        timeline_cross(thread, ns);
    if (thread->counting)
        counts_advance_async(thread, ns);
    thread_computed_async(thread, ns);
}

bool timeline_come_async(struct thread *thread, int64_t ns)
{
    if (timeline_due_async(thread, ns))
        for (const struct border_source *const *source = timeline_hooks.sources; *source;
             source++)
            if (!cross_source_async(thread, *source, ns))
                return false;
    if (thread->counting)
        counts_advance_async(thread, ns);
    thread_computed_async(thread, ns);
    return true;
}

void timeline_marked(struct thread *thread)
{
    if (timeline_is_marked_async() && !thread->searching)
        return;
    __atomic_store_n(&timeline_has_markers, true, __ATOMIC_RELAXED);
    for (const struct border_source *const *source = timeline_hooks.sources; *source; source++)
        if ((*source)->marked)
            (*source)->marked(thread);
}
