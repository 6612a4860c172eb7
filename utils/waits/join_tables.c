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

static void join_reasons(const struct join *join, struct wait_pair *pair)
{
    struct wait_reason *reasons =
        memory_pool_allocate(&join->run->pool, pair->reason_count, sizeof *reasons);
    for (size_t i = 0; i < pair->reason_count; i++) {
        reasons[i] = pair->reasons[i];
        reasons[i].node = node_of(join, reasons[i].node);
    }
    pair->reasons = reasons;
}

static void join_pairs(const struct join *join)
{
    const struct wait_table *from = &join->waits->waits;
    struct wait_table *to = &join->run->waits;
    to->pairs = memory_pool_allocate(&join->run->pool, from->pair_count, sizeof *to->pairs);
    for (size_t i = 0; i < from->pair_count; i++) {
        struct wait_pair *pair = &to->pairs[to->pair_count++];
        *pair = from->pairs[i];
        pair->location = location_of(join, pair->location);
        pair->cause = location_of(join, pair->cause);
        pair->metric = join->metrics[pair->metric].number;
        pair->node = node_of(join, pair->node);
        join_reasons(join, pair);
    }
    if (to->pair_count > 1)
        qsort(to->pairs, to->pair_count, sizeof *to->pairs, wait_pair_compare);
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
