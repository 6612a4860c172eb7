/* See preemption.h. */
#include "timeline/preemption.h"

#include "timeline/thread.h"

/*
 * Without a processor for less than this, or than this part of the time, is not worth the
 * microseconds that the system's figure takes; it stays in the account until it is.
 */
enum { OFF_LEAST_NS = 20000, OFF_PARTS = 64 };

void preemption_begin_async(struct thread *thread, int64_t ns)
{
    struct preemption *preemption = &thread->preemption;
    preemption->until_ns = preemption->given_ns = ns;
    preemption->off_ns = 0;
    preemption->used_ns = processor_used_ns_async(thread->os_id);
    preemption->waited_ns = processor_waited_ns_async(thread->os_id);
    processor_allowed_async(thread->os_id, &preemption->allowed);
    preemption->sleeps = thread == thread_self ? processor_sleeps_async() : -1;
}

/* Whether the thread has not gone to sleep since the system was last asked; false: unknown. */
static bool is_awake_async(struct thread *thread)
{
    struct preemption *preemption = &thread->preemption;
    const int64_t before = preemption->sleeps;
    preemption->sleeps = thread == thread_self ? processor_sleeps_async() : -1;
    return before >= 0 && preemption->sleeps == before;
}

/*
 * How much of the time off a processor, OFF_NS, the system says that the thread waited for one.
 * What it says too early, since the thread lost its processor between two questions, is kept
 * for the next time.
 */
static int64_t waited_async(struct thread *thread, int64_t off_ns)
{
    struct preemption *preemption = &thread->preemption;
    const int64_t now_ns =
        preemption->waited_ns < 0 ? -1 : processor_waited_ns_async(thread->os_id);
    if (now_ns < 0)
        return 0;
    const int64_t passed_ns =
                      now_ns > preemption->waited_ns ? now_ns - preemption->waited_ns : 0,
                  found_ns = passed_ns < off_ns ? passed_ns : off_ns;
    preemption->waited_ns = now_ns - (passed_ns - found_ns);
    return found_ns;
}

/*
 * How much of the time off a processor the thread wanted one: all of it, if it did not go to
 * sleep meanwhile, so that what the host of a virtual machine took is in it.  The system, which
 * takes some 30 µs for an answer, is not asked then; it is taken to say the same.  Otherwise
 * what it says; where it has no figure, nothing is known.
 */
static int64_t waiting_async(struct thread *thread)
{
    struct preemption *preemption = &thread->preemption;
    const int64_t off_ns = preemption->off_ns;
    if (!is_awake_async(thread))
        return waited_async(thread, off_ns);
    preemption->waited_ns += preemption->waited_ns < 0 ? 0 : off_ns;
    return off_ns;
}

static void look_async(struct thread *thread, bool last)
{
    struct preemption *preemption = &thread->preemption;
    const int64_t now = clock_now_async(), used_ns = processor_used_ns_async(thread->os_id),
                  wall_ns = now - preemption->until_ns,
                  off_ns = wall_ns - (used_ns - preemption->used_ns);
    preemption->until_ns = now;
    preemption->used_ns = used_ns;
    if (off_ns > 0)
        preemption->off_ns += off_ns;
    if (!last &&
        (preemption->off_ns < OFF_LEAST_NS || preemption->off_ns < wall_ns / OFF_PARTS))
        return;
    const int64_t found_ns = waiting_async(thread);
    preemption->off_ns = 0;
    preemption->pending_ns += found_ns;
    preemption->total_ns += found_ns;
}

void preemption_look_async(struct thread *thread)
{
    look_async(thread, true);
    processor_allowed_async(thread->os_id, &thread->preemption.allowed);
}

int64_t preemption_share_async(int64_t amount, int64_t begin_ns, int64_t end_ns, int64_t ns)
{
    if (ns <= begin_ns)
        return 0;
    /* Never more than the time itself: what is found late may have been missed before. */
    int64_t share = amount < ns - begin_ns ? amount : ns - begin_ns;
    if (ns < end_ns)
        share = (int64_t)((__int128)amount * (ns - begin_ns) / (end_ns - begin_ns));
    return share;
}

void preemption_give_async(struct thread *thread, int64_t ns)
{
    struct preemption *preemption = &thread->preemption;
    if (ns - preemption->until_ns >= PREEMPTION_LEAST_NS)
        look_async(thread, false);
    if (ns <= preemption->given_ns)
        return;
    const int64_t share = preemption_share_async(preemption->pending_ns, preemption->given_ns,
                                                 preemption->until_ns, ns);
    preemption->given_ns = ns;
    preemption->pending_ns -= share;
    if (share > 0)
        profile_add_async(thread->level->profile, &thread->tree, thread->level->root,
                          METRIC_preempted, share);
}
