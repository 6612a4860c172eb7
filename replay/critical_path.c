/*
 * The critical path: from the last activity back in time; where a thread had to wait, on with
 * the thread that it waited for.  See causes.h.
 */
#include "replay/causes.h"
#include "replay/stays.h"

#include <stdlib.h>

/* Where all processes are on one call path in one iteration. */
struct shared {
    uint32_t instance, node;
    int64_t time_ns;     /* summed over all threads */
    int64_t critical_ns; /* of that, on the critical path */
};

struct following {
    struct replay *replay;
    int64_t *critical_ns; /* by path */
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
    following->critical_ns[path] += (int64_t)ns;
}

/* Every step leads to an earlier time, or with another thread to the same: those are counted.
 */
static void follow(struct following *following, const struct wait_list *waits)
{
    const struct replay *replay = following->replay;
    uint32_t thread = last_thread(replay);
    uint64_t ns = stays_end(&replay->threads[thread]);
    size_t steps_at_once = 0;
    while (steps_at_once < replay->world->thread_count) {
        const size_t before = waits_until(replay, &waits[thread], ns);
        const struct replay_wait *wait =
            before > 0 ? &replay->waits[waits[thread].list[before - 1]] : NULL;
        const uint64_t since = wait ? wait_end(wait) : 0;
        stays_visit(&replay->threads[thread], since, ns, charge, following);
        if (!wait)
            return;
        steps_at_once = since == ns ? steps_at_once + 1 : 0;
        thread = wait->cause_thread;
        ns = since;
    }
}

static int compare_shared(const void *a, const void *b)
{
    const struct shared *one = a, *other = b;
    if (one->instance != other->instance)
        return one->instance < other->instance ? -1 : 1;
    return one->node < other->node ? -1 : one->node > other->node;
}

/* The sums over all threads by iteration and call path, sorted; *COUNT of them. */
static struct shared *share(const struct following *following, size_t *count)
{
    const struct paths *paths = &following->replay->paths;
    struct shared *list = malloc((paths->list_count + 1) * sizeof *list);
    *count = 0;
    for (size_t i = 0; list && i < paths->list_count; i++)
        list[i] = (struct shared){paths->list[i].instance, paths->list[i].node,
                                  paths->list[i].time_ns, following->critical_ns[i]};
    if (list && paths->list_count > 0)
        qsort(list, paths->list_count, sizeof *list, compare_shared);
    for (size_t i = 0; list && i < paths->list_count; i++)
        if (*count > 0 && compare_shared(&list[*count - 1], &list[i]) == 0) {
            list[*count - 1].time_ns += list[i].time_ns;
            list[*count - 1].critical_ns += list[i].critical_ns;
        } else {
            list[(*count)++] = list[i];
        }
    return list;
}

/* The part of what is on the critical path that is more than the mean of the processes. */
static int64_t imbalance_of(const struct replay *replay, const struct shared *shared,
                            int64_t critical_ns)
{
    const int64_t processes =
        (int64_t)(replay->world->rank_count ? replay->world->rank_count : 1);
    const int64_t excess = shared->critical_ns - shared->time_ns / processes;
    if (excess <= 0)
        return 0;
    return (int64_t)((__int128)critical_ns * excess / shared->critical_ns);
}

static void publish_path(struct following *following)
{
    struct replay *replay = following->replay;
    size_t count;
    struct shared *all = share(following, &count);
    replay->failed |= !all;
    for (uint32_t i = 0; all && i < replay->paths.list_count; i++) {
        const struct shared sought = {.instance = replay->paths.list[i].instance,
                                      .node = replay->paths.list[i].node};
        if (following->critical_ns[i] == 0)
            continue;
        const struct shared *shared = bsearch(&sought, all, count, sizeof *all, compare_shared);
        const int64_t imbalance = imbalance_of(replay, shared, following->critical_ns[i]);
        paths_add(&replay->paths, i, replay->first_cause + CAUSE_critical_path,
                  following->critical_ns[i] - imbalance);
        paths_add(&replay->paths, i, replay->first_cause + CAUSE_critical_path_imbalance,
                  imbalance);
    }
    free(all);
}

void critical_path_find(struct replay *replay, const struct wait_list *waits)
{
    struct following following = {
        .replay = replay, .critical_ns = calloc(replay->paths.list_count + 1, sizeof(int64_t))};
    replay->failed |= !following.critical_ns;
    if (following.critical_ns && replay->world->thread_count > 0) {
        follow(&following, waits);
        publish_path(&following);
    }
    free(following.critical_ns);
}
