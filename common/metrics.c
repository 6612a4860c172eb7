/* The metric table as data, and sums over its hierarchy.  See metrics.h. */
#include "common/metrics.h"

#include <stddef.h>
#include <string.h>

#define KIND_measured true
#define KIND_derived  false

const struct metric_info metric_table[METRIC_COUNT] = {
#define METRIC(id, parent, unit, kind, text)                                                   \
    [METRIC_##id] = {#id, METRIC_##parent, UNIT_##unit, KIND_##kind, text},
#include "common/metrics.def"
#undef METRIC
};

enum metric metric_by_name(const char *name)
{
    for (int m = 0; m < METRIC_COUNT; m++)
        if (strcmp(metric_table[m].name, name) == 0)
            return (enum metric)m;
    return METRIC_none;
}

static const char *const unit_names[UNIT_COUNT] = {
    [UNIT_seconds] = "s", [UNIT_bytes] = "bytes", [UNIT_occurrences] = "occ"};

const char *metric_unit_name(enum metric_unit unit)
{
    return unit_names[unit];
}

enum metric_unit metric_unit_by_name(const char *name)
{
    int unit = 0;
    while (unit < UNIT_COUNT && strcmp(unit_names[unit], name) != 0)
        unit++;
    return (enum metric_unit)unit;
}

double metric_unit_scale(enum metric_unit unit)
{
    return unit == UNIT_seconds ? 1e-9 : 1.0;
}

void metric_make_inclusive(int64_t values[METRIC_COUNT])
{
    /* Children follow their parents in the table, so one backward pass is enough. */
    for (int m = METRIC_COUNT - 1; m >= 0; m--)
        if (metric_table[m].parent != METRIC_none)
            values[metric_table[m].parent] =
                (int64_t)((uint64_t)values[metric_table[m].parent] + (uint64_t)values[m]);
}
