/* Adding up the cost facts.  See costs.h. */
#include "accuracy/costs.h"

#include "query/query.h"

#include <stdlib.h>

static long double overhead_s(const struct summary *summary, const struct location *location)
{
    uint32_t overhead = summary_metric(summary, "overhead");
    if (overhead == SUMMARY_NONE)
        return 0;
    int64_t *values = profile_inclusive(summary, &location->whole);
    long double seconds = shown_value(summary, overhead, (long double)values[overhead], 1);
    free(values);
    return seconds;
}

/* Adds COUNT events; the fact KEY, if there is one, says how long they took. */
static void add_part(struct cost_part *part, const struct location *location, uint64_t count,
                     const char *key)
{
    uint64_t spent_ns;
    if (!location_find_cost(location, key, &spent_ns))
        return;
    part->known = true;
    part->count += count;
    part->seconds += (long double)spent_ns / 1e9L;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void add_location(struct costs *costs, const struct summary *summary,
                         const struct location *location)
{
    uint64_t used = location_cost(location, "samples");
    uint64_t unused = location_cost(location, "samples_in_mpi");
    costs->wall_s += (long double)location->wall_ns / 1e9L;
    costs->overhead_s += overhead_s(summary, location);
    add_part(&costs->samples, location, used + unused, "handler_ns");
    add_part(&costs->markers, location, location_cost(location, "markers"), "marker_ns");
    uint64_t saves = location_cost(location, "saves");
    /* Where no attempt to save succeeded, the time of the attempts counts as that of calls. */
    if (saves)
        add_part(&costs->saves, location, saves, "saving_ns");
    uint64_t entries = location_cost(location, "entries");
    if (entries)
        add_part(&costs->functions, location, entries, "telling_ns");
    costs->arming_s += (long double)location_cost(location, "arming_ns") / 1e9L;
    costs->unused_samples += unused;
    costs->period_ns = larger(costs->period_ns, location_cost(location, "sample_period_ns"));
    costs->calls.count += location_cost(location, "calls");
}

/* Sets what processes had resident, if it is known of all of them. */
static void add_resident(struct costs *costs, const struct selection *selection)
{
    long double sum = 0;
    for (size_t r = 0; r < selection->rank_count; r++) {
        const struct rank_group *rank = &selection->ranks[r];
        uint64_t bytes = 0;
        for (size_t i = 0; i < rank->count; i++)
            bytes = larger(bytes, location_cost(&selection->summary->locations[rank->first + i],
                                                "resident_most_bytes"));
        if (bytes == 0) {
            costs->resident_most_bytes = 0;
            return;
        }
        if (bytes > costs->resident_most_bytes) {
            costs->resident_most_bytes = bytes;
            costs->resident_rank = rank->rank;
        }
        sum += (long double)bytes;
    }
    if (selection->rank_count > 0)
        costs->resident_mean_bytes = (uint64_t)(sum / (long double)selection->rank_count);
}

struct costs costs_of(const struct selection *selection)
{
    struct costs costs = {.calls = {.known = true}};
    for (size_t r = 0; r < selection->rank_count; r++) {
        const struct rank_group *rank = &selection->ranks[r];
        uint64_t memory = 0;
        for (size_t i = 0; i < rank->count; i++) {
            const struct location *location = &selection->summary->locations[rank->first + i];
            add_location(&costs, selection->summary, location);
            memory += location_cost(location, "memory_bytes");
        }
        costs.memory_bytes = larger(costs.memory_bytes, memory);
    }
    costs.calls.seconds =
        costs.overhead_s - costs.samples.seconds - costs.markers.seconds - costs.saves.seconds;
    if (costs.calls.seconds < 0)
        costs.calls.seconds = 0;
    add_resident(&costs, selection);
    return costs;
}
