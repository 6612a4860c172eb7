/* Sums over profiles and metrics.  See sums.h. */
#include "query/sums.h"

#include <stdlib.h>

int64_t add_stored(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

int64_t subtract_stored(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

void profile_add_sums(const struct profile *profile, int64_t *values)
{
    for (size_t i = 0; i < profile->count; i++) {
        const struct cell *cell = &profile->cells[i];
        values[cell->metric] = add_stored(values[cell->metric], cell->value);
    }
}

void make_inclusive(const struct summary *summary, int64_t *values)
{
    /* Children follow their parents, so one backward pass is enough. */
    for (size_t m = summary->metric_count; m-- > 0;) {
        uint32_t parent = summary->metrics[m].parent;
        if (parent != SUMMARY_NONE)
            values[parent] = add_stored(values[parent], values[m]);
    }
}

int64_t *profile_inclusive(const struct summary *summary, const struct profile *profile)
{
    int64_t *values = allocate(summary->metric_count, sizeof *values);
    profile_add_sums(profile, values);
    make_inclusive(summary, values);
    return values;
}

long double shown_value(const struct summary *summary, uint32_t metric, long double sum,
                        uint64_t count)
{
    /* A single division rounds once, and not at all if the result is exact. */
    long double divisor = count;
    for (unsigned i = 0; i < summary->metrics[metric].scale; i++)
        divisor *= 10;
    return sum / divisor;
}

bool metric_is_part(const struct summary *summary, uint32_t metric, uint32_t ancestor)
{
    while (metric != SUMMARY_NONE && metric != ancestor)
        metric = summary->metrics[metric].parent;
    return metric != SUMMARY_NONE;
}

bool *metrics_in_use(const struct summary *summary)
{
    bool *used = allocate(summary->metric_count, sizeof *used);
    for (size_t i = 0; i < summary->location_count; i++) {
        const struct profile *whole = &summary->locations[i].whole;
        for (size_t c = 0; c < whole->count; c++)
            used[whole->cells[c].metric] |= whole->cells[c].value != 0;
    }
    for (size_t m = summary->metric_count; m-- > 0;)
        if (used[m] && summary->metrics[m].parent != SUMMARY_NONE)
            used[summary->metrics[m].parent] = true;
    return used;
}
