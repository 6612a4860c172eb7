/* See context.h. */
#include "timeline/context.h"

struct thread *thread_enter_special(struct thread *thread)
{
    if (thread->stopped) {
        thread_release_async(thread);
        return NULL;
    }
    counts_enter(thread);
    return thread;
}

void thread_leave_marker(struct thread *thread)
{
    const int64_t since_ns = thread->last_ns;
    /* What is put off is due after this marker. */
    if (thread->stay_ns >= thread->work_due_ns) {
        timeline_hooks.work(thread);
        thread_kept_async(thread, thread->last_ns - since_ns);
    }
    if (thread->counting)
        counts_leave(thread);
    thread_release_async(thread);
}
