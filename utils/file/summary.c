/* See summary.h. */
#include "file/summary.h"

#include <stdlib.h>
#include <string.h>

void summary_free(struct summary *summary)
{
    if (!summary)
        return;
    memory_pool_free(&summary->pool);
    free(summary);
}

const char *summary_fact(const struct summary *summary, const char *key)
{
    for (size_t i = 0; i < summary->fact_count; i++)
        if (strcmp(summary->facts[i].key, key) == 0)
            return summary->facts[i].value;
    return NULL;
}

bool summary_is_of_trace(const struct summary *summary)
{
    return summary_fact(summary, "trace") != NULL;
}

uint32_t summary_metric(const struct summary *summary, const char *name)
{
    for (size_t i = 0; i < summary->metric_count; i++)
        if (strcmp(summary->metrics[i].name, name) == 0)
            return (uint32_t)i;
    return SUMMARY_NONE;
}

uint32_t summary_phase(const struct summary *summary, const char *name)
{
    for (size_t i = 0; i < summary->phase_count; i++)
        if (strcmp(summary->phases[i].name, name) == 0)
            return (uint32_t)i;
    return SUMMARY_NONE;
}

bool location_find_cost(const struct location *location, const char *key, uint64_t *value)
{
    for (size_t i = 0; i < location->cost_count; i++)
        if (strcmp(location->costs[i].key, key) == 0) {
            *value = location->costs[i].value;
            return true;
        }
    return false;
}

uint64_t location_cost(const struct location *location, const char *key)
{
    uint64_t value = 0;
    location_find_cost(location, key, &value);
    return value;
}

const struct series *location_series(const struct location *location, uint32_t phase)
{
    for (size_t i = 0; i < location->series_count; i++)
        if (location->series[i].phase == phase)
            return &location->series[i];
    return NULL;
}

uint32_t series_cluster(const struct series *series, uint64_t iteration)
{
    size_t low = 0, high = series->run_count;
    if (iteration >= series->iterations)
        return SUMMARY_NONE;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (series->runs[middle].first <= iteration)
            low = middle;
        else
            high = middle;
    }
    return series->runs[low].cluster;
}
