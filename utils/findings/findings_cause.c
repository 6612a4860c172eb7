/* Why something stands out.  See findings_look.h. */
#include "findings/findings_look.h"

#include "base/base.h"
#include "query/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OWN_SHARE 0.5 /* a rank whose own work is this share of the difference causes it */
#define LIKE_MOST 0.5 /* ranks with this share of the largest difference are named, too */
#define GO_DOWN   0.7 /* a part with this share of the difference is named in its place */
#define PREEMPTED 0.5 /* of the difference: it is for want of a processor */

/* The mean of one rank over iterations, of the thread's MEANS by cluster; 0 without any. */
static double rank_mean(const struct look *look, double *const *means, size_t first_thread,
                        size_t r, struct iteration_list list)
{
    double sum = 0;
    uint64_t most = 0;
    for (size_t i = 0; i < look->selection->ranks[r].count; i++) {
        const struct series *series = look_series(look, r, i);
        uint64_t count = 0;
        if (!series)
            continue;
        struct piece piece = {
            .series = series, .ranges = list.ranges, .range_count = list.count};
        while (piece_next(&piece)) {
            sum += means[first_thread + i][piece.cluster] * (double)piece.length;
            count += piece.length;
        }
        most = count > most ? count : most;
    }
    return most ? sum / (double)most : 0;
}

/* How much more each rank has in ON than in OFF, by MEANS; for the caller to free(). */
static double *differences(const struct look *look, double *const *means,
                           struct iteration_list on, struct iteration_list off)
{
    size_t thread = 0;
    double *differences = allocate(look->selection->rank_count, sizeof *differences);
    for (size_t r = 0; r < look->selection->rank_count; r++) {
        differences[r] =
            rank_mean(look, means, thread, r, on) - rank_mean(look, means, thread, r, off);
        thread += look->selection->ranks[r].count;
    }
    return differences;
}

static size_t largest_of(const double *values, size_t count)
{
    size_t largest = 0;
    for (size_t i = 1; i < count; i++)
        if (values[i] > values[largest])
            largest = i;
    return largest;
}

/* Fills VALUES with the mean values of rank R in the iterations of LIST, by call path. */
static void fill_paths(const struct look *look, size_t r, struct iteration_list list,
                       struct path_values *values)
{
    uint64_t most = 0;
    path_values_clear(values);
    for (size_t i = 0; i < look->selection->ranks[r].count; i++) {
        const struct series *series = look_series(look, r, i);
        uint64_t count = 0;
        if (!series)
            continue;
        uint64_t *members = series_members(series, list.ranges, list.count);
        for (size_t c = 0; c < series->cluster_count; c++) {
            count += members[c];
            if (members[c] > 0)
                path_values_add_mapped(values, &series->clusters[c].sums, NULL, members[c],
                                       series->clusters[c].size, METRICS_INCLUSIVE);
        }
        free(members);
        most = count > most ? count : most;
    }
    values->divisor = most ? most : 1;
}

/* The part of METRIC that has most of its value in VALUES. */
static uint32_t go_down_metric(const struct path_values *values, uint32_t metric)
{
    const struct summary *summary = values->tree->summary;
    long double *sums = allocate(summary->metric_count, sizeof *sums);
    for (size_t i = 0; i < values->count; i++)
        for (uint32_t m = 0; m < summary->metric_count; m++)
            sums[m] += path_value(values, values->list[i], m);
    /* Parts follow their metric in the table. */
    for (uint32_t m = metric + 1; m < summary->metric_count; m++)
        if (summary->metrics[m].parent == metric && sums[m] >= GO_DOWN * sums[metric])
            metric = m;
    free(sums);
    return metric;
}

/* The deepest call path that has most of METRIC in VALUES, with what is below it: *VALUE. */
static uint32_t go_down_path(const struct path_values *values, uint32_t metric, double *value)
{
    const struct path_tree *tree = values->tree;
    long double *sums = allocate(tree->count, sizeof *sums);
    for (size_t i = 0; i < values->count; i++)
        sums[values->list[i]] = path_value(values, values->list[i], metric);
    for (uint32_t p = (uint32_t)tree->count; p-- > 1;)
        sums[tree->paths[p].parent] += sums[p];
    uint32_t path = 0;
    /* Paths follow those that they are called from. */
    for (uint32_t p = 1; p < tree->count; p++)
        if (tree->paths[p].parent == path && sums[p] >= GO_DOWN * sums[path])
            path = p;
    path = path_outside_openmp(tree, path);
    *value = (double)sums[path];
    free(sums);
    return path;
}

static double sum_of(const struct path_values *values, const char *metric)
{
    return (double)efficiency_sum(values, summary_metric(values->tree->summary, metric));
}

/*
 * How much longer the thread had no processor, of the DIFFERENCE, if that is most of it; 0 if
 * not.  Where threads always share processors, with LESS as well, all that takes longer is
 * preempted longer: such a part of the difference says nothing.
 */
static double preempted_more(const struct path_values *difference,
                             const struct path_values *less, double value)
{
    const double more = sum_of(difference, "preempted"), time = sum_of(less, "time"),
                 usual = time > 0 ? fmin(sum_of(less, "preempted") / time, 1) : 0;
    return value > 0 && more - usual * value >= PREEMPTED * (1 - usual) * value && more > 0
               ? more
               : 0;
}

/* Finds the part of METRIC, and the call path, with most of the difference between MORE and
 * LESS. */
static void find_place(struct finding *finding, struct path_values *more,
                       const struct path_values *less, uint32_t metric)
{
    const struct summary *summary = more->tree->summary;
    double value = 0;
    path_values_combine(more, less, -1);
    const double preempted = preempted_more(more, less, (double)efficiency_sum(more, metric));
    if (preempted > 0 && strcmp(summary->metrics[metric].unit, "s") == 0) {
        finding->cause =
            (struct finding_cause){summary_metric(summary, "preempted"), 0, preempted};
        return;
    }
    metric = go_down_metric(more, metric);
    uint32_t path = go_down_path(more, metric, &value);
    if (value > 0)
        finding->cause = (struct finding_cause){metric, path, value};
}

void explain_iterations(struct finding *finding, const struct look *look,
                        struct iteration_list on, struct iteration_list off)
{
    size_t ranks = look->selection->rank_count, alike = 0;
    if (off.count == 0 || on.count == 0)
        return;
    double *all = differences(look, look->metric_means, on, off);
    double *own = differences(look, look->own_means, on, off);
    size_t most = largest_of(all, ranks), cause = largest_of(own, ranks);
    bool is_own = own[cause] > 0 && own[cause] >= OWN_SHARE * all[most];
    for (size_t r = 0; r < ranks && is_own; r++)
        alike += own[r] >= LIKE_MOST * own[cause];
    for (size_t r = 0; r < ranks && is_own && 2 * alike <= ranks; r++)
        if (own[r] >= LIKE_MOST * own[cause])
            finding_add_rank(finding, look->selection->ranks[r].rank);
    struct path_values *these = path_values_create(look->tree),
                       *others = path_values_create(look->tree);
    size_t example = is_own ? cause : most;
    fill_paths(look, example, on, these);
    fill_paths(look, example, off, others);
    find_place(finding, these, others, look->metric);
    path_values_free(these);
    path_values_free(others);
    free(all);
    free(own);
}

/* The part of a rank's own work that differs most: computation, or input and output. */
static uint32_t work_of(const struct look *look, const struct path_values *these,
                        const struct path_values *others)
{
    const uint32_t io =
        look->has_io ? summary_metric(look->selection->summary, "mpi_io") : SUMMARY_NONE;
    const long double more_io = efficiency_sum(these, io) - efficiency_sum(others, io),
                      more = efficiency_sum(these, look->work) -
                             efficiency_sum(others, look->work);
    return more_io > more ? io : look->work;
}

void explain_rank(struct finding *finding, const struct look *look, size_t r, size_t usual,
                  struct iteration_list on)
{
    struct path_values *these = path_values_create(look->tree),
                       *others = path_values_create(look->tree);
    fill_paths(look, r, on, these);
    fill_paths(look, usual, on, others);
    find_place(finding, these, others, work_of(look, these, others));
    path_values_free(these);
    path_values_free(others);
}
