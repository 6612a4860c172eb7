/* Which patterns there are, and who is told of what.  See engine.h. */
#include "replay/causes.h"
#include "replay/engine.h"

#include "replay/list.h"

#include <string.h>

/* In this order: what a pattern refines comes before it. */
static const struct tsprof_pattern *const patterns[] = {
    &point_to_point_pattern, &collective_pattern, &setup_pattern,
    &window_pattern,         &epoch_pattern,      &lock_pattern,
};

static const struct tsprof_analysis_functions functions = {.version = TSPROF_PATTERN_VERSION,
                                                           .publish = publish};

static uint32_t metric_named(const struct replay *replay, const char *name)
{
    for (uint32_t i = 0; name && i < replay->metrics_count; i++)
        if (strcmp(replay->metrics[i].name, name) == 0)
            return i;
    return REPLAY_NONE;
}

static bool add_metric(struct replay *replay, struct replay_metric metric)
{
    if (!LIST_RESERVE(replay->metrics))
        return false;
    replay->metrics[replay->metrics_count++] = metric;
    return true;
}

static bool add_own_metrics(struct replay *replay)
{
    bool good = true;
    for (int i = 0; good && i < METRIC_COUNT; i++)
        good = add_metric(
            replay, (struct replay_metric){.name = metric_table[i].name,
                                           .parent = (uint32_t)metric_table[i].parent,
                                           .is_time = metric_table[i].unit == UNIT_seconds,
                                           .text = metric_table[i].text});
    return good;
}

static bool add_pattern(struct replay *replay, const struct tsprof_pattern *pattern)
{
    struct tsprof_analysis *analysis = calloc(1, sizeof *analysis);
    if (!analysis)
        return false;
    *analysis = (struct tsprof_analysis){replay, (uint32_t)replay->metrics_count};
    bool good = LIST_RESERVE(replay->listeners);
    for (size_t i = 0; good && i < pattern->metric_count; i++) {
        const struct tsprof_metric *metric = &pattern->metrics[i];
        good = add_metric(replay,
                          (struct replay_metric){.name = metric->name,
                                                 .parent = metric_named(replay, metric->parent),
                                                 .is_time = strcmp(metric->unit, "s") == 0,
                                                 .text = metric->text});
    }
    if (!good) {
        free(analysis);
        return false;
    }
    replay->listeners[replay->listeners_count++] = (struct listener){
        pattern, analysis, pattern->begin ? pattern->begin(analysis, &functions) : NULL};
    return true;
}

bool patterns_begin(struct replay *replay)
{
    bool good = add_own_metrics(replay);
    for (size_t i = 0; good && i < sizeof patterns / sizeof *patterns; i++)
        good = add_pattern(replay, patterns[i]);
    replay->first_cause = (uint32_t)replay->metrics_count;
    good = good && add_pattern(replay, &cause_pattern);
    return good;
}

void patterns_call(struct replay *replay, const struct tsprof_call *call)
{
    for (size_t i = 0; i < replay->listeners_count; i++)
        if (replay->listeners[i].pattern->on_call)
            replay->listeners[i].pattern->on_call(replay->listeners[i].state, call);
}

void patterns_collective(struct replay *replay, const struct tsprof_collective *collective)
{
    for (size_t i = 0; i < replay->listeners_count; i++)
        if (replay->listeners[i].pattern->on_collective)
            replay->listeners[i].pattern->on_collective(replay->listeners[i].state, collective);
}

void patterns_epoch(struct replay *replay, const struct tsprof_epoch *epoch)
{
    for (size_t i = 0; i < replay->listeners_count; i++)
        if (replay->listeners[i].pattern->on_epoch)
            replay->listeners[i].pattern->on_epoch(replay->listeners[i].state, epoch);
}

void patterns_locked(struct replay *replay, const struct tsprof_locked *locked)
{
    for (size_t i = 0; i < replay->listeners_count; i++)
        if (replay->listeners[i].pattern->on_locked)
            replay->listeners[i].pattern->on_locked(replay->listeners[i].state, locked);
}

void patterns_end(struct replay *replay)
{
    for (size_t i = 0; i < replay->listeners_count; i++) {
        if (replay->listeners[i].pattern->end)
            replay->listeners[i].pattern->end(replay->listeners[i].state);
        free(replay->listeners[i].analysis);
    }
    replay->listeners_count = 0;
}
