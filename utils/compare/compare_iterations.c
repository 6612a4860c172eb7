/* The figures of entire iterations.  See compare.h. */
#include "base/base.h"
#include "compare/compare.h"
#include "query/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The sums and maxima of one metric so far, in stored units. */
struct gathered {
    long double mean_error, max_error;      /* sums over iterations */
    long double squares;                    /* sum over profiles of the squared error */
    long double worst;                      /* error of a profile */
    long double top_mean, top_max;          /* largest mean and maximum over ranks in A */
    long double top;                        /* largest value of a location in A */
    long double value[SIDES];               /* of the current rank */
    long double sum[SIDES], highest[SIDES]; /* over the current iteration's ranks */
    bool in[SIDES];                         /* not always zero */
};

struct comparison {
    struct figures *figures;
    const struct joint *joint;
    struct sweep sweep;
    long double **means[SIDES]; /* by place: [cluster * metric_count + metric] */
    struct gathered *metrics;
    bool *compared; /* by rank: some iteration was */
};

/* Inclusive values of an iteration of each cluster of SERIES; for the caller to free(). */
static long double *cluster_means(const struct joint *joint, enum side side,
                                  const struct series *series)
{
    const struct summary *summary = joint_summary(joint, side);
    if (!series)
        return NULL;
    long double *means = allocate(series->cluster_count * joint->metric_count, sizeof *means),
                *at = means;
    for (size_t c = 0; c < series->cluster_count; c++) {
        int64_t *sums = profile_inclusive(summary, &series->clusters[c].sums);
        for (size_t m = 0; m < joint->metric_count; m++)
            *at++ = (long double)sums[joint->metrics[m].in[side]] /
                    (long double)series->clusters[c].size;
        free(sums);
    }
    return means;
}

static void raise_to(long double *highest, long double value)
{
    if (value > *highest)
        *highest = value;
}

/* Adds a profile that both sides have to the values of its rank. */
static void add_profile(struct comparison *comparison, const long double *a,
                        const long double *b, bool first)
{
    long double length = (long double)comparison->sweep.length;
    for (size_t m = 0; m < comparison->joint->metric_count; m++) {
        struct gathered *metric = &comparison->metrics[m];
        long double error = fabsl(a[m] - b[m]);
        metric->squares += length * error * error;
        raise_to(&metric->worst, error);
        raise_to(&metric->top, fabsl(a[m]));
        metric->in[SIDE_A] |= a[m] != 0;
        metric->in[SIDE_B] |= b[m] != 0;
        metric->value[SIDE_A] = first ? a[m] : metric->value[SIDE_A] + a[m];
        metric->value[SIDE_B] = first ? b[m] : metric->value[SIDE_B] + b[m];
    }
}

/* Takes the values of RANK, which are complete now, into account. */
static void add_rank(struct comparison *comparison, bool first)
{
    for (size_t m = 0; m < comparison->joint->metric_count; m++) {
        struct gathered *metric = &comparison->metrics[m];
        for (enum side side = 0; side < SIDES; side++) {
            long double value = metric->value[side];
            metric->sum[side] = first ? value : metric->sum[side] + value;
            if (first || value > metric->highest[side])
                metric->highest[side] = value;
        }
    }
}

/* Takes the stretch, whose RANKS are complete now, into account. */
static void add_iterations(struct comparison *comparison, size_t ranks)
{
    long double length = (long double)comparison->sweep.length;
    for (size_t m = 0; m < comparison->joint->metric_count; m++) {
        struct gathered *metric = &comparison->metrics[m];
        long double mean_a = metric->sum[SIDE_A] / (long double)ranks,
                    mean_b = metric->sum[SIDE_B] / (long double)ranks;
        metric->mean_error += length * fabsl(mean_a - mean_b);
        metric->max_error += length * fabsl(metric->highest[SIDE_A] - metric->highest[SIDE_B]);
        raise_to(&metric->top_mean, fabsl(mean_a));
        raise_to(&metric->top_max, fabsl(metric->highest[SIDE_A]));
    }
    comparison->figures->iterations += comparison->sweep.length;
}

/* The values of PLACE on SIDE in the current stretch, or NULL if it has none. */
static const long double *place_means(const struct comparison *comparison, size_t place,
                                      enum side side)
{
    uint32_t cluster = comparison->sweep.clusters[SIDES * place + side];
    if (cluster == SUMMARY_NONE)
        return NULL;
    return comparison->means[side][place] + cluster * comparison->joint->metric_count;
}

/* Adds the places of RANK that both sides have; false if there is none. */
static bool compare_rank(struct comparison *comparison, const struct rank_group *rank)
{
    struct figures *figures = comparison->figures;
    bool any = false;
    for (size_t i = rank->first; i < rank->first + rank->count; i++) {
        const long double *a = place_means(comparison, i, SIDE_A),
                          *b = place_means(comparison, i, SIDE_B);
        if (a && b) {
            add_profile(comparison, a, b, !any);
            figures->profiles += comparison->sweep.length;
            any = true;
        } else if (a || b) {
            figures->sides[a ? SIDE_A : SIDE_B].profiles_only += comparison->sweep.length;
        }
    }
    return any;
}

static void compare_stretch(struct comparison *comparison)
{
    size_t ranks = 0;
    for (size_t r = 0; r < comparison->joint->rank_count; r++) {
        if (!compare_rank(comparison, &comparison->joint->ranks[r]))
            continue;
        add_rank(comparison, ranks++ == 0);
        comparison->compared[r] = true;
    }
    if (ranks > 0)
        add_iterations(comparison, ranks);
}

static void state_figures(struct comparison *comparison)
{
    struct figures *figures = comparison->figures;
    long double iterations = (long double)figures->iterations,
                profiles = (long double)figures->profiles;
    for (size_t m = 0; m < comparison->joint->metric_count; m++) {
        const struct gathered *metric = &comparison->metrics[m];
        figures->in_a[m] = metric->in[SIDE_A];
        figures->in_b[m] = metric->in[SIDE_B];
        if (!comparison->joint->metrics[m].entire || figures->profiles == 0)
            continue;
        figures->metrics[ITERATION_MEAN][m] =
            share_of(metric->mean_error / iterations, metric->top_mean);
        figures->metrics[ITERATION_MAX][m] =
            share_of(metric->max_error / iterations, metric->top_max);
        figures->metrics[ITERATION_RMS][m] =
            share_of(sqrtl(metric->squares / profiles), metric->top);
        figures->metrics[ITERATION_WORST][m] = share_of(metric->worst, metric->top);
    }
    for (size_t r = 0; r < comparison->joint->rank_count; r++)
        figures->ranks += comparison->compared[r];
}

static void open_comparison(struct comparison *comparison, const struct series *const *series)
{
    const struct joint *joint = comparison->joint;
    comparison->metrics = allocate(joint->metric_count, sizeof *comparison->metrics);
    comparison->compared = allocate(joint->rank_count, sizeof *comparison->compared);
    for (enum side side = 0; side < SIDES; side++) {
        comparison->means[side] = allocate(joint->place_count, sizeof *comparison->means[side]);
        for (size_t i = 0; i < joint->place_count; i++)
            comparison->means[side][i] = cluster_means(joint, side, series[SIDES * i + side]);
    }
    sweep_begin(&comparison->sweep, series, SIDES * joint->place_count,
                joint->selections[SIDE_A]->iterations);
}

static void close_comparison(struct comparison *comparison)
{
    sweep_end(&comparison->sweep);
    for (enum side side = 0; side < SIDES; side++) {
        for (size_t i = 0; i < comparison->joint->place_count; i++)
            free(comparison->means[side][i]);
        free(comparison->means[side]);
    }
    free(comparison->metrics);
    free(comparison->compared);
}

void compare_iterations(struct figures *figures, const struct series *const *series)
{
    struct comparison comparison = {.figures = figures, .joint = figures->joint};
    open_comparison(&comparison, series);
    while (sweep_step(&comparison.sweep))
        compare_stretch(&comparison);
    state_figures(&comparison);
    close_comparison(&comparison);
}
