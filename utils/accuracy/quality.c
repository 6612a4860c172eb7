/* The error of the reconstruction.  See quality.h. */
#include "accuracy/quality.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>

/* The metrics whose errors are judged. */
static const char *const judged[] = {"execution", "computation", "mpi"};

/* Of these, smaller ones than this share of the first are not judged: they mislead nobody. */
#define JUDGED_SHARE 0.01

static const struct series *selected_series(const struct quality *quality, size_t rank,
                                            size_t i)
{
    const struct selection *selection = quality->selection;
    const struct rank_group *group = &selection->ranks[rank];
    return location_series(&selection->summary->locations[group->first + i], quality->phase);
}

/* The most visits of frames that are not shown that the iterations of a cluster have on
 * average. */
static double hidden_visits(const struct series *series)
{
    double most = 0;
    for (size_t c = 0; c < series->cluster_count; c++)
        most = fmax(most, (double)series->clusters[c].hidden_visits /
                              (double)series->clusters[c].size);
    return most;
}

static void add_maximum(struct quality *quality, const struct series *series,
                        const struct maximum *maximum)
{
    double *most = &quality->maxima[maximum->metric], value = (double)maximum->value;
    /* Visits count all frames there; users see fewer, which the error is a share of. */
    if (maximum->metric == quality->visits)
        value = fmax(0, value - hidden_visits(series));
    *most = fmax(*most, value);
}

static void add_series(struct quality *quality, const struct series *series)
{
    if (series->asked > quality->asked)
        quality->asked = series->asked;
    for (size_t i = 0; i < series->maximum_count; i++)
        add_maximum(quality, series, &series->maxima[i]);
    for (size_t c = 0; c < series->cluster_count; c++) {
        const struct cluster *cluster = &series->clusters[c];
        quality->iterations += cluster->size;
        if (!cluster->spreads)
            continue;
        quality->clustered += cluster->size;
        for (size_t i = 0; i < series->maximum_count; i++)
            quality->spreads[series->maxima[i].metric] += cluster->spreads[i];
    }
}

static void choose_judged(struct quality *quality)
{
    const struct summary *summary = quality->selection->summary;
    double whole = 0;
    for (size_t i = 0; i < sizeof judged / sizeof judged[0]; i++) {
        uint32_t metric = summary_metric(summary, judged[i]);
        if (metric == SUMMARY_NONE)
            continue;
        double most = quality->maxima[metric];
        whole = fmax(whole, most);
        quality->judged[metric] = most > 0 && most >= JUDGED_SHARE * whole;
    }
}

struct quality *quality_create(const struct selection *selection, uint32_t phase)
{
    size_t metrics = selection->summary->metric_count;
    struct quality *quality = allocate(1, sizeof *quality);
    quality->selection = selection;
    quality->phase = phase;
    quality->visits = summary_metric(selection->summary, "visits");
    quality->spreads = allocate(metrics, sizeof *quality->spreads);
    quality->maxima = allocate(metrics, sizeof *quality->maxima);
    quality->judged = allocate(metrics, sizeof *quality->judged);
    for (size_t r = 0; r < selection->rank_count; r++)
        for (size_t i = 0; i < selection->ranks[r].count; i++) {
            const struct series *series = selected_series(quality, r, i);
            if (series)
                add_series(quality, series);
        }
    choose_judged(quality);
    return quality;
}

void quality_free(struct quality *quality)
{
    if (!quality)
        return;
    free(quality->spreads);
    free(quality->maxima);
    free(quality->judged);
    free(quality);
}

/* The error for the sum of spreads SPREAD over ITERATIONS. */
static double error_of(double spread, uint64_t iterations, double maximum)
{
    if (iterations == 0 || !(maximum > 0))
        return 0;
    return sqrt(spread / (double)iterations) / maximum;
}

double quality_error(const struct quality *quality, uint32_t metric)
{
    return error_of(quality->spreads[metric], quality->iterations, quality->maxima[metric]);
}

uint32_t quality_verdict(const struct quality *quality)
{
    uint32_t worst = SUMMARY_NONE;
    double most = QUALITY_LIMIT;
    for (uint32_t m = 0; m < quality->selection->summary->metric_count; m++)
        if (quality->judged[m] && quality_error(quality, m) > most) {
            most = quality_error(quality, m);
            worst = m;
        }
    return worst;
}

static bool is_doubtful(const struct quality *quality, const struct series *series,
                        const struct cluster *cluster)
{
    for (size_t i = 0; cluster->spreads && i < series->maximum_count; i++) {
        uint32_t metric = series->maxima[i].metric;
        if (quality->judged[metric] && error_of(cluster->spreads[i], cluster->size,
                                                quality->maxima[metric]) > QUALITY_LIMIT)
            return true;
    }
    return false;
}

/* Adds the runs of SERIES that are in doubtful clusters; SET has room for them. */
static void add_doubtful(const struct quality *quality, const struct series *series,
                         struct iteration_set *set)
{
    bool *doubtful = allocate(series->cluster_count, sizeof *doubtful);
    for (size_t c = 0; c < series->cluster_count; c++)
        doubtful[c] = is_doubtful(quality, series, &series->clusters[c]);
    for (size_t i = 0; i < series->run_count; i++) {
        const struct run *run = &series->runs[i];
        if (run->cluster != SUMMARY_NONE && doubtful[run->cluster])
            set->ranges[set->count++] =
                (struct range){run->first, run->first + run->length - 1};
    }
    free(doubtful);
}

static int compare_ranges(const void *a, const void *b)
{
    const struct range *left = a, *right = b;
    return (left->first > right->first) - (left->first < right->first);
}

/* Sorts the ranges and joins those that touch. */
static void unite(struct iteration_set *set)
{
    size_t kept = 0;
    if (set->count == 0)
        return;
    qsort(set->ranges, set->count, sizeof *set->ranges, compare_ranges);
    for (size_t i = 0; i < set->count; i++) {
        struct range *last = kept ? &set->ranges[kept - 1] : NULL, next = set->ranges[i];
        if (last && next.first <= last->last + 1)
            last->last = next.last > last->last ? next.last : last->last;
        else
            set->ranges[kept++] = next;
    }
    set->count = kept;
    for (size_t i = 0; i < kept; i++)
        set->iterations += set->ranges[i].last - set->ranges[i].first + 1;
}

struct iteration_set quality_doubtful(const struct quality *quality)
{
    const struct selection *selection = quality->selection;
    struct iteration_set set = {0};
    size_t runs = 0;
    for (size_t r = 0; r < selection->rank_count; r++)
        for (size_t i = 0; i < selection->ranks[r].count; i++) {
            const struct series *series = selected_series(quality, r, i);
            if (!series)
                continue;
            set.ranges = reallocate(set.ranges, runs += series->run_count, sizeof *set.ranges);
            add_doubtful(quality, series, &set);
        }
    unite(&set);
    return set;
}
