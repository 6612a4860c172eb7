/* See unevenness.h. */
#include "query/unevenness.h"

#include "base/base.h"
#include "query/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The longest of COUNT ranks less their mean; NaN: the rank does not have the iterations. */
static long double longest_less_mean(const double *values, size_t count)
{
    long double sum = 0, most = 0;
    size_t having = 0;
    for (size_t r = 0; r < count; r++) {
        if (isnan(values[r]))
            continue;
        sum += values[r];
        most = values[r] > most ? values[r] : most;
        having++;
    }
    return having > 1 ? most - sum / (long double)having : 0;
}

/* UNEVEN_LASTING iterations in a row, by rank. */
struct row {
    double *sums;
    uint64_t count;
};

/* Adds LENGTH iterations with VALUES; returns what could be gained in the rows that are full,
 * if each rank's iterations of a row were one. */
static long double gain_in_rows(struct row *row, const double *values, size_t ranks,
                                uint64_t length)
{
    long double gain = 0;
    while (length > 0) {
        const uint64_t room = UNEVEN_LASTING - row->count, part = length < room ? length : room;
        for (size_t r = 0; r < ranks; r++)
            row->sums[r] += values[r] * (double)part;
        row->count += part;
        length -= part;
        if (row->count < UNEVEN_LASTING)
            break;
        gain += longest_less_mean(row->sums, ranks);
        memset(row->sums, 0, ranks * sizeof *row->sums);
        row->count = 0;
        /* Whole rows of a long stretch are all the same. */
        const uint64_t rows = length / UNEVEN_LASTING;
        gain += (long double)rows * UNEVEN_LASTING * longest_less_mean(values, ranks);
        length -= rows * UNEVEN_LASTING;
    }
    return gain;
}

/* VALUES are computation, `preempted` and time by cluster: takes the second from the first, in
 * proportion to the third. */
static void correct_clusters(struct rank_values *values)
{
    const size_t threads = values->first[values->selection->rank_count];
    for (size_t i = 0; i < threads; i++)
        for (size_t c = 0; values->series[i] && c < values->series[i]->cluster_count; c++) {
            double *of = values->values[i] + c * values->metric_count;
            of[0] *= of[2] > 0 ? fmax(1 - of[1] / of[2], 0) : 1;
        }
}

/*
 * What could be gained in the iterations of PHASE if in each of them all ranks of SELECTION
 * computed for the same time, in seconds.  Less than in truth, since clusters have means.
 * *LASTING_GAIN: if they did so in several successive iterations together.
 */
static long double gain_in_phase(const struct selection *selection, uint32_t phase,
                                 uint32_t computation, bool corrected,
                                 long double *lasting_gain)
{
    const struct summary *summary = selection->summary;
    const uint32_t metrics[] = {computation, summary_metric(summary, "preempted"),
                                summary_metric(summary, "time")};
    const struct rank_values_of of = {
        .phase = phase, .metrics = metrics, .metric_count = corrected ? 3 : 1};
    const size_t ranks = selection->rank_count;
    struct rank_values *values = rank_values_create(selection, &of);
    if (corrected)
        correct_clusters(values);
    struct ranks_walk walk;
    struct row row = {allocate(ranks, sizeof *row.sums), 0};
    long double gain = 0;
    ranks_walk_begin(&walk, values);
    while (ranks_walk_step(&walk)) {
        gain += longest_less_mean(walk.values, ranks) * (long double)walk.length;
        *lasting_gain += gain_in_rows(&row, walk.values, ranks, walk.length);
    }
    *lasting_gain += longest_less_mean(row.sums, ranks);
    ranks_walk_end(&walk);
    rank_values_free(values);
    free(row.sums);
    return gain;
}

/* Whether iterations of PHASE are in no others, on the first process that has any. */
static bool is_outermost(const struct selection *selection, uint32_t phase)
{
    for (size_t r = 0; r < selection->rank_count; r++) {
        const struct series *series =
            location_series(&selection->summary->locations[selection->ranks[r].first], phase);
        if (series)
            return series->parent_phase == SUMMARY_NONE;
    }
    return false;
}

/* What could be gained in the iterations that SCOPE is about; *LASTING as in gain_in_phase. */
static long double gain_in_iterations(const struct scope *scope, uint32_t computation,
                                      bool corrected, long double *lasting)
{
    const struct selection *selection = scope->selection;
    long double gain = 0;
    /* The same threads as efficiencies are of. */
    struct selection first = selection_first_threads(selection);
    *lasting = 0;
    for (uint32_t p = 0; p < selection->summary->phase_count; p++)
        if (scope->phase == SUMMARY_NONE ? is_outermost(selection, p) : p == scope->phase)
            gain += gain_in_phase(&first, p, computation, corrected, lasting);
    free(first.ranks);
    return gain;
}

struct unevenness unevenness_of(const struct scope *scope, const struct path_tree *tree,
                                bool corrected)
{
    const struct selection *selection = scope->selection;
    const uint32_t computation = summary_metric(selection->summary, "computation");
    const size_t ranks = selection->rank_count;
    struct path_values *values = path_values_create(tree);
    struct unevenness uneven = {0};
    for (size_t r = 0; r < ranks; r++) {
        efficiency_process(scope, r, values);
        if (corrected)
            efficiency_correct(values);
        const long double own = efficiency_sum(values, computation);
        uneven.mean += own / (long double)ranks;
        if (r == 0 || own > uneven.most) {
            uneven.most = own;
            uneven.most_rank = selection->ranks[r].rank;
        }
    }
    path_values_free(values);
    const long double whole = uneven.most - uneven.mean;
    uneven.gain =
        fmaxl(gain_in_iterations(scope, computation, corrected, &uneven.lasting), whole);
    uneven.lasting = fmaxl(uneven.lasting, whole);
    return uneven;
}
