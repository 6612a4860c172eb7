/* See united.h. */
#include "assemble/united.h"

#include "common/metrics.h"

#include <stdlib.h>

void united_encode(const struct united *united, struct encoder *out)
{
    definitions_encode(&united->definitions, out);
    hosts_encode_message(&united->hosts, out);
    topologies_encode_message(&united->topologies, out);
}

void united_merge(struct united *united, struct decoder *in, struct united_maps *maps)
{
    *maps = (struct united_maps){0};
    definitions_merge(&united->definitions, in, &maps->definitions);
    if (!hosts_merge(&united->hosts, in, &maps->hosts, &maps->host_count) ||
        !topologies_add(&united->topologies, in))
        united->definitions.failed = true;
}

void united_free(struct united *united)
{
    definitions_free(&united->definitions);
    hosts_free(&united->hosts);
    topologies_free(&united->topologies);
}

void united_maps_free(struct united_maps *maps)
{
    definition_maps_free(&maps->definitions);
    free(maps->hosts);
    *maps = (struct united_maps){0};
}

static size_t count_items(const struct united *united)
{
    const struct definitions *definitions = &united->definitions;
    return (size_t)definitions->node_count + definitions->phase_count +
           definitions->counter_count + united->hosts.texts.count;
}

bool numbering_take(struct numbering *numbering, const struct united *united, uint32_t *numbers,
                    size_t count)
{
    const struct definitions *definitions = &united->definitions;
    if (!numbers || count != count_items(united))
        return false;
    numbering->nodes = numbers;
    numbering->phases = numbering->nodes + definitions->node_count;
    numbering->counters = numbering->phases + definitions->phase_count;
    numbering->hosts = numbering->counters + definitions->counter_count;
    return true;
}

/* Fills NUMBERS with COUNT numbers from FIRST on. */
static void count_up(uint32_t *numbers, uint32_t count, uint32_t first)
{
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = first + i;
}

bool numbering_begin(struct numbering *numbering, const struct united *united)
{
    const struct definitions *definitions = &united->definitions;
    size_t count = count_items(united);
    if (!numbering_take(numbering, united, calloc(count + 1, sizeof *numbering->nodes), count))
        return false;
    count_up(numbering->phases, definitions->phase_count, 0);
    count_up(numbering->counters, definitions->counter_count, METRIC_COUNT);
    count_up(numbering->hosts, united->hosts.texts.count, 0);
    return true;
}

/* Appends to AT the numbers in KNOWN, which has LIMIT, of the things in MAP. */
static uint32_t *translate(uint32_t *at, const uint32_t *map, uint32_t count,
                           const uint32_t *known, uint32_t limit)
{
    for (uint32_t i = 0; i < count; i++, at++)
        if (map[i] < limit)
            *at = known[map[i]];
    return at;
}

uint32_t *numbering_for(const struct numbering *numbering, const struct united *united,
                        const struct united_maps *maps, size_t *count)
{
    const struct definitions *all = &united->definitions;
    const struct definition_maps *theirs = &maps->definitions;
    *count = (size_t)theirs->node_count + theirs->phase_count + theirs->counter_count +
             maps->host_count;
    uint32_t *numbers = calloc(*count + 1, sizeof *numbers), *at = numbers;
    if (!numbers)
        return NULL;
    at = translate(at, theirs->nodes, theirs->node_count, numbering->nodes, all->node_count);
    at =
        translate(at, theirs->phases, theirs->phase_count, numbering->phases, all->phase_count);
    at = translate(at, theirs->counters, theirs->counter_count, numbering->counters,
                   all->counter_count);
    translate(at, maps->hosts, maps->host_count, numbering->hosts, united->hosts.texts.count);
    return numbers;
}
