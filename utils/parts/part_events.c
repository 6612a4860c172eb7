/* See part_events.h. */
#include "parts/part_events.h"

#include <stdlib.h>

static void copy_section(struct encoder *copy, const struct encoder *section)
{
    encode_bytes(copy, section->bytes, section->size);
    if (copy->failed)
        out_of_memory();
}

void part_events_keep_sections(struct part_events *events,
                               const struct description *description)
{
    if (!events->archive)
        return;
    copy_section(&events->regions, &description->regions);
    copy_section(&events->calltree, &description->calltree);
    copy_section(&events->phases, &description->phases);
}

struct lookup {
    struct union_of_parts *all;
    const uint32_t *numbers;
};

/* See struct job_facts. */
static uint32_t *find_nodes(void *context, size_t location, uint32_t *count)
{
    const struct lookup *lookup = context;
    struct taken_location taken;
    struct error error;
    uint32_t *nodes = NULL;
    const struct united_location *united = &lookup->all->locations[location];
    if (union_take(lookup->all, united, &taken, &error)) {
        nodes = taken.nodes;
        taken.nodes = NULL;
        *count = united->node_count;
    }
    taken_free(&taken);
    for (uint32_t i = 0; nodes && i < *count; i++)
        if (nodes[i] != DEFINITION_NONE)
            nodes[i] = lookup->numbers[nodes[i]] & ~RESOLVED_LEFT_OUT;
    return nodes;
}

static uint64_t sample_ns(const struct union_of_parts *all)
{
    const double rate = strtod(union_fact(all, "setting.RATE"), NULL);
    return rate > 0 ? (uint64_t)(1e9 / rate) : 0;
}

void part_events_write(struct part_events *events, struct union_of_parts *all,
                       struct merged *merged)
{
    merged->has_events = all->trace.count > 0;
    if (!merged->has_events || !events->archive)
        return;
    struct lookup lookup = {all, events->numbers};
    const char **counters = allocate(all->counter_count + 1, sizeof *counters);
    for (size_t i = 0; i < all->counter_count; i++)
        counters[i] = all->counters[i].name;
    const struct job_facts facts = {.regions = &events->regions,
                                    .calltree = &events->calltree,
                                    .phases = &events->phases,
                                    .hosts = all->hosts,
                                    .host_count = all->host_count,
                                    .counters = counters,
                                    .counter_count = (unsigned)all->counter_count,
                                    .ranks = (uint32_t)merged->ranks,
                                    .choice = union_fact(all, "setting.TRACE"),
                                    .program = union_fact(all, "program"),
                                    .sample_ns = sample_ns(all),
                                    .nodes = find_nodes,
                                    .context = &lookup};
    merged->has_archive =
        job_trace_write(&all->trace, &facts, events->archive, events->replaces, &merged->events,
                        &merged->no_archive);
    free(counters);
}

void part_events_free(struct part_events *events)
{
    encoder_free(&events->regions);
    encoder_free(&events->calltree);
    encoder_free(&events->phases);
    free(events->numbers);
}
