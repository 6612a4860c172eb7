/* Which patterns there are, and who is told of what.  See engine.h. */
#include "replay/causes.h"
#include "replay/engine.h"

#include "replay/list.h"

#include <string.h>

/* In this order: what a pattern refines comes before it. */
static const struct tsprof_pattern *const patterns[] = {
    &point_to_point_pattern, &collective_pattern, &setup_pattern,  &window_pattern,
    &epoch_pattern,          &lock_pattern,       &refill_pattern, &master_pattern,
};

static const char *region_name(const struct tsprof_analysis *analysis, uint32_t region)
{
    const struct replay_world *world = analysis->replay->world;
    const char *name = region < world->region_count ? world->regions[region].name : NULL;
    return name ? name : "";
}

static uint32_t rank(const struct tsprof_analysis *analysis, uint32_t process)
{
    const struct replay_world *world = analysis->replay->world;
    if (process >= world->process_count)
        return TSPROF_NONE;
    return world->ranks ? world->ranks[process] : process;
}

static const struct tsprof_analysis_functions functions = {.version = TSPROF_PATTERN_VERSION,
                                                           .publish = publish,
                                                           .region_name = region_name,
                                                           .rank = rank};

uint32_t patterns_metric(const struct replay *replay, const char *name)
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
        good = add_metric(replay,
                          (struct replay_metric){.name = metric_table[i].name,
                                                 .parent = (uint32_t)metric_table[i].parent,
                                                 .unit = metric_table[i].unit,
                                                 .text = metric_table[i].text});
    return good;
}

bool patterns_add_metric(struct replay *replay, const struct tsprof_metric *metric)
{
    return add_metric(replay,
                      (struct replay_metric){.name = metric->name,
                                             .parent = patterns_metric(replay, metric->parent),
                                             .unit = metric_unit_by_name(metric->unit),
                                             .text = metric->text});
}

/* Lists LISTENER, which is told of nearly every event if it wants to be. */
static bool add_listener(struct replay *replay, struct listener listener)
{
    const struct tsprof_pattern *pattern = listener.pattern;
    if (!LIST_RESERVE(replay->listeners) || !LIST_RESERVE(replay->callees))
        return false;
    replay->listeners[replay->listeners_count++] = listener;
    replay->hears_visits |= pattern->on_enter || pattern->on_leave;
    if (pattern->on_call)
        replay->callees[replay->callees_count++] =
            (struct callee){pattern->on_call, listener.state};
    return true;
}

static bool add_pattern(struct replay *replay, const struct tsprof_pattern *pattern)
{
    struct tsprof_analysis *analysis = calloc(1, sizeof *analysis);
    if (!analysis)
        return false;
    *analysis = (struct tsprof_analysis){replay, (uint32_t)replay->metrics_count};
    bool good = LIST_RESERVE(replay->listeners) && LIST_RESERVE(replay->callees);
    for (size_t i = 0; good && i < pattern->metric_count; i++)
        good = patterns_add_metric(replay, &pattern->metrics[i]);
    if (!good) {
        free(analysis);
        return false;
    }
    void *state = pattern->begin ? pattern->begin(analysis, &functions) : NULL;
    add_listener(replay,
                 (struct listener){.pattern = pattern, .analysis = analysis, .state = state});
    return state || !pattern->begin;
}

void patterns_fail(struct replay *replay)
{
    replay->failed = true;
    if (replay->share)
        team_fail(replay->share->team);
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
    for (size_t i = 0; i < replay->callees_count; i++)
        replay->callees[i].on_call(replay->callees[i].state, call);
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

void patterns_enter(struct replay *replay, const struct tsprof_visit *visit)
{
    for (size_t i = 0; i < replay->listeners_count; i++)
        if (replay->listeners[i].pattern->on_enter)
            replay->listeners[i].pattern->on_enter(replay->listeners[i].state, visit);
}

void patterns_leave(struct replay *replay, const struct tsprof_visit *visit)
{
    for (size_t i = 0; i < replay->listeners_count; i++)
        if (replay->listeners[i].pattern->on_leave)
            replay->listeners[i].pattern->on_leave(replay->listeners[i].state, visit);
}

static bool is_of(const struct listener *listener, uint32_t metric)
{
    return listener->analysis && metric >= listener->analysis->first_metric &&
           metric - listener->analysis->first_metric < listener->pattern->metric_count;
}

void patterns_severity(struct replay *replay, uint32_t metric, struct tsprof_finding finding)
{
    finding.metric = replay->metrics[metric].name;
    for (size_t i = 0; i < replay->listeners_count; i++) {
        const struct listener *listener = &replay->listeners[i];
        if (!listener->ended && listener->pattern->on_severity && !is_of(listener, metric))
            listener->pattern->on_severity(listener->state, &finding);
    }
}

bool replay_listen(struct replay *replay, const struct tsprof_pattern *pattern, void *state)
{
    return add_listener(replay, (struct listener){.pattern = pattern, .state = state});
}

void patterns_end(struct replay *replay)
{
    /* What one finds at its end those are told of that come after it. */
    for (size_t i = 0; i < replay->listeners_count; i++) {
        struct listener *listener = &replay->listeners[i];
        listener->ended = true;
        if (listener->pattern->end)
            listener->pattern->end(listener->state);
        free(listener->analysis);
        listener->analysis = NULL;
    }
    replay->listeners_count = replay->callees_count = 0;
    replay->hears_visits = false;
}
