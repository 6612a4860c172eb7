/* Joining the metrics and locations of two summaries.  See joint.h. */
#include "compare/joint.h"

#include "base/base.h"
#include "query/query.h"

#include <stdlib.h>
#include <string.h>

/*
 * What measuring took, how long there was no processor, and how many samples hit an iteration,
 * which is chance; `time` is execution and the first of them.
 */
static const char *const irrelevant[] = {"time", "overhead", "preempted", "samples",
                                         "samples_failed"};
static const char *const count_roots[] = {"visits", "syncs", "comms", "bytes", "io_ops"};

#define LENGTH_OF(array) (sizeof(array) / sizeof(array)[0])

static bool is_among(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool is_relevant(const char *name)
{
    return !is_among(name, irrelevant, LENGTH_OF(irrelevant));
}

const struct summary *joint_summary(const struct joint *joint, enum side side)
{
    return joint->selections[side]->summary;
}

static enum metric_class class_of(const struct summary *summary, uint32_t metric)
{
    const struct metric_entry *entry = &summary->metrics[metric];
    if (!is_relevant(entry->name))
        return CLASS_OTHER;
    while (entry->parent != SUMMARY_NONE)
        entry = &summary->metrics[entry->parent];
    if (strcmp(entry->name, "time") == 0)
        return CLASS_TIME;
    return is_among(entry->name, count_roots, LENGTH_OF(count_roots)) ? CLASS_COUNT
                                                                      : CLASS_OTHER;
}

/* How many relevant metrics METRIC is a part of. */
static unsigned depth_of(const struct summary *summary, uint32_t metric)
{
    unsigned depth = 0;
    while ((metric = summary->metrics[metric].parent) != SUMMARY_NONE)
        depth += is_relevant(summary->metrics[metric].name);
    return depth;
}

/* Whether METRIC, or one that it is a part of, is selected. */
static bool is_below_chosen(const struct selection *selection, uint32_t metric)
{
    for (; metric != SUMMARY_NONE; metric = selection->summary->metrics[metric].parent)
        if (selection->metrics[metric])
            return true;
    return false;
}

/* The metric of B that corresponds to METRIC of A, or SUMMARY_NONE. */
static uint32_t find_metric(const struct summary *b, const struct metric_entry *metric)
{
    uint32_t found = summary_metric(b, metric->name);
    if (found == SUMMARY_NONE || b->metrics[found].scale != metric->scale ||
        strcmp(b->metrics[found].unit, metric->unit) != 0)
        return SUMMARY_NONE;
    return found;
}

static struct joint_metric make_metric(const struct selection *a, const struct selection *b,
                                       uint32_t in_a, uint32_t in_b)
{
    const struct metric_entry *entry = &a->summary->metrics[in_a];
    bool relevant = is_relevant(entry->name);
    struct joint_metric metric = {
        .name = entry->name,
        .unit = entry->unit,
        .scale = entry->scale,
        .class = class_of(a->summary, in_a),
        .is_mpi = metric_is_part(a->summary, in_a, summary_metric(a->summary, "mpi")),
        .entire = a->metrics ? a->metrics[in_a] : relevant,
        .by_path = entry->kind != FORMAT_METRIC_DERIVED &&
                   b->summary->metrics[in_b].kind != FORMAT_METRIC_DERIVED,
        .depth = depth_of(a->summary, in_a),
        .in = {in_a, in_b}};
    if (a->metrics)
        metric.by_path &= a->metrics[in_a] || (relevant && is_below_chosen(a, in_a));
    else
        metric.by_path &= relevant;
    return metric;
}

static void add_metric(struct joint *joint, struct joint_metric metric)
{
    if (!metric.entire && !metric.by_path)
        return;
    for (enum side side = 0; side < SIDES; side++)
        joint->metric_of[side][metric.in[side]] = (uint32_t)joint->metric_count;
    joint->metrics[joint->metric_count++] = metric;
}

static void join_metrics(struct joint *joint)
{
    const struct selection *a = joint->selections[SIDE_A], *b = joint->selections[SIDE_B];
    bool *used[SIDES] = {metrics_in_use(a->summary), metrics_in_use(b->summary)};
    joint->metrics = allocate(a->summary->metric_count, sizeof *joint->metrics);
    for (enum side side = 0; side < SIDES; side++) {
        size_t count = joint_summary(joint, side)->metric_count;
        joint->metric_of[side] = allocate(count, sizeof *joint->metric_of[side]);
        memset(joint->metric_of[side], 0xff, count * sizeof *joint->metric_of[side]);
    }
    for (uint32_t m = 0; m < a->summary->metric_count; m++) {
        uint32_t other = find_metric(b->summary, &a->summary->metrics[m]);
        if (other != SUMMARY_NONE && (used[SIDE_A][m] || used[SIDE_B][other]))
            add_metric(joint, make_metric(a, b, m, other));
    }
    free(used[SIDE_A]);
    free(used[SIDE_B]);
}

/* The selected locations of SELECTION in order; for the caller to free(). */
static const struct location **list_places(const struct selection *selection)
{
    const struct location **list =
        allocate(selection_locations(selection) + 1, sizeof(struct location *));
    size_t count = 0;
    for (size_t r = 0; r < selection->rank_count; r++)
        for (size_t i = 0; i < selection->ranks[r].count; i++)
            list[count++] = &selection->summary->locations[selection->ranks[r].first + i];
    return list;
}

static int compare_places(const struct location *a, const struct location *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->thread > b->thread) - (a->thread < b->thread);
}

static void add_place(struct joint *joint, const struct location *a, const struct location *b)
{
    struct rank_group *last = joint->ranks + joint->rank_count - 1;
    if (joint->rank_count == 0 || last->rank != a->rank)
        joint->ranks[joint->rank_count++] = (struct rank_group){a->rank, joint->place_count, 1};
    else
        last->count++;
    joint->places[joint->place_count++] = (struct joint_place){a->rank, a->thread, {a, b}};
}

/* Both lists ascend and end with NULL. */
static void join_places(struct joint *joint)
{
    const struct location **a = list_places(joint->selections[SIDE_A]), **at_a = a;
    const struct location **b = list_places(joint->selections[SIDE_B]), **at_b = b;
    size_t most = selection_locations(joint->selections[SIDE_A]);
    joint->places = allocate(most, sizeof *joint->places);
    joint->ranks = allocate(most, sizeof *joint->ranks);
    while (*at_a && *at_b) {
        int order = compare_places(*at_a, *at_b);
        if (order == 0)
            add_place(joint, *at_a, *at_b);
        at_a += order <= 0;
        at_b += order >= 0;
    }
    free(a);
    free(b);
}

struct joint *joint_make(const struct selection *a, const struct selection *b)
{
    struct joint *joint = allocate(1, sizeof *joint);
    joint->selections[SIDE_A] = a;
    joint->selections[SIDE_B] = b;
    join_metrics(joint);
    join_places(joint);
    joint_paths_make(joint);
    return joint;
}

void joint_free(struct joint *joint)
{
    if (!joint)
        return;
    for (enum side side = 0; side < SIDES; side++) {
        free(joint->metric_of[side]);
        free(joint->path_of[side]);
    }
    free(joint->metrics);
    free(joint->paths);
    free(joint->places);
    free(joint->ranks);
    free(joint);
}
