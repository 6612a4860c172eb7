/* See findings_paths.h. */
#include "findings/findings_paths.h"

#include "base/base.h"
#include "query/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t metric_of(const struct path_values *values, const char *name)
{
    return summary_metric(values->tree->summary, name);
}

static long double *cell(struct path_values *values, uint32_t path, uint32_t metric)
{
    return &values->sums[(size_t)path * values->metric_count + metric];
}

/* Replaces VALUES by the mean over the iterations of LIST on rank R. */
static void fill_rank(const struct look *look, size_t r, struct iteration_list list,
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

void paths_fill(const struct look *look, const struct rank_set *set, struct path_values *values)
{
    struct path_values *one = path_values_create(look->tree);
    path_values_clear(values);
    for (size_t i = 0; i < set->count; i++) {
        fill_rank(look, set->ranks[i], set->list, one);
        if (look->corrected)
            efficiency_correct(one);
        path_values_combine(values, one, 1);
    }
    values->divisor = set->count;
    path_values_free(one);
}

double paths_samples(const struct path_values *values, const struct rank_set *set)
{
    uint64_t iterations = 0;
    for (size_t i = 0; i < set->list.count; i++)
        iterations += set->list.ranges[i].last - set->list.ranges[i].first + 1;
    return (double)efficiency_sum(values, metric_of(values, "samples")) *
           (double)(iterations * set->count);
}

/* Computation that is spread. */
struct spreading {
    struct path_values *values;
    uint32_t computation, samples;
    long double weight;   /* computation that a sample stands for */
    long double *sampled; /* by path: samples, with those below */
    long double *rate;    /* by path: computation that each sample below it gets */
};

static long double own_samples(const struct spreading *all, uint32_t path)
{
    return *cell(all->values, path, all->samples);
}

/* What a sample stands for where paths have nothing but what was sampled: where nothing below
 * them was. */
static long double weight_of(const struct spreading *all)
{
    long double time = 0, samples = 0;
    for (size_t i = 0; i < all->values->count; i++) {
        const uint32_t path = all->values->list[i];
        const long double own = own_samples(all, path);
        if (own <= 0 || all->sampled[path] > own)
            continue;
        time += *cell(all->values, path, all->computation);
        samples += own;
    }
    return samples > 0 ? time / samples : 0;
}

/* The computation of PATH itself whose place no sample tells. */
static long double unsampled(const struct spreading *all, uint32_t path)
{
    return fmaxl(
        *cell(all->values, path, all->computation) - own_samples(all, path) * all->weight, 0);
}

/* Adds MORE to the computation of PATH, and to what that is part of. */
static void add_computation(const struct spreading *all, uint32_t path, long double more)
{
    const struct summary *summary = all->values->tree->summary;
    if (more == 0)
        return;
    path_values_touch(all->values, path);
    for (uint32_t m = all->computation; m != SUMMARY_NONE; m = summary->metrics[m].parent)
        *cell(all->values, path, m) += more;
}

/* Paths come behind those that call them. */
static void spread_all(const struct spreading *all)
{
    const struct path_tree *tree = all->values->tree;
    for (uint32_t p = 0; p < tree->count; p++) {
        const long double own = own_samples(all, p), below = all->sampled[p] - own,
                          rate = p ? all->rate[tree->paths[p].parent] : 0,
                          unknown = below > 0 ? unsampled(all, p) : 0;
        all->rate[p] = below > 0 ? rate + unknown / below : 0;
        add_computation(all, p, rate * own - unknown);
    }
}

static void add_up(const struct path_tree *tree, long double *sums)
{
    for (uint32_t p = (uint32_t)tree->count; p-- > 1;)
        sums[tree->paths[p].parent] += sums[p];
}

void paths_spread(struct path_values *values)
{
    const struct path_tree *tree = values->tree;
    struct spreading all = {.values = values,
                            .computation = metric_of(values, "computation"),
                            .samples = metric_of(values, "samples")};
    if (all.computation == SUMMARY_NONE || all.samples == SUMMARY_NONE)
        return;
    all.sampled = allocate(tree->count, sizeof *all.sampled);
    all.rate = allocate(tree->count, sizeof *all.rate);
    for (size_t i = 0; i < values->count; i++)
        all.sampled[values->list[i]] = own_samples(&all, values->list[i]);
    add_up(tree, all.sampled);
    all.weight = weight_of(&all);
    spread_all(&all);
    free(all.sampled);
    free(all.rate);
}

long double *paths_differences(const struct path_values *more, const struct path_values *less,
                               uint32_t metric)
{
    const struct path_tree *tree = more->tree;
    long double *sums = allocate(tree->count, sizeof *sums);
    for (uint32_t p = 0; p < tree->count; p++)
        sums[p] = path_value(more, p, metric) - path_value(less, p, metric);
    add_up(tree, sums);
    return sums;
}
