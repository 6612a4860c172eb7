/* See corrections.h. */
#include "archive/corrections.h"

#include "base/base.h"

#include <stdlib.h>

/* How quickly distances may shrink after a jump, and grow before it. */
enum { SHRINKS_BY = 128, GROWS_BY = 64 };

struct limit {
    uint64_t time_ns, limit_ns;
};

struct jump {
    uint64_t order, time_ns, before_ns, after_ns;
    uint64_t ramp_ns;     /* when the ramp begins */
    struct limit *limits; /* after corrections_settle: by time, what the ramp has there */
    size_t limit_count, limit_room;
};

struct corrected_thread {
    struct jump *jumps;
    size_t count, room;
    size_t next; /* jump behind the event that was asked for last */
};

struct corrections {
    size_t thread_count;
    struct corrected_thread *threads;
};

struct corrections *corrections_create(size_t threads)
{
    struct corrections *corrections = allocate(1, sizeof *corrections);
    corrections->thread_count = threads;
    corrections->threads = allocate(threads + 1, sizeof *corrections->threads);
    return corrections;
}

void corrections_free(struct corrections *corrections)
{
    if (!corrections)
        return;
    for (size_t i = 0; i < corrections->thread_count; i++) {
        for (size_t j = 0; j < corrections->threads[i].count; j++)
            free(corrections->threads[i].jumps[j].limits);
        free(corrections->threads[i].jumps);
    }
    free(corrections->threads);
    free(corrections);
}

/* What is left at TIME_NS of having been moved by JUMP. */
static uint64_t left_of(const struct jump *jump, uint64_t time_ns)
{
    const uint64_t shrunk = (time_ns - jump->time_ns) / SHRINKS_BY;
    return jump->after_ns > shrunk ? jump->after_ns - shrunk : 0;
}

/* Where the ramp to JUMP begins: as early as it needs, but behind the jump BEFORE. */
static uint64_t ramp_begin(const struct jump *jump, const struct jump *before)
{
    const uint64_t rise = jump->after_ns - jump->before_ns,
                   least = before ? before->time_ns : 0;
    const uint64_t most = jump->time_ns - least;
    return rise < most / GROWS_BY ? jump->time_ns - rise * GROWS_BY : least;
}

void corrections_add_jump(struct corrections *corrections, uint32_t thread, uint64_t order,
                          uint64_t time_ns, uint64_t before_ns, uint64_t after_ns)
{
    struct corrected_thread *of = &corrections->threads[thread];
    struct jump jump = {
        .order = order, .time_ns = time_ns, .before_ns = before_ns, .after_ns = after_ns};
    of->jumps = grow_list(of->jumps, of->count, &of->room, sizeof *of->jumps);
    jump.ramp_ns = ramp_begin(&jump, of->count ? &of->jumps[of->count - 1] : NULL);
    of->jumps[of->count++] = jump;
}

uint64_t corrections_jumped(struct corrections *corrections, uint32_t thread, uint64_t order,
                            uint64_t time_ns)
{
    struct corrected_thread *of = &corrections->threads[thread];
    while (of->next < of->count && of->jumps[of->next].order <= order)
        of->next++;
    return of->next > 0 ? left_of(&of->jumps[of->next - 1], time_ns) : 0;
}

void corrections_rewind(struct corrections *corrections)
{
    for (size_t i = 0; i < corrections->thread_count; i++)
        corrections->threads[i].next = 0;
}

size_t corrections_ramp(const struct corrections *corrections, uint32_t thread,
                        uint64_t time_ns)
{
    const struct corrected_thread *of = &corrections->threads[thread];
    return of->next < of->count && time_ns > of->jumps[of->next].ramp_ns ? of->next : SIZE_MAX;
}

/* What is at TIME_NS on the line from A to B. */
static uint64_t between(struct limit a, struct limit b, uint64_t time_ns)
{
    if (b.time_ns <= a.time_ns)
        return a.limit_ns;
    return a.limit_ns + (uint64_t)((unsigned __int128)(time_ns - a.time_ns) *
                                   (b.limit_ns - a.limit_ns) / (b.time_ns - a.time_ns));
}

/* The ends of the ramp, where nobody limits it. */
static struct limit ramp_start(const struct jump *jump)
{
    return (struct limit){jump->ramp_ns, 0};
}

static struct limit ramp_top(const struct jump *jump)
{
    return (struct limit){jump->time_ns, jump->after_ns - jump->before_ns};
}

void corrections_limit(struct corrections *corrections, uint32_t thread, size_t ramp,
                       uint64_t time_ns, uint64_t limit_ns)
{
    struct jump *jump = &corrections->threads[thread].jumps[ramp];
    if (limit_ns >= between(ramp_start(jump), ramp_top(jump), time_ns))
        return;
    jump->limits =
        grow_list(jump->limits, jump->limit_count, &jump->limit_room, sizeof *jump->limits);
    jump->limits[jump->limit_count++] = (struct limit){time_ns, limit_ns};
}

static int by_time(const void *a, const void *b)
{
    const struct limit *one = a, *other = b;
    if (one->time_ns != other->time_ns)
        return one->time_ns < other->time_ns ? -1 : 1;
    return one->limit_ns < other->limit_ns ? -1 : one->limit_ns > other->limit_ns;
}

/* What a later limit forbids, an earlier one does not allow. */
static void settle(struct jump *jump)
{
    if (jump->limit_count == 0)
        return;
    qsort(jump->limits, jump->limit_count, sizeof *jump->limits, by_time);
    for (size_t i = jump->limit_count - 1; i-- > 0;)
        if (jump->limits[i].limit_ns > jump->limits[i + 1].limit_ns)
            jump->limits[i].limit_ns = jump->limits[i + 1].limit_ns;
}

void corrections_settle(struct corrections *corrections)
{
    for (size_t i = 0; i < corrections->thread_count; i++)
        for (size_t j = 0; j < corrections->threads[i].count; j++)
            settle(&corrections->threads[i].jumps[j]);
    corrections_rewind(corrections);
}

/* How far the ramp to JUMP has risen at TIME_NS. */
static uint64_t risen(const struct jump *jump, uint64_t time_ns)
{
    size_t low = 0, high = jump->limit_count;
    if (time_ns <= jump->ramp_ns)
        return 0;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (jump->limits[middle].time_ns >= time_ns)
            high = middle;
        else
            low = middle + 1;
    }
    const struct limit from = low > 0 ? jump->limits[low - 1] : ramp_start(jump);
    const struct limit to = low < jump->limit_count ? jump->limits[low] : ramp_top(jump);
    return between(from, to, time_ns);
}

/* What an event at TIME_NS is moved by, between the jumps that it lies between. */
static uint64_t moved_by(const struct corrected_thread *of, uint64_t time_ns)
{
    const uint64_t left = of->next > 0 ? left_of(&of->jumps[of->next - 1], time_ns) : 0;
    return of->next < of->count ? left + risen(&of->jumps[of->next], time_ns) : left;
}

uint64_t corrections_at(struct corrections *corrections, uint32_t thread, uint64_t order,
                        uint64_t time_ns)
{
    corrections_jumped(corrections, thread, order, time_ns);
    return moved_by(&corrections->threads[thread], time_ns);
}

uint64_t corrections_at_time(struct corrections *corrections, uint32_t thread, uint64_t time_ns)
{
    struct corrected_thread *of = &corrections->threads[thread];
    while (of->next < of->count && of->jumps[of->next].time_ns <= time_ns)
        of->next++;
    return moved_by(of, time_ns);
}

uint64_t corrections_count(const struct corrections *corrections)
{
    uint64_t count = 0;
    for (size_t i = 0; i < corrections->thread_count; i++)
        count += corrections->threads[i].count;
    return count;
}
