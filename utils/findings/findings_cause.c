/* Why something stands out.  See findings_look.h. */
#include "findings/findings_look.h"

#include "base/base.h"
#include "query/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OWN_SHARE     0.5 /* a rank whose own work is this share of the difference causes it */
#define LIKE_MOST     0.5 /* ranks with this share of the largest difference are named, too */
#define GO_DOWN       0.7 /* a part with this share of the difference is named in its place */
#define LEAST_SAMPLED 0.1 /* of the difference: less does not tell where the rest was */
#define PREEMPTED     0.5 /* of the difference: it is for want of a processor */

/* The mean of one rank over iterations, of the thread's MEANS by cluster; 0 without any. */
static double rank_mean(const struct look *look, double *const *means, size_t first_thread,
                        size_t r, struct iteration_list list)
{
    double sum = 0;
    uint64_t most = 0;
    for (size_t i = 0; i < look->selection->ranks[r].count; i++) {
        const struct series *series = look_series(look, r, i);
        uint64_t count = 0;
        if (!series || !means[first_thread + i])
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

/* What of METRIC in VALUES is computation of PATH itself in which there is no sample: it was
 * somewhere below. */
static long double unsampled(const struct path_values *values, uint32_t path, uint32_t metric)
{
    const struct summary *summary = values->tree->summary;
    const uint32_t samples = summary_metric(summary, "samples");
    return samples == SUMMARY_NONE || metric != summary_metric(summary, "computation") ||
                   path_value(values, path, samples) != 0
               ? 0
               : fmaxl(path_value(values, path, metric), 0);
}

/*
 * The deepest call path that has most of METRIC in VALUES, with what is below it, as the cause.
 * Computation without samples may be anywhere below: of the rest, the path has most.
 */
static struct finding_cause go_down_path(const struct path_values *values, uint32_t metric)
{
    const struct path_tree *tree = values->tree;
    long double *sums = allocate(tree->count, sizeof *sums);
    for (size_t i = 0; i < values->count; i++)
        sums[values->list[i]] = path_value(values, values->list[i], metric);
    for (uint32_t p = (uint32_t)tree->count; p-- > 1;)
        sums[tree->paths[p].parent] += sums[p];
    uint32_t path = 0, above = 0;
    /* Paths follow those that they are called from. */
    for (uint32_t p = 1; p < tree->count; p++) {
        if (tree->paths[p].parent != path)
            continue;
        const long double unknown = unsampled(values, path, metric);
        const bool enough = sums[path] - unknown >= LEAST_SAMPLED * sums[path];
        const long double known = enough ? sums[path] - unknown : sums[path];
        if (sums[p] <= 0 || sums[p] < GO_DOWN * known)
            continue;
        if (known < GO_DOWN * sums[path])
            above = above ? above : path;
        path = p;
    }
    path = path_outside_openmp(tree, path);
    const struct finding_cause cause = {metric, path, (double)sums[above ? above : path],
                                        above != 0};
    free(sums);
    return cause;
}

static double sum_of(const struct path_values *values, const char *metric)
{
    return (double)efficiency_sum(values, summary_metric(values->tree->summary, metric));
}

/* Of a DIFFERENCE in seconds, whether so many MORE without a processor are most of it.  Where
 * threads always share processors, for the USUAL share of the time, all that takes longer is
 * preempted longer: that part of the difference says nothing. */
static bool is_preempted(double more, double difference, double usual)
{
    return more > 0 && difference > 0 &&
           more - usual * difference >= PREEMPTED * (1 - usual) * difference;
}

/* Whether lack of processors cannot be the cause: the medians of many iterations, from which it
 * was taken away, differ.  Of single ones too little may have been taken away. */
static bool is_without_preemption(const struct finding *finding)
{
    return finding->corrected && finding->kind != FINDING_SLOW_ITERATIONS &&
           finding->kind != FINDING_PERIOD;
}

/* Finds the part of METRIC, and the call path, with most of the difference between MORE and
 * LESS. */
static void find_place(struct finding *finding, struct path_values *more,
                       const struct path_values *less, uint32_t metric)
{
    const struct summary *summary = more->tree->summary;
    path_values_combine(more, less, -1);
    const double preempted = sum_of(more, "preempted"), time = sum_of(less, "time"),
                 usual = time > 0 ? fmin(sum_of(less, "preempted") / time, 1) : 0;
    if (strcmp(summary->metrics[metric].unit, "s") == 0 && !is_without_preemption(finding) &&
        is_preempted(preempted, (double)efficiency_sum(more, metric), usual)) {
        finding->cause =
            (struct finding_cause){summary_metric(summary, "preempted"), 0, preempted, false};
        return;
    }
    metric = go_down_metric(more, metric);
    const struct finding_cause cause = go_down_path(more, metric);
    if (cause.value > 0)
        finding->cause = cause;
}

/* The rank that had no processor for much longer in ON than in OFF, while all took DIFFERENCE
 * longer, and how long; the number of ranks if none had. */
static size_t find_preempted(const struct look *look, double difference,
                             struct iteration_list on, struct iteration_list off, double *most)
{
    size_t thread = 0, found = look->selection->rank_count;
    *most = 0;
    for (size_t r = 0; r < look->selection->rank_count; r++) {
        const double before = rank_mean(look, look->preempted_means, thread, r, off),
                     time = rank_mean(look, look->metric_means, thread, r, off),
                     more = rank_mean(look, look->preempted_means, thread, r, on) - before;
        if (more > *most &&
            is_preempted(more, difference, time > 0 ? fmin(before / time, 1) : 0)) {
            *most = more;
            found = r;
        }
        thread += look->selection->ranks[r].count;
    }
    return found;
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
    double without;
    const size_t preempted = is_without_preemption(finding)
                                 ? ranks
                                 : find_preempted(look, all[most], on, off, &without);
    if (preempted < ranks) {
        finding->cause = (struct finding_cause){
            summary_metric(look->selection->summary, "preempted"), 0, without, false};
        finding_add_rank(finding, look->selection->ranks[preempted].rank);
        free(all);
        free(own);
        return;
    }
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
    const uint32_t io = look->has_io
                            ? summary_metric(look->selection->summary, "mpi_io_individual")
                            : SUMMARY_NONE;
    const long double more_io = efficiency_sum(these, io) - efficiency_sum(others, io),
                      more = efficiency_sum(these, look->work) -
                             efficiency_sum(others, look->work);
    return io != SUMMARY_NONE && more_io > more ? io : look->work;
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
