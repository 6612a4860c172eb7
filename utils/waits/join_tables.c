/* Who waits for whom, in the numbers of the run.  See join_parts.h. */
#include "waits/join_parts.h"

#include <stdlib.h>

static uint32_t location_of(const struct join *join, uint32_t location)
{
    return location == SUMMARY_NONE ? SUMMARY_NONE : join->location_of[location];
}

static uint32_t node_of(const struct join *join, uint32_t node)
{
    return join->classes[join->wait_class_of[node]].first_node;
}

static int compare_places(const void *a, const void *b)
{
    const struct wait_reason *one = a, *other = b;
    if (one->node != other->node)
        return one->node < other->node ? -1 : 1;
    return one->is_indirect - other->is_indirect;
}

/* Call paths of the trace may be one in the run: PAIR's reasons of each become one. */
static void unite_reasons(struct wait_pair *pair)
{
    size_t count = 0;
    if (pair->reason_count < 2)
        return;
    qsort(pair->reasons, pair->reason_count, sizeof *pair->reasons, compare_places);
    for (size_t i = 0; i < pair->reason_count; i++)
        if (count > 0 && compare_places(&pair->reasons[count - 1], &pair->reasons[i]) == 0)
            pair->reasons[count - 1].ns += pair->reasons[i].ns;
        else
            pair->reasons[count++] = pair->reasons[i];
    pair->reason_count = count;
    qsort(pair->reasons, count, sizeof *pair->reasons, wait_reason_compare);
}

/* COUNT pairs are one in the run. */
static struct wait_pair unite_pairs(const struct join *join, const struct wait_pair *pairs,
                                    size_t count)
{
    struct wait_pair all = pairs[0];
    size_t reasons = 0;
    for (size_t i = 0; i < count; i++)
        reasons += pairs[i].reason_count;
    all.reasons = memory_pool_allocate(&join->run->pool, reasons, sizeof *all.reasons);
    all.count = all.ns = all.longest_ns = all.reason_count = 0;
    for (size_t i = 0; i < count; i++) {
        all.count += pairs[i].count;
        all.ns += pairs[i].ns;
        if (pairs[i].longest_ns > all.longest_ns)
            all.longest_ns = pairs[i].longest_ns;
        for (size_t k = 0; k < pairs[i].reason_count; k++) {
            struct wait_reason *reason = &all.reasons[all.reason_count++];
            *reason = pairs[i].reasons[k];
            reason->node = node_of(join, reason->node);
        }
    }
    unite_reasons(&all);
    return all;
}

static void join_pairs(const struct join *join)
{
    const struct wait_table *from = &join->waits->waits;
    struct wait_table *to = &join->run->waits;
    struct wait_pair *pairs = allocate(from->pair_count + 1, sizeof *pairs);
    for (size_t i = 0; i < from->pair_count; i++) {
        pairs[i] = from->pairs[i];
        pairs[i].location = location_of(join, pairs[i].location);
        pairs[i].cause = location_of(join, pairs[i].cause);
        pairs[i].metric = join->metrics[pairs[i].metric].number;
        pairs[i].node = node_of(join, pairs[i].node);
    }
    if (from->pair_count > 1)
        qsort(pairs, from->pair_count, sizeof *pairs, wait_pair_compare);
    to->pairs = memory_pool_allocate(&join->run->pool, from->pair_count, sizeof *to->pairs);
    for (size_t i = 0, count; i < from->pair_count; i += count) {
        count = 1;
        while (i + count < from->pair_count &&
               wait_pair_compare(&pairs[i], &pairs[i + count]) == 0)
            count++;
        to->pairs[to->pair_count++] = unite_pairs(join, &pairs[i], count);
    }
    free(pairs);
}

/* By metric, whose numbers have changed; the rest of the order remains. */
static int compare_longest(const void *a, const void *b)
{
    const struct long_wait *one = a, *other = b;
    if (one->metric != other->metric)
        return one->metric < other->metric ? -1 : 1;
    if (one->ns != other->ns)
        return one->ns > other->ns ? -1 : 1;
    if (one->begin_ns != other->begin_ns)
        return one->begin_ns < other->begin_ns ? -1 : 1;
    return one->location < other->location ? -1 : one->location > other->location;
}

static void join_longest(const struct join *join)
{
    const struct wait_table *from = &join->waits->waits;
    struct wait_table *to = &join->run->waits;
    to->longest =
        memory_pool_allocate(&join->run->pool, from->longest_count, sizeof *to->longest);
    for (size_t i = 0; i < from->longest_count; i++) {
        struct long_wait *wait = &to->longest[to->longest_count++];
        *wait = from->longest[i];
        wait->location = location_of(join, wait->location);
        wait->cause = location_of(join, wait->cause);
        wait->metric = join->metrics[wait->metric].number;
        wait->node = node_of(join, wait->node);
        wait->cause_node = node_of(join, wait->cause_node);
        if (wait->phase != SUMMARY_NONE)
            wait->phase = join->phase_of[wait->phase];
    }
    if (to->longest_count > 1)
        qsort(to->longest, to->longest_count, sizeof *to->longest, compare_longest);
}

void join_tables(struct join *join)
{
    join_pairs(join);
    join_longest(join);
}
