/* Groups of iterations that are alike on the whole job.  See groups.h. */
#include "suggest/groups.h"

#include "base/base.h"
#include "file/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_POINTS  65536
#define MOST_LEADERS 64
#define SHARE        0.1 /* of an iteration: by less than that none is another kind */
#define SPREADS      4   /* nor by less than as many standard deviations */

/* Summed over ranks.  The first is also taken on the slowest rank. */
static const char *const compared[] = {"time",
                                       "computation",
                                       "mpi_synchronization",
                                       "mpi_point2point",
                                       "mpi_collective",
                                       "mpi_rma_communication",
                                       "mpi_io",
                                       "comms",
                                       "bytes"};

#define COMPARED (sizeof compared / sizeof compared[0])
#define TIMES    7 /* the first ones are times, parts of the first */

/* Successive iterations that have the same values on all ranks. */
struct point {
    uint64_t first, weight;
    double values[COMPARED];
    size_t group;
};

struct grouping {
    struct point *points;
    size_t count;
    double scales[COMPARED]; /* what differs by less is alike */
    double means[MOST_LEADERS][COMPARED];
    size_t group_count;
};

/* What a stretch has, from the threads' means. */
static void point_fill(struct point *point, const struct rank_values *values,
                       const struct sweep *sweep, const size_t *places)
{
    const size_t metrics = values->metric_count;
    for (size_t r = 0; r < values->selection->rank_count; r++) {
        double time = 0;
        for (size_t t = values->first[r]; t < values->first[r + 1]; t++) {
            if (sweep->clusters[t] == SUMMARY_NONE)
                continue;
            const double *means = values->values[t] + sweep->clusters[t] * metrics;
            time += means[0];
            for (size_t m = 1; m < metrics; m++)
                point->values[places[m]] += means[m];
        }
        point->values[0] = fmax(point->values[0], time);
    }
}

static bool any_cluster(const struct sweep *sweep)
{
    for (size_t i = 0; i < sweep->count; i++)
        if (sweep->clusters[i] != SUMMARY_NONE)
            return true;
    return false;
}

/* One point for each stretch; of very many stretches, for those that every STEP iterations are
 * come across. */
static void make_points(struct grouping *grouping, const struct rank_values *values,
                        struct range iterations, const size_t *places)
{
    const uint64_t step = (iterations.last - iterations.first) / MOST_POINTS + 1;
    struct sweep sweep;
    grouping->points = allocate(MOST_POINTS + 1, sizeof *grouping->points);
    sweep_begin(&sweep, values->series, values->first[values->selection->rank_count],
                iterations);
    uint64_t begin = iterations.first, at = begin;
    for (; sweep_step(&sweep); begin += sweep.length) {
        const uint64_t end = begin + sweep.length;
        struct point point = {.first = begin};
        for (; at < end; at += step)
            point.weight += step;
        if (point.weight == 0 || !any_cluster(&sweep) || grouping->count > MOST_POINTS)
            continue;
        point.weight = step == 1 ? sweep.length : point.weight;
        point_fill(&point, values, &sweep, places);
        grouping->points[grouping->count++] = point;
    }
    sweep_end(&sweep);
}

static int compare_values(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median_of_sorted(double *values, size_t count)
{
    if (count == 0)
        return 0;
    qsort(values, count, sizeof *values, compare_values);
    return values[count / 2];
}

/* By how much value V differs from point to point: a standard deviation that borders between
 * groups do not change. */
static double spread_of(const struct grouping *grouping, size_t v, double *scratch)
{
    for (size_t i = 1; i < grouping->count; i++)
        scratch[i - 1] =
            fabs(grouping->points[i].values[v] - grouping->points[i - 1].values[v]);
    if (grouping->count < 3)
        return 0;
    /* Of the difference of two normal values, the median is 0.954 standard deviations. */
    return median_of_sorted(scratch, grouping->count - 1) / 0.954;
}

static void find_scales(struct grouping *grouping)
{
    double *scratch = allocate(grouping->count, sizeof *scratch);
    double time = 0;
    for (size_t v = 0; v < COMPARED; v++) {
        for (size_t i = 0; i < grouping->count; i++)
            scratch[i] = fabs(grouping->points[i].values[v]);
        double usual = median_of_sorted(scratch, grouping->count);
        if (usual <= 0)
            usual = scratch[grouping->count - 1];
        /* Parts of the time, all ranks together, are compared with what they are parts of. */
        if (v == 1)
            time = usual;
        const double whole = v > 1 && v < TIMES ? fmax(time, usual) : usual;
        grouping->scales[v] = fmax(SHARE * whole, SPREADS * spread_of(grouping, v, scratch));
    }
    free(scratch);
}

/* At most 1: they are alike. */
static double distance(const struct grouping *grouping, const double *a, const double *b)
{
    double most = 0;
    for (size_t v = 0; v < COMPARED; v++)
        if (grouping->scales[v] > 0)
            most = fmax(most, fabs(a[v] - b[v]) / grouping->scales[v]);
    return most;
}

static size_t nearest_group(const struct grouping *grouping, const double *values, double *far)
{
    size_t best = 0;
    *far = INFINITY;
    for (size_t g = 0; g < grouping->group_count; g++) {
        const double d = distance(grouping, values, grouping->means[g]);
        if (d < *far) {
            *far = d;
            best = g;
        }
    }
    return best;
}

/* Each point that is unlike all before begins a group, while there is room. */
static void find_leaders(struct grouping *grouping)
{
    for (size_t i = 0; i < grouping->count; i++) {
        double far;
        nearest_group(grouping, grouping->points[i].values, &far);
        if (far > 1 && grouping->group_count < MOST_LEADERS)
            memcpy(grouping->means[grouping->group_count++], grouping->points[i].values,
                   sizeof grouping->points[i].values);
    }
}

/* Puts each point into the nearest group, and the groups' means where their points are. */
static void assign(struct grouping *grouping)
{
    double sums[MOST_LEADERS][COMPARED] = {{0}}, weights[MOST_LEADERS] = {0};
    for (size_t i = 0; i < grouping->count; i++) {
        struct point *point = &grouping->points[i];
        double far;
        point->group = nearest_group(grouping, point->values, &far);
        weights[point->group] += (double)point->weight;
        for (size_t v = 0; v < COMPARED; v++)
            sums[point->group][v] += (double)point->weight * point->values[v];
    }
    for (size_t g = 0; g < grouping->group_count; g++)
        for (size_t v = 0; v < COMPARED && weights[g] > 0; v++)
            grouping->means[g][v] = sums[g][v] / weights[g];
}

/* Removes groups whose means are like that of another. */
static void unite(struct grouping *grouping)
{
    size_t kept = 0;
    for (size_t g = 0; g < grouping->group_count; g++) {
        bool alike = false;
        for (size_t k = 0; k < kept && !alike; k++)
            alike = distance(grouping, grouping->means[g], grouping->means[k]) <= 1;
        if (!alike)
            memmove(grouping->means[kept++], grouping->means[g], sizeof grouping->means[g]);
    }
    grouping->group_count = kept;
}

static int compare_groups(const void *a, const void *b)
{
    const struct group *left = a, *right = b;
    if (left->time_s != right->time_s)
        return left->time_s > right->time_s ? -1 : 1;
    return (left->typical > right->typical) - (left->typical < right->typical);
}

static struct groups list_groups(const struct grouping *grouping)
{
    struct groups groups = {allocate(MOST_LEADERS, sizeof(struct group)), 0, 0, 0};
    double nearest[MOST_LEADERS];
    for (size_t g = 0; g < grouping->group_count; g++)
        nearest[g] = INFINITY;
    for (size_t i = 0; i < grouping->count; i++) {
        const struct point *point = &grouping->points[i];
        struct group *group = &groups.list[point->group];
        const double far = distance(grouping, point->values, grouping->means[point->group]);
        if (far < nearest[point->group]) {
            nearest[point->group] = far;
            group->typical = point->first;
        }
        group->iterations += point->weight;
        group->time_s += (double)point->weight * point->values[0];
        groups.iterations += point->weight;
        groups.time_s += (double)point->weight * point->values[0];
    }
    qsort(groups.list, grouping->group_count, sizeof *groups.list, compare_groups);
    for (size_t g = 0; g < grouping->group_count; g++)
        groups.count += groups.list[g].iterations > 0;
    return groups;
}

struct groups groups_find(const struct selection *selection, uint32_t phase)
{
    struct rank_values_of of = {.phase = phase};
    uint32_t metrics[COMPARED];
    size_t places[COMPARED] = {0};
    struct grouping grouping = {0};
    const uint64_t end = selection_iterations(selection, phase);
    struct range iterations = selection->iterations;
    if (end == 0 || iterations.first >= end)
        return (struct groups){0};
    iterations.last = iterations.last < end ? iterations.last : end - 1;
    for (size_t v = 0; v < COMPARED; v++) {
        metrics[of.metric_count] = summary_metric(selection->summary, compared[v]);
        places[of.metric_count] = v;
        of.metric_count += metrics[of.metric_count] != SUMMARY_NONE;
    }
    of.metrics = metrics;
    struct rank_values *values = rank_values_create(selection, &of);
    make_points(&grouping, values, iterations, places);
    rank_values_free(values);
    find_scales(&grouping);
    find_leaders(&grouping);
    assign(&grouping);
    unite(&grouping);
    assign(&grouping);
    struct groups groups = list_groups(&grouping);
    free(grouping.points);
    return groups;
}
