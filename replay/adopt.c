/* What one who listens has found, put into the result.  See replay.h. */
#include "replay/engine.h"

#include <stdlib.h>
#include <string.h>

/* Which metric the time of PATH is that was not published apart. */
static enum metric metric_of(const struct replay *replay, const struct path *path)
{
    const uint32_t region = replay->paths.nodes[path->node].region;
    return region == REPLAY_NONE ? METRIC_computation : replay->world->regions[region].metric;
}

/* Where a path has what it has of METRIC by itself, or NULL: among its values. */
static int64_t *place_of(const struct replay *replay, struct path *path, uint32_t metric)
{
    if (metric == METRIC_visits)
        return &path->visits;
    return metric == (uint32_t)metric_of(replay, path) ? &path->time_ns : NULL;
}

static bool is_part(const struct replay *replay, uint32_t metric, uint32_t of)
{
    while (metric != of && metric != REPLAY_NONE)
        metric = replay->metrics[metric].parent;
    return metric == of;
}

/* What PATH has of METRIC and its parts. */
static int64_t whole(const struct replay *replay, uint32_t number, uint32_t metric)
{
    const struct path *path = &replay->paths.list[number];
    int64_t sum = 0;
    if (is_part(replay, (uint32_t)metric_of(replay, path), metric))
        sum += path->time_ns;
    if (metric == METRIC_visits)
        sum += path->visits;
    for (uint32_t at = path->first_value; at != REPLAY_NONE; at = replay->paths.values[at].next)
        if (is_part(replay, replay->paths.values[at].metric, metric))
            sum += replay->paths.values[at].value;
    return sum;
}

/* The number of NAME among the first COUNT metrics of ADOPTION; COUNT: it is not there. */
static uint32_t own_metric(const struct replay_adoption *adoption, uint32_t count,
                           const char *name)
{
    uint32_t at = 0;
    while (at < count && strcmp(adoption->metrics[at].name, name) != 0)
        at++;
    return at;
}

static enum replay_adopted check_parent(const struct replay *replay,
                                        const struct replay_adoption *adoption, uint32_t number)
{
    const struct tsprof_metric *metric = &adoption->metrics[number];
    const uint32_t own = own_metric(adoption, number, metric->parent);
    const uint32_t other = patterns_metric(replay, metric->parent);
    if (own == number && other == REPLAY_NONE)
        return REPLAY_NO_PARENT;
    const enum metric_unit unit = own < number
                                      ? metric_unit_by_name(adoption->metrics[own].unit)
                                      : replay->metrics[other].unit;
    if (unit != metric_unit_by_name(metric->unit))
        return REPLAY_OTHER_UNIT;
    if (own == number && other < METRIC_COUNT && !metric_table[other].measured)
        return REPLAY_PARENT_IS_SUM;
    return REPLAY_ADOPTED;
}

static enum replay_adopted check_metric(const struct replay *replay,
                                        const struct replay_adoption *adoption, uint32_t number)
{
    const struct tsprof_metric *metric = &adoption->metrics[number];
    if (own_metric(adoption, number, metric->name) < number ||
        patterns_metric(replay, metric->name) != REPLAY_NONE)
        return REPLAY_NAME_TAKEN;
    if (metric_unit_by_name(metric->unit) == UNIT_COUNT)
        return REPLAY_NO_UNIT;
    return metric->parent ? check_parent(replay, adoption, number) : REPLAY_ADOPTED;
}

static int compare_found(const void *a, const void *b)
{
    const struct replay_found *one = a, *other = b;
    if (one->metric != other->metric)
        return one->metric < other->metric ? -1 : 1;
    return one->path < other->path ? -1 : one->path > other->path;
}

/* How much FOUND's metric can have at most on its path. */
static uint64_t most_of(const struct replay *replay, const struct replay_adoption *adoption,
                        const struct replay_found *found)
{
    const char *parent = adoption->metrics[found->metric].parent;
    if (!parent)
        return INT64_MAX;
    const uint32_t own = own_metric(adoption, found->metric, parent);
    if (own == found->metric) {
        const int64_t most = whole(replay, found->path, patterns_metric(replay, parent));
        return most > 0 ? (uint64_t)most : 0;
    }
    const struct replay_found sought = {own, found->path, 0};
    const struct replay_found *at =
        bsearch(&sought, adoption->found, adoption->found_count, sizeof sought, compare_found);
    return at ? at->amount : 0;
}

static enum replay_adopted check(const struct replay *replay, struct replay_adoption *adoption)
{
    for (uint32_t i = 0; i < adoption->metric_count; i++) {
        const enum replay_adopted result = check_metric(replay, adoption, i);
        adoption->metric = i;
        if (result != REPLAY_ADOPTED)
            return result;
    }
    for (size_t i = 0; i < adoption->found_count; i++) {
        const struct replay_found *found = &adoption->found[i];
        adoption->metric = found->metric;
        adoption->path = found->path;
        adoption->amount = found->amount;
        if (found->path >= replay->paths.list_count)
            return REPLAY_NO_PATH;
        adoption->most = most_of(replay, adoption, found);
        if (found->amount > adoption->most)
            return REPLAY_TOO_MUCH;
    }
    return REPLAY_ADOPTED;
}

/* Adds AMOUNT to METRIC of PATH, and takes it from what its parent has there by itself. */
static void move(struct replay *replay, uint32_t path, uint32_t metric, int64_t amount)
{
    const uint32_t parent = replay->metrics[metric].parent;
    if (parent != REPLAY_NONE) {
        int64_t *place = place_of(replay, &replay->paths.list[path], parent);
        const int64_t left = place ? *place : paths_value(&replay->paths, path, parent);
        amount = amount < left ? amount : left > 0 ? left : 0;
        if (place)
            *place -= amount;
        else
            paths_add(&replay->paths, path, parent, -amount);
    }
    paths_add(&replay->paths, path, metric, amount);
}

enum replay_adopted replay_adopt(struct replay *replay, struct replay_adoption *adoption)
{
    const uint32_t first = (uint32_t)replay->metrics_count;
    const enum replay_adopted result = check(replay, adoption);
    if (result != REPLAY_ADOPTED)
        return result;
    for (size_t i = 0; i < adoption->metric_count; i++)
        if (!patterns_add_metric(replay, &adoption->metrics[i]))
            return REPLAY_OUT_OF_MEMORY;
    for (size_t i = 0; i < adoption->found_count; i++) {
        const struct replay_found *found = &adoption->found[i];
        move(replay, found->path, first + found->metric, (int64_t)found->amount);
    }
    return replay->paths.failed ? REPLAY_OUT_OF_MEMORY : REPLAY_ADOPTED;
}
