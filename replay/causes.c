/* See causes.h. */
#include "replay/causes.h"

#include <stdlib.h>

#define LONGTERM(text) "What such waiting made others wait for later: " text

static const struct tsprof_metric metrics[] = {
    [CAUSE_delay] = {"delay", NULL, "s", "Waiting of others, charged to what caused it"},
    [CAUSE_delay_latesender] = {"delay_latesender", "delay", "s",
                                "Waiting for late senders, charged to what delayed them"},
    [CAUSE_delay_latesender_longterm] = {"delay_latesender_longterm", "delay_latesender", "s",
                                         LONGTERM("late senders")},
    [CAUSE_delay_latereceiver] = {"delay_latereceiver", "delay", "s",
                                  "Waiting for late receivers, charged to what delayed them"},
    [CAUSE_delay_latereceiver_longterm] = {"delay_latereceiver_longterm", "delay_latereceiver",
                                           "s", LONGTERM("late receivers")},
    [CAUSE_delay_barrier] = {"delay_barrier", "delay", "s",
                             "Waiting in barriers, charged to what delayed the last"},
    [CAUSE_delay_barrier_longterm] = {"delay_barrier_longterm", "delay_barrier", "s",
                                      LONGTERM("barriers")},
    [CAUSE_delay_n2n] = {"delay_n2n", "delay", "s",
                         "Waiting where all wait for all, charged to what delayed the last"},
    [CAUSE_delay_n2n_longterm] = {"delay_n2n_longterm", "delay_n2n", "s",
                                  LONGTERM("operations of all with all")},
    [CAUSE_delay_12n] = {"delay_12n", "delay", "s",
                         "Waiting for a root, charged to what delayed it"},
    [CAUSE_delay_12n_longterm] = {"delay_12n_longterm", "delay_12n", "s",
                                  LONGTERM("operations from one to all")},
    [CAUSE_delay_n21] = {"delay_n21", "delay", "s",
                         "Waiting of roots and in scans, charged to what delayed the others"},
    [CAUSE_delay_n21_longterm] = {"delay_n21_longterm", "delay_n21", "s",
                                  LONGTERM("operations from all to one")},
    [CAUSE_wait_direct] = {"wait_direct", NULL, "s",
                           "Waiting that is caused by what the other process did"},
    [CAUSE_wait_indirect] = {"wait_indirect", NULL, "s",
                             "Waiting that is caused by waiting of the other process"},
    [CAUSE_wait_propagating] = {"wait_propagating", NULL, "s",
                                "Waiting that makes others wait later"},
    [CAUSE_wait_terminal] = {"wait_terminal", NULL, "s", "Waiting that makes nobody else wait"},
    [CAUSE_critical_path] = {"critical_path", NULL, "s",
                             "Time on the chain of activities that determines the run time"},
    [CAUSE_critical_path_imbalance] = {"critical_path_imbalance", "critical_path", "s",
                                       "Time on the critical path beyond the mean of all "
                                       "processes on the same call path"},
    [CAUSE_performance_impact] = {"performance_impact", NULL, "s",
                                  "Time of all processes, charged to activities by whether "
                                  "they are on the critical path"},
    [CAUSE_performance_impact_criticalpath] =
        {"performance_impact_criticalpath", "performance_impact", "s",
         "Time that activities on the critical path take, "
         "and that others wait because of them"},
    [CAUSE_critical_path_activities] = {"critical_path_activities",
                                        "performance_impact_criticalpath", "s",
                                        "Time of all processes in activities on the critical "
                                        "path, as far as it has time for them"},
    [CAUSE_critical_imbalance_impact] = {"critical_imbalance_impact",
                                         "performance_impact_criticalpath", "s",
                                         "Waiting of all processes, charged to activities that "
                                         "take longer on the critical path than on them"},
    [CAUSE_intra_partition_imbalance] =
        {"intra_partition_imbalance", "critical_imbalance_impact", "s",
         "Of that, what activities explain that processes share"},
    [CAUSE_inter_partition_imbalance] = {"inter_partition_imbalance",
                                         "critical_imbalance_impact", "s",
                                         "Of that, waiting for activities that the process "
                                         "which waits has no part in"},
    [CAUSE_non_critical_path_activities] = {"non_critical_path_activities",
                                            "performance_impact", "s",
                                            "Time in activities beyond what the critical path "
                                            "has for them"},
};

const struct tsprof_pattern cause_pattern = {
    .version = TSPROF_PATTERN_VERSION,
    .name = "causes",
    .metrics = metrics,
    .metric_count = sizeof metrics / sizeof *metrics,
};

uint64_t wait_end(const struct replay_wait *wait)
{
    return wait->begin_ns + wait->ns;
}

size_t waits_until(const struct replay *replay, const struct wait_list *waits, uint64_t ns)
{
    size_t low = 0, high = waits->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (wait_end(&replay->waits[waits->list[middle]]) <= ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int compare_ends(const void *a, const void *b, void *context)
{
    const struct replay_wait *waits = context;
    const uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    const uint64_t one = wait_end(&waits[first]), other = wait_end(&waits[second]);
    if (one != other)
        return one < other ? -1 : 1;
    return first < second ? -1 : first > second;
}

/* All waits in the order of when they ended. */
static struct wait_list sort_waits(const struct replay *replay)
{
    struct wait_list all = {malloc((replay->waits_count + 1) * sizeof *all.list), 0};
    for (; all.list && all.count < replay->waits_count; all.count++)
        all.list[all.count] = (uint32_t)all.count;
    if (all.count > 1)
        qsort_r(all.list, all.count, sizeof *all.list, compare_ends, replay->waits);
    return all;
}

static uint32_t thread_of(const struct replay *replay, uint32_t wait)
{
    return replay->paths.list[replay->waits[wait].path].thread;
}

/* Those of each thread, in the same order, in MEMORY; NULL if out of memory. */
static struct wait_list *split_waits(const struct replay *replay, const struct wait_list *all,
                                     uint32_t *memory)
{
    const size_t threads = replay->world->thread_count;
    struct wait_list *lists = calloc(threads + 1, sizeof *lists);
    for (size_t i = 0; lists && i < all->count; i++)
        lists[thread_of(replay, all->list[i])].count++;
    for (size_t i = 0; lists && i < threads; i++) {
        lists[i].list = memory;
        memory += lists[i].count;
        lists[i].count = 0;
    }
    for (size_t i = 0; lists && i < all->count; i++) {
        struct wait_list *of = &lists[thread_of(replay, all->list[i])];
        of->list[of->count++] = all->list[i];
    }
    return lists;
}

/* All is known now that the two had to do with each other. */
static void find_since(const struct replay *replay, struct replay_wait *wait)
{
    const uint32_t waiter = replay->paths.list[wait->path].thread;
    uint64_t ns = wait->begin_ns, cause_ns = wait->cause_ns;
    wait->since_ns = syncs_find_gathering(replay->syncs, waiter, wait->cause_thread,
                                          ns < cause_ns ? ns : cause_ns);
    if (!syncs_find_pair(replay->syncs, waiter, wait->cause_thread, &ns, &cause_ns))
        return;
    /* One time for both: what the other one still does there delays it. */
    const uint64_t first_ns = ns < cause_ns ? ns : cause_ns;
    wait->since_ns = first_ns > wait->since_ns ? first_ns : wait->since_ns;
}

void causes_settle(struct replay *replay)
{
    syncs_settle(replay->syncs);
    for (size_t i = 0; i < replay->waits_count; i++)
        find_since(replay, &replay->waits[i]);
}

bool waits_sort(const struct replay *replay, struct sorted_waits *sorted)
{
    *sorted = (struct sorted_waits){
        .all = sort_waits(replay),
        .memory = malloc((replay->waits_count + 1) * sizeof *sorted->memory)};
    if (sorted->all.list && sorted->memory)
        sorted->threads = split_waits(replay, &sorted->all, sorted->memory);
    return sorted->threads != NULL;
}

void waits_free(struct sorted_waits *sorted)
{
    free(sorted->threads);
    free(sorted->memory);
    free(sorted->all.list);
}

void causes_find(struct replay *replay)
{
    struct sorted_waits sorted;
    causes_settle(replay);
    replay->failed |= !waits_sort(replay, &sorted);
    if (!replay->failed) {
        delays_find(replay, &sorted.all, sorted.threads);
        critical_path_find(replay, sorted.threads);
    }
    waits_free(&sorted);
}
