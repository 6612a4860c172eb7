/*
 * The critical path where several share an analysis.  It leads from one thread to another as
 * often as somebody waits, so that nobody passes it on: the first of the team hears when all
 * threads began and ended and what their waits were, follows the path as critical_path.c does,
 * and tells everybody where it goes along their threads.  See crew_causes.h.
 */
#include "replay/crew/crew_causes.h"

#include "replay/list.h"
#include "replay/stays.h"

#include <stdlib.h>
#include <string.h>

/* What is told of a thread; its waits follow, in the order of when they ended. */
struct told_thread {
    uint64_t begin_ns, end_ns;
    uint32_t thread, wait_count;
    bool has_stays;
};

struct told_wait {
    uint64_t end_ns;
    uint32_t cause_thread;
};

/* The path goes along THREAD. */
struct stretch {
    uint64_t begin_ns, end_ns;
    uint32_t thread;
};

static bool tell_thread(const struct replay *replay, const struct wait_list *waits,
                        uint32_t thread, struct bytes *to)
{
    const struct thread_state *state = &replay->threads[thread];
    struct told_thread told;
    memset(&told, 0, sizeof told);
    told.begin_ns = stays_begin(state);
    told.end_ns = stays_end(state);
    told.thread = thread;
    told.wait_count = (uint32_t)waits[thread].count;
    told.has_stays = state->stays_count > 0;
    bool good = bytes_add(to, &told, sizeof told);
    for (size_t i = 0; good && i < waits[thread].count; i++) {
        const struct replay_wait *wait = &replay->waits[waits[thread].list[i]];
        struct told_wait one;
        memset(&one, 0, sizeof one);
        one.end_ns = wait_end(wait);
        one.cause_thread = wait->cause_thread;
        good = bytes_add(to, &one, sizeof one);
    }
    return good;
}

/* What the first of the team knows of all threads. */
struct known_thread {
    struct told_thread told;
    const char *waits;
};

struct following {
    const struct replay_world *world;
    const struct replay_share *share;
    struct known_thread *threads;
    struct bytes *out;
    bool good;
};

static void hear(struct following *following, const struct bytes *from)
{
    for (size_t at = 0; at < from->count;) {
        struct known_thread known;
        memcpy(&known.told, from->data + at, sizeof known.told);
        at += sizeof known.told;
        known.waits = from->data + at;
        at += known.told.wait_count * sizeof(struct told_wait);
        following->threads[known.told.thread] = known;
    }
}

static struct told_wait wait_of(const struct known_thread *thread, size_t number)
{
    struct told_wait wait;
    memcpy(&wait, thread->waits + number * sizeof wait, sizeof wait);
    return wait;
}

/* How many waits of THREAD had ended by NS. */
static size_t waits_by(const struct known_thread *thread, uint64_t ns)
{
    size_t low = 0, high = thread->told.wait_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (wait_of(thread, middle).end_ns <= ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void charge(struct following *following, uint32_t thread, uint64_t begin_ns,
                   uint64_t end_ns)
{
    const uint32_t owner = following->share->owners[following->world->processes[thread]];
    struct stretch stretch;
    memset(&stretch, 0, sizeof stretch);
    stretch.begin_ns = begin_ns;
    stretch.end_ns = end_ns;
    stretch.thread = thread;
    following->good &= bytes_add(&following->out[owner], &stretch, sizeof stretch);
}

static uint64_t begin_of(const struct following *following, uint32_t thread)
{
    return following->threads[thread].told.begin_ns;
}

/* As in critical_path.c. */
static uint32_t thread_before(const struct following *following, uint32_t thread)
{
    const struct replay_world *world = following->world;
    uint32_t first = thread;
    for (uint32_t i = 0; i < world->thread_count && first == thread; i++)
        if (world->processes[i] == world->processes[thread])
            first = i;
    if (first != thread && begin_of(following, first) < begin_of(following, thread))
        return first;
    for (uint32_t i = 0; i < world->thread_count; i++)
        if (following->threads[i].told.has_stays &&
            begin_of(following, i) < begin_of(following, first))
            first = i;
    return first == thread ? REPLAY_NONE : first;
}

static uint32_t step(struct following *following, uint32_t thread, uint64_t *ns)
{
    const struct known_thread *state = &following->threads[thread];
    const size_t before = waits_by(state, *ns);
    const struct told_wait wait =
        before > 0 ? wait_of(state, before - 1) : (struct told_wait){0, REPLAY_NONE};
    charge(following, thread, wait.end_ns, *ns);
    if (before > 0) {
        *ns = wait.end_ns;
        return wait.cause_thread;
    }
    if (state->told.begin_ns < *ns)
        *ns = state->told.begin_ns;
    return thread_before(following, thread);
}

static void follow(struct following *following)
{
    const size_t count = following->world->thread_count;
    uint32_t thread = 0;
    for (uint32_t i = 1; i < count; i++)
        if (following->threads[i].told.end_ns > following->threads[thread].told.end_ns)
            thread = i;
    uint64_t ns = following->threads[thread].told.end_ns;
    size_t steps_at_once = 0;
    while (thread != REPLAY_NONE && steps_at_once < count) {
        const uint64_t before = ns;
        thread = step(following, thread, &ns);
        steps_at_once = ns == before ? steps_at_once + 1 : 0;
    }
}

static void charge_path(void *context, uint32_t path, uint64_t ns)
{
    struct critical_path *critical = context;
    critical->critical_ns[path] += (int64_t)ns;
    critical->length_ns += (int64_t)ns;
}

static void charge_own(const struct replay *replay, const struct bytes *from,
                       struct critical_path *critical)
{
    struct stretch stretch;
    for (size_t at = 0; at + sizeof stretch <= from->count; at += sizeof stretch) {
        memcpy(&stretch, from->data + at, sizeof stretch);
        stays_visit(&replay->threads[stretch.thread], stretch.begin_ns, stretch.end_ns,
                    charge_path, critical);
    }
}

bool crew_path_follow(struct replay *replay, struct team *team, const struct wait_list *waits,
                      struct critical_path *critical)
{
    const struct replay_world *world = replay->world;
    struct talk talk;
    bool good = talk_open(&talk, team);
    for (uint32_t i = 0; good && i < world->thread_count; i++)
        if (share_has(replay, world->processes[i]))
            good = tell_thread(replay, waits, i, &talk.out[0]);
    good = good && talk_exchange(&talk);
    if (good && team->self == 0 && world->thread_count > 0) {
        struct following following = {
            .world = world,
            .share = replay->share,
            .threads = calloc(world->thread_count, sizeof *following.threads),
            .out = talk.out,
            .good = true};
        for (uint32_t i = 0; following.threads && i < team->size; i++)
            hear(&following, &talk.in[i]);
        if (following.threads)
            follow(&following);
        good = following.threads && following.good;
        free(following.threads);
    }
    good = good && talk_exchange(&talk);
    if (good)
        charge_own(replay, &talk.in[0], critical);
    talk_close(&talk);
    uint64_t length = (uint64_t)critical->length_ns;
    good = good && team_sum(team, &length, 1);
    critical->length_ns = (int64_t)length;
    return good;
}
