/* See outcome_pairs.h. */
#include "waits/outcome_pairs.h"

#include <stdlib.h>

enum { LONGEST_MOST = 100 }; /* that are kept, of each metric */

struct adding {
    struct summary *summary;
    const struct feed *feed;
    const struct replay_result *result;
    const uint32_t *metrics;
    uint32_t *locations; /* by thread of the trace; SUMMARY_NONE: it has none */
};

static void find_locations(struct adding *adding)
{
    const struct trace *trace = adding->feed->trace;
    const struct summary *summary = adding->summary;
    adding->locations = allocate(trace->thread_count + 1, sizeof *adding->locations);
    for (size_t i = 0; i < trace->thread_count; i++) {
        const uint32_t rank = trace->processes[trace->threads[i].process].rank;
        size_t low = 0, high = summary->location_count;
        while (low < high) {
            const size_t middle = (low + high) / 2;
            const struct location *at = &summary->locations[middle];
            if (at->rank < rank || (at->rank == rank && at->thread < trace->threads[i].number))
                low = middle + 1;
            else
                high = middle;
        }
        adding->locations[i] =
            rank == TRACE_NONE || low == summary->location_count ? SUMMARY_NONE : (uint32_t)low;
    }
}

static void add_reasons(const struct adding *adding, const struct replay_pair *from,
                        struct wait_pair *to)
{
    const struct replay_reason *reasons = adding->result->reasons;
    size_t count = 0;
    for (uint32_t at = from->first_reason; at != REPLAY_NONE; at = reasons[at].next)
        count++;
    to->reasons = memory_pool_allocate(&adding->summary->pool, count, sizeof *to->reasons);
    for (uint32_t at = from->first_reason; at != REPLAY_NONE; at = reasons[at].next)
        to->reasons[to->reason_count++] =
            (struct wait_reason){.node = reasons[at].node,
                                 .is_indirect = reasons[at].is_indirect,
                                 .ns = reasons[at].ns};
    if (count > 1)
        qsort(to->reasons, count, sizeof *to->reasons, wait_reason_compare);
}

static void add_pairs(const struct adding *adding)
{
    const struct replay_result *result = adding->result;
    struct wait_table *waits = &adding->summary->waits;
    waits->pairs =
        memory_pool_allocate(&adding->summary->pool, result->pair_count, sizeof *waits->pairs);
    for (size_t i = 0; i < result->pair_count; i++) {
        const struct replay_pair *from = &result->pairs[i];
        struct wait_pair *to = &waits->pairs[waits->pair_count];
        if (adding->locations[from->thread] == SUMMARY_NONE || from->ns == 0)
            continue;
        *to = (struct wait_pair){.location = adding->locations[from->thread],
                                 .metric = adding->metrics[from->metric],
                                 .node = from->node,
                                 .cause = adding->locations[from->cause_thread],
                                 .count = from->count,
                                 .ns = from->ns,
                                 .longest_ns = from->longest_ns};
        add_reasons(adding, from, to);
        waits->pair_count++;
    }
    if (waits->pair_count > 1)
        qsort(waits->pairs, waits->pair_count, sizeof *waits->pairs, wait_pair_compare);
}

static int compare_waits(const void *a, const void *b)
{
    return replay_wait_compare(*(const struct replay_wait *const *)a,
                               *(const struct replay_wait *const *)b);
}

static uint32_t phase_of(const struct summary *summary, uint32_t region)
{
    for (uint32_t i = 0; i < summary->phase_count; i++)
        if (summary->phases[i].region == region)
            return i;
    return SUMMARY_NONE;
}

static void add_longest(const struct adding *adding, const struct replay_wait *from)
{
    const struct path *path = &adding->result->paths[from->path];
    const struct instance *in =
        path->instance == REPLAY_NONE ? NULL : &adding->feed->instances.list[path->instance];
    const uint32_t phase = in ? phase_of(adding->summary, in->phase) : SUMMARY_NONE;
    struct wait_table *waits = &adding->summary->waits;
    waits->longest[waits->longest_count++] =
        (struct long_wait){.location = adding->locations[path->thread],
                           .metric = adding->metrics[from->metric],
                           .node = path->node,
                           .phase = phase,
                           .iteration = phase == SUMMARY_NONE ? 0 : in->number,
                           .begin_ns = from->begin_ns,
                           .ns = from->ns,
                           .cause = adding->locations[from->cause_thread],
                           .cause_node = adding->result->paths[from->cause_path].node,
                           .cause_ns = from->cause_ns};
}

static void add_all_longest(const struct adding *adding)
{
    const struct replay_result *result = adding->result;
    const struct replay_wait **sorted = allocate(result->wait_count + 1, sizeof *sorted);
    size_t count = 0, of_metric = 0;
    for (size_t i = 0; i < result->wait_count; i++)
        if (result->waits[i].ns > 0 && result->waits[i].cause_path != REPLAY_NONE &&
            adding->locations[result->paths[result->waits[i].path].thread] != SUMMARY_NONE)
            sorted[count++] = &result->waits[i];
    if (count > 1)
        qsort(sorted, count, sizeof *sorted, compare_waits);
    adding->summary->waits.longest =
        memory_pool_allocate(&adding->summary->pool, count, sizeof(struct long_wait));
    for (size_t i = 0; i < count; i++) {
        of_metric = i > 0 && sorted[i]->metric == sorted[i - 1]->metric ? of_metric + 1 : 0;
        if (of_metric < LONGEST_MOST)
            add_longest(adding, sorted[i]);
    }
    free(sorted);
}

void outcome_add_pairs(struct summary *summary, const struct feed *feed,
                       const struct replay_result *result, const uint32_t *metrics)
{
    struct adding adding = {
        .summary = summary, .feed = feed, .result = result, .metrics = metrics};
    find_locations(&adding);
    add_pairs(&adding);
    add_all_longest(&adding);
    free(adding.locations);
}
