/*
 * The critical path: from the last activity back in time; where a thread had to wait, on with
 * the thread that it waited for.  See causes.h.
 */
#include "replay/causes.h"
#include "replay/stays.h"

#include <stdlib.h>

struct following {
    struct replay *replay;
    struct critical_path *critical;
};

static uint32_t last_thread(const struct replay *replay)
{
    uint32_t last = 0;
    for (uint32_t i = 1; i < replay->world->thread_count; i++)
        if (stays_end(&replay->threads[i]) > stays_end(&replay->threads[last]))
            last = i;
    return last;
}

static void charge(void *context, uint32_t path, uint64_t ns)
{
    struct following *following = context;
    following->critical->critical_ns[path] += (int64_t)ns;
    following->critical->length_ns += (int64_t)ns;
}

/* What THREAD goes back to from its beginning: the first thread of its process, and that of a
 * process the one that was first of all; REPLAY_NONE: it is that. */
static uint32_t thread_before(const struct replay *replay, uint32_t thread)
{
    const struct replay_world *world = replay->world;
    uint32_t first = thread;
    for (uint32_t i = 0; i < world->thread_count && first == thread; i++)
        if (world->processes[i] == world->processes[thread])
            first = i;
    if (first != thread &&
        stays_begin(&replay->threads[first]) < stays_begin(&replay->threads[thread]))
        return first;
    for (uint32_t i = 0; i < world->thread_count; i++)
        if (replay->threads[i].stays_count > 0 &&
            stays_begin(&replay->threads[i]) < stays_begin(&replay->threads[first]))
            first = i;
    return first == thread ? REPLAY_NONE : first;
}

/* Charges what THREAD did before *NS since it last waited, or since it began, and says where
 * the path goes on from there; REPLAY_NONE: it is at its beginning. */
static uint32_t step(struct following *following, const struct wait_list *waits,
                     uint32_t thread, uint64_t *ns)
{
    const struct replay *replay = following->replay;
    const struct thread_state *state = &replay->threads[thread];
    const size_t before = waits_until(replay, &waits[thread], *ns);
    const struct replay_wait *wait =
        before > 0 ? &replay->waits[waits[thread].list[before - 1]] : NULL;
    const uint64_t since = wait ? wait_end(wait) : 0;
    stays_visit(state, since, *ns, charge, following);
    if (wait) {
        *ns = since;
        return wait->cause_thread;
    }
    if (stays_begin(state) < *ns)
        *ns = stays_begin(state);
    return thread_before(replay, thread);
}

/* Every step leads to an earlier time, or with another thread to the same: those are counted.
 */
static void follow(struct following *following, const struct wait_list *waits)
{
    const struct replay *replay = following->replay;
    uint32_t thread = last_thread(replay);
    uint64_t ns = stays_end(&replay->threads[thread]);
    size_t steps_at_once = 0;
    while (thread != REPLAY_NONE && steps_at_once < replay->world->thread_count) {
        const uint64_t before = ns;
        thread = step(following, waits, thread, &ns);
        steps_at_once = ns == before ? steps_at_once + 1 : 0;
    }
}

static void add_active(void *context, uint32_t path, uint64_t ns)
{
    int64_t *active_ns = context;
    active_ns[path] += (int64_t)ns;
}

void critical_path_active(const struct replay *replay, int64_t *active_ns)
{
    for (size_t i = 0; i < replay->world->thread_count; i++)
        stays_visit(&replay->threads[i], 0, UINT64_MAX, add_active, active_ns);
    for (size_t i = 0; i < replay->waits_count; i++) {
        int64_t *active = &active_ns[replay->waits[i].path];
        const int64_t wait = (int64_t)replay->waits[i].ns;
        *active = *active > wait ? *active - wait : 0;
    }
}

static int compare_activities(const void *a, const void *b)
{
    const struct activity *one = a, *other = b;
    if (one->instance != other->instance)
        return one->instance < other->instance ? -1 : 1;
    return one->node < other->node ? -1 : one->node > other->node;
}

/* Adds up what is of one activity. */
static void unite_activities(struct critical_path *critical, size_t count)
{
    struct activity *list = critical->activities;
    if (count > 0)
        qsort(list, count, sizeof *list, compare_activities);
    for (size_t i = 0; i < count; i++) {
        struct activity *last =
            critical->activity_count > 0 ? &list[critical->activity_count - 1] : NULL;
        if (last && compare_activities(last, &list[i]) == 0) {
            last->active_ns += list[i].active_ns;
            last->critical_ns += list[i].critical_ns;
        } else {
            list[critical->activity_count++] = list[i];
        }
    }
}

static void find_activities(const struct replay *replay, struct critical_path *critical)
{
    const struct paths *paths = &replay->paths;
    for (size_t i = 0; i < paths->list_count; i++)
        critical->activities[i] =
            (struct activity){paths->list[i].instance, paths->list[i].node,
                              critical->active_ns[i], critical->critical_ns[i]};
    unite_activities(critical, paths->list_count);
}

const struct activity *activity_of(const struct replay *replay,
                                   const struct critical_path *critical, uint32_t number)
{
    const struct path *path = &replay->paths.list[number];
    const struct activity sought = {.instance = path->instance, .node = path->node};
    return bsearch(&sought, critical->activities, critical->activity_count, sizeof sought,
                   compare_activities);
}

/* The part of CRITICAL_NS that is more than the mean of the processes in ACTIVITY. */
static int64_t imbalance_of(const struct replay *replay, const struct activity *activity,
                            int64_t critical_ns)
{
    const int64_t processes =
        (int64_t)(replay->world->rank_count ? replay->world->rank_count : 1);
    const int64_t excess = activity->critical_ns - activity->active_ns / processes;
    if (excess <= 0)
        return 0;
    return (int64_t)((__int128)critical_ns * excess / activity->critical_ns);
}

static void publish_path(struct replay *replay, const struct critical_path *critical)
{
    for (uint32_t i = 0; i < replay->paths.list_count; i++) {
        const int64_t critical_ns = critical->critical_ns[i];
        if (critical_ns == 0)
            continue;
        const int64_t imbalance =
            imbalance_of(replay, activity_of(replay, critical, i), critical_ns);
        paths_add(&replay->paths, i, replay->first_cause + CAUSE_critical_path,
                  critical_ns - imbalance);
        paths_add(&replay->paths, i, replay->first_cause + CAUSE_critical_path_imbalance,
                  imbalance);
    }
}

void critical_path_publish(struct replay *replay, struct critical_path *critical,
                           const int64_t *waited_ns)
{
    find_activities(replay, critical);
    publish_path(replay, critical);
    impact_find(replay, critical, waited_ns);
}

/* By thread; NULL if out of memory. */
static int64_t *add_waits(const struct replay *replay)
{
    int64_t *waited_ns = calloc(replay->world->thread_count + 1, sizeof *waited_ns);
    for (size_t i = 0; waited_ns && i < replay->waits_count; i++)
        waited_ns[replay->paths.list[replay->waits[i].path].thread] +=
            (int64_t)replay->waits[i].ns;
    return waited_ns;
}

void critical_path_find(struct replay *replay, const struct wait_list *waits)
{
    int64_t *waited_ns = add_waits(replay);
    const size_t count = replay->paths.list_count + 1;
    struct critical_path critical = {.active_ns = calloc(count, sizeof(int64_t)),
                                     .critical_ns = calloc(count, sizeof(int64_t)),
                                     .activities = calloc(count, sizeof(struct activity))};
    const bool good =
        waited_ns && critical.active_ns && critical.critical_ns && critical.activities;
    replay->failed |= !good;
    if (good && replay->world->thread_count > 0) {
        follow(&(struct following){replay, &critical}, waits);
        critical_path_active(replay, critical.active_ns);
        critical_path_publish(replay, &critical, waited_ns);
    }
    free(waited_ns);
    free(critical.active_ns);
    free(critical.critical_ns);
    free(critical.activities);
}
