/* See counts.h. */
#include "timeline/counts.h"

#include "timeline/timeline.h"

/* Both wrap around on overflow, which only a broken counter can cause. */
static int64_t sum(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t difference(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

/* THREAD's counters cannot be read: notes so and never tries again. */
static void give_up_async(struct thread *thread)
{
    thread->counting = false;
    thread_note_async(thread, NOTE_NOT_COUNTED);
}

void counts_attach(struct thread *thread)
{
    struct counts *counts = thread->counts;
    if (!counts)
        return;
    counts->set = counters_start_set();
    thread->counting = true;
    if (counts->set == PAPI_NO_SET || !papi_read_async(counts->set, counts->last))
        give_up_async(thread);
    else
        counts->begun = true;
}

void counts_detach(struct thread *thread)
{
    struct counts *counts = thread->counts;
    thread->counting = false;
    if (!counts || counts->set == PAPI_NO_SET)
        return;
    papi_stop(counts->set);
    counts->set = PAPI_NO_SET;
}

/* Reads the counters and adds what they counted since the last reading to TO. */
static void read_into_async(struct thread *thread, int64_t to[COUNTERS_MOST])
{
    struct counts *counts = thread->counts;
    int64_t now[COUNTERS_MOST];
    /* A thread found while it ran starts its counters when it first enters tsprof. */
    if (counts->set == PAPI_NO_SET)
        return;
    if (!papi_read_async(counts->set, now)) {
        give_up_async(thread);
        return;
    }
    for (unsigned i = 0; i < counters_count; i++) {
        to[i] = sum(to[i], difference(now[i], counts->last[i]));
        counts->last[i] = now[i];
    }
}

void counts_read_async(struct thread *thread, int64_t ns)
{
    read_into_async(thread, thread->counts->passed);
    thread->counts->until_ns = ns;
}

void counts_skip_async(struct thread *thread)
{
    read_into_async(thread, thread->counts->own);
}

void counts_enter(struct thread *thread)
{
    int64_t now = clock_now_async();
    if (thread->counts->set == PAPI_NO_SET)
        counts_attach(thread);
    else
        counts_read_async(thread, now);
    timeline_come(thread, now);
    thread_worked_async(thread, clock_now_async());
}

void counts_leave(struct thread *thread)
{
    counts_skip_async(thread);
    thread_worked_async(thread, clock_now_async());
}

/* The share of AMOUNT, which was counted in WHOLE_NS, that falls to PART_NS of it. */
static int64_t share(int64_t amount, int64_t part_ns, int64_t whole_ns)
{
    if (part_ns >= whole_ns)
        return amount;
    return part_ns <= 0 ? 0 : (int64_t)((__int128)amount * part_ns / whole_ns);
}

/* Moves the share of `passed` that falls to the time from the end of the line to NS into TO. */
static void give_share_async(struct thread *thread, int64_t *to, int64_t ns)
{
    struct counts *counts = thread->counts;
    for (unsigned i = 0; i < counters_count; i++) {
        int64_t part =
            share(counts->passed[i], ns - thread->last_ns, counts->until_ns - thread->last_ns);
        counts->passed[i] = difference(counts->passed[i], part);
        counts->counted[i] = sum(counts->counted[i], part);
        to[i] = sum(to[i], part);
    }
}

void counts_advance_async(struct thread *thread, int64_t ns)
{
    give_share_async(thread, thread->counts->pending[thread->level - thread->levels], ns);
}

/* The counter cells of NODE in the profile of LEVEL. */
static int64_t *cells_async(struct thread *thread, const struct level *level, uint32_t node)
{
    int64_t *cells = profile_cells_async(level->profile, &thread->tree, node);
    return cells + layout_table[thread->tree.nodes[node].layout].counters;
}

void counts_give_async(struct thread *thread, uint32_t leaf, int64_t ns)
{
    give_share_async(thread, cells_async(thread, thread->level, leaf), ns);
}

void counts_attribute_async(struct thread *thread, struct level *level, uint32_t node)
{
    int64_t *pending = thread->counts->pending[level - thread->levels];
    int64_t any = 0;
    for (unsigned i = 0; i < counters_count; i++)
        any |= pending[i];
    if (!any)
        return;
    int64_t *cells = cells_async(thread, level, node);
    for (unsigned i = 0; i < counters_count; i++) {
        cells[i] = sum(cells[i], pending[i]);
        pending[i] = 0;
    }
}

void counts_absorb_async(struct thread *thread, struct level *inner)
{
    int64_t *from = thread->counts->pending[inner - thread->levels];
    for (unsigned i = 0; i < counters_count; i++) {
        int64_t *to = thread->counts->pending[inner - 1 - thread->levels];
        to[i] = sum(to[i], from[i]);
        from[i] = 0;
    }
}

bool counts_interrupt_async(const struct thread *thread, int64_t before[COUNTERS_MOST])
{
    return thread->counts->set != PAPI_NO_SET && papi_read_async(thread->counts->set, before);
}

void counts_resume_async(struct thread *thread, const int64_t before[COUNTERS_MOST])
{
    struct counts *counts = thread->counts;
    int64_t now[COUNTERS_MOST];
    if (!papi_read_async(counts->set, now))
        return;
    for (unsigned i = 0; i < counters_count; i++) {
        int64_t spent = difference(now[i], before[i]);
        counts->own[i] = sum(counts->own[i], spent);
        counts->last[i] = sum(counts->last[i], spent);
    }
}
