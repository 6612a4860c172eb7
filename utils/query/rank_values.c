/* Values of ranks over iterations.  See rank_values.h. */
#include "query/rank_values.h"

#include "query/sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Which of the wanted metrics each metric is a part of. */
struct parts {
    const struct summary *summary;
    const struct rank_values_of *of;
    bool *is_part; /* [metric of the summary * metric_count + wanted metric] */
};

static struct parts make_parts(const struct summary *summary, const struct rank_values_of *of)
{
    struct parts parts = {summary, of,
                          allocate(summary->metric_count * of->metric_count, sizeof(bool))};
    for (uint32_t m = 0; m < summary->metric_count; m++)
        for (size_t w = 0; w < of->metric_count; w++)
            parts.is_part[m * of->metric_count + w] =
                metric_is_part(summary, m, of->metrics[w]);
    return parts;
}

/* Adds the mean of PROFILE, a sum over COUNT iterations, to VALUES. */
static void add_profile(const struct parts *parts, const struct profile *profile,
                        uint64_t count, double *values)
{
    const struct rank_values_of *of = parts->of;
    int64_t sums[RANK_VALUES_METRICS] = {0};
    for (size_t i = 0; i < profile->count; i++) {
        const struct cell *cell = &profile->cells[i];
        const bool *is_part = &parts->is_part[cell->metric * of->metric_count];
        if (of->nodes && !of->nodes[cell->node])
            continue;
        for (size_t w = 0; w < of->metric_count; w++)
            if (is_part[w])
                sums[w] = add_stored(sums[w], cell->value);
    }
    for (size_t w = 0; w < of->metric_count; w++)
        values[w] += (double)shown_value(parts->summary, of->metrics[w], sums[w], count);
}

static double *cluster_values(const struct parts *parts, const struct series *series)
{
    size_t wanted = parts->of->metric_count;
    double *values = allocate(series->cluster_count * wanted, sizeof *values);
    for (size_t c = 0; c < series->cluster_count; c++)
        add_profile(parts, &series->clusters[c].sums, series->clusters[c].size,
                    values + c * wanted);
    return values;
}

struct rank_values *rank_values_create(const struct selection *selection,
                                       const struct rank_values_of *of)
{
    size_t most = selection_locations(selection), thread = 0;
    struct parts parts = make_parts(selection->summary, of);
    struct rank_values *values = allocate(1, sizeof *values);
    *values = (struct rank_values){
        .selection = selection,
        .metric_count = of->metric_count,
        .series = allocate(most, sizeof(struct series *)),
        .values = allocate(most, sizeof(double *)),
        .first = allocate(selection->rank_count + 1, sizeof(size_t)),
    };
    for (size_t r = 0; r < selection->rank_count; r++) {
        values->first[r] = thread;
        for (size_t i = 0; i < selection->ranks[r].count; i++, thread++) {
            const struct series *series = location_series(
                &selection->summary->locations[selection->ranks[r].first + i], of->phase);
            values->series[thread] = series;
            if (series)
                values->values[thread] = cluster_values(&parts, series);
        }
    }
    values->first[selection->rank_count] = thread;
    free(parts.is_part);
    return values;
}

void rank_values_free(struct rank_values *values)
{
    if (!values)
        return;
    for (size_t i = 0; i < values->first[values->selection->rank_count]; i++)
        free(values->values[i]);
    free(values->values);
    free(values->series);
    free(values->first);
    free(values);
}

/*
 * The sums over COUNT threads from FIRST on, which are in CLUSTERS; NaN if none of them is in
 * any.
 */
static void add_threads(const struct rank_values *of, size_t first, const uint32_t *clusters,
                        size_t count, double *sums)
{
    bool any = false;
    for (size_t w = 0; w < of->metric_count; w++)
        sums[w] = NAN;
    for (size_t i = 0; i < count; i++) {
        if (clusters[i] == SUMMARY_NONE)
            continue;
        const double *values = of->values[first + i] + clusters[i] * of->metric_count;
        for (size_t w = 0; w < of->metric_count; w++)
            sums[w] = (any ? sums[w] : 0) + values[w];
        any = true;
    }
}

void rank_walk_begin(struct rank_walk *walk, const struct rank_values *values, size_t i)
{
    walk->of = values;
    walk->thread = values->first[i];
    walk->length = 0;
    sweep_begin(&walk->sweep, values->series + walk->thread,
                values->first[i + 1] - values->first[i], values->selection->iterations);
    walk->first = walk->sweep.next;
}

bool rank_walk_step(struct rank_walk *walk)
{
    walk->first += walk->length;
    if (!sweep_step(&walk->sweep))
        return false;
    walk->length = walk->sweep.length;
    add_threads(walk->of, walk->thread, walk->sweep.clusters, walk->sweep.count, walk->values);
    return true;
}

void rank_walk_end(struct rank_walk *walk)
{
    sweep_end(&walk->sweep);
}

void ranks_walk_begin(struct ranks_walk *walk, const struct rank_values *values)
{
    const struct selection *selection = values->selection;
    walk->of = values;
    walk->length = 0;
    walk->values = allocate(selection->rank_count, sizeof *walk->values);
    sweep_begin(&walk->sweep, values->series, values->first[selection->rank_count],
                selection->iterations);
    walk->first = walk->sweep.next;
}

bool ranks_walk_step(struct ranks_walk *walk)
{
    const struct rank_values *of = walk->of;
    double sums[RANK_VALUES_METRICS];
    walk->first += walk->length;
    if (!sweep_step(&walk->sweep))
        return false;
    walk->length = walk->sweep.length;
    for (size_t r = 0; r < of->selection->rank_count; r++) {
        add_threads(of, of->first[r], walk->sweep.clusters + of->first[r],
                    of->first[r + 1] - of->first[r], sums);
        walk->values[r] = sums[0];
    }
    return true;
}

void ranks_walk_end(struct ranks_walk *walk)
{
    sweep_end(&walk->sweep);
    free(walk->values);
}

void rank_whole_run(const struct selection *selection, const struct rank_values_of *of,
                    size_t i, double *values)
{
    const struct rank_group *rank = &selection->ranks[i];
    struct parts parts = make_parts(selection->summary, of);
    memset(values, 0, of->metric_count * sizeof *values);
    for (size_t t = 0; t < rank->count; t++)
        add_profile(&parts, &selection->summary->locations[rank->first + t].whole, 1, values);
    free(parts.is_part);
}
