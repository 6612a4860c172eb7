/* See stays.h. */
#include "replay/stays.h"

/* The last stay that begins at NS or before; 0 if there is none. */
static size_t stay_at(const struct thread_state *thread, uint64_t ns)
{
    size_t low = 0, high = thread->stays_count;
    while (low + 1 < high) {
        const size_t middle = (low + high) / 2;
        if (thread->stays[middle].begin_ns <= ns)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void stays_visit(const struct thread_state *thread, uint64_t begin_ns, uint64_t end_ns,
                 stay_visitor *visit, void *context)
{
    if (thread->stays_count == 0)
        return;
    const uint64_t last_ns = end_ns < thread->since_ns ? end_ns : thread->since_ns;
    for (size_t i = stay_at(thread, begin_ns); i < thread->stays_count; i++) {
        const uint64_t next =
            i + 1 < thread->stays_count ? thread->stays[i + 1].begin_ns : thread->since_ns;
        const uint64_t from =
            thread->stays[i].begin_ns > begin_ns ? thread->stays[i].begin_ns : begin_ns;
        const uint64_t to = next < last_ns ? next : last_ns;
        if (from >= last_ns)
            return;
        if (to > from && thread->stays[i].path != REPLAY_NONE)
            visit(context, thread->stays[i].path, to - from);
    }
}

const struct stay *stays_at(const struct thread_state *thread, uint64_t ns)
{
    const size_t at = stay_at(thread, ns);
    return at < thread->stays_count && thread->stays[at].begin_ns <= ns ? &thread->stays[at]
                                                                        : NULL;
}

uint64_t stays_begin(const struct thread_state *thread)
{
    return thread->stays_count ? thread->stays[0].begin_ns : thread->since_ns;
}

uint64_t stays_end(const struct thread_state *thread)
{
    return thread->since_ns;
}

size_t replay_place_count(const struct replay *replay, uint32_t thread)
{
    const size_t count = replay->threads[thread].stays_count;
    return count ? count + 1 : 0;
}

struct replay_place replay_place(const struct replay *replay, uint32_t thread, size_t number)
{
    const struct thread_state *state = &replay->threads[thread];
    if (number >= state->stays_count)
        return (struct replay_place){state->since_ns, REPLAY_NONE};
    return (struct replay_place){state->stays[number].begin_ns, state->stays[number].path};
}
