/* Finds work that is always distributed unequally, or more and more.  See findings_ranks.h. */
#include "findings/findings_ranks.h"

#include "statistics/statistics.h"

#include <math.h>

#define IMBALANCE    0.15 /* the least that is reported */
#define STEADY       0.7  /* the least correlation of the ranks' work in the two halves */
#define LEAST_RANKS  4
#define TREND_VALUES 128 /* at most: the time grows with the square */
#define GROWTH_TAU   0.7 /* of the trend, at least */
#define GROWTH_Z     3.9

/* Least, mean and most of ranks over some blocks. */
struct extent {
    double min, mean, max;
    size_t count;
};

static struct extent extent_between(const struct ranks *ranks, size_t first, size_t end)
{
    struct extent extent = {INFINITY, 0, -INFINITY, 0};
    for (size_t r = 0; r < ranks->ranks; r++) {
        double mean = ranks_mean(ranks, r, first, end);
        if (isnan(mean))
            continue;
        extent.count++;
        extent.mean += mean;
        extent.min = fmin(extent.min, mean);
        extent.max = fmax(extent.max, mean);
    }
    extent.mean = extent.count ? extent.mean / (double)extent.count : 0;
    return extent;
}

static double imbalance_between(const struct ranks *ranks, size_t first, size_t end)
{
    struct extent extent = extent_between(ranks, first, end);
    return imbalance_is_known(extent.min, extent.max, extent.count)
               ? (double)imbalance_of(extent.mean, extent.max, extent.count)
               : 0;
}

/* Whether ranks that have more than others in the first half also have in the second: chance
 * does not choose the same ranks twice. */
static bool is_steady(const struct ranks *ranks)
{
    const size_t half = ranks->blocks / 2;
    struct extent early = extent_between(ranks, 0, half),
                  late = extent_between(ranks, half, ranks->blocks);
    double common = 0, early_square = 0, late_square = 0;
    if (early.count < 2 || late.count < 2)
        return false;
    for (size_t r = 0; r < ranks->ranks; r++) {
        double a = ranks_mean(ranks, r, 0, half) - early.mean;
        double b = ranks_mean(ranks, r, half, ranks->blocks) - late.mean;
        if (isnan(a) || isnan(b))
            continue;
        common += a * b;
        early_square += a * a;
        late_square += b * b;
    }
    return common >= STEADY * sqrt(early_square * late_square);
}

void find_imbalance(struct ranks *ranks)
{
    const struct extent all = extent_between(ranks, 0, ranks->blocks);
    const double more = all.max - all.mean,
                 imbalance = imbalance_between(ranks, 0, ranks->blocks);
    if (imbalance < IMBALANCE || more < RANKS_TIME_SHARE * fabs(ranks->look->mean) ||
        all.count < LEAST_RANKS || !is_steady(ranks))
        return;
    struct finding *finding = ranks_add_finding(ranks, FINDING_IMBALANCE);
    finding->value = imbalance;
    finding->excess = finding->gain = more * (double)ranks->look->count;
    size_t most = 0;
    for (size_t r = 0; r < ranks->ranks; r++) {
        double mean = ranks_mean(ranks, r, 0, ranks->blocks);
        if (mean >= all.mean + more / 2)
            finding_add_rank(finding, ranks_number(ranks, r));
        if (mean == all.max)
            most = r;
    }
    struct range range = ranks_iterations(ranks);
    finding_add_range(finding, range.first, range.last);
    double middle;
    size_t other = ranks_middle(ranks, 0, ranks->blocks, &middle);
    explain_rank(finding, ranks->look, most, other, (struct iteration_list){&range, 1});
}

void find_growing_imbalance(struct ranks *ranks)
{
    double values[TREND_VALUES];
    size_t count = ranks->blocks < TREND_VALUES ? ranks->blocks : TREND_VALUES;
    if (count < 10)
        return;
    for (size_t i = 0; i < count; i++) {
        struct extent extent =
            extent_between(ranks, ranks->blocks * i / count, ranks->blocks * (i + 1) / count);
        values[i] = extent.count > 1 ? extent.max - extent.mean : 0;
    }
    struct trend trend = trend_of(values, count);
    size_t tenth = count / 10;
    double first = median_of(values, tenth), last = median_of(values + count - tenth, tenth);
    if (trend.tau < GROWTH_TAU || trend.z < GROWTH_Z ||
        last - first < RANKS_TIME_SHARE * fabs(ranks->look->mean))
        return;
    struct finding *finding = ranks_add_finding(ranks, FINDING_GROWING_IMBALANCE);
    const size_t tenth_blocks = ranks->blocks / 10;
    const struct range all = ranks_iterations(ranks);
    finding->usual = imbalance_between(ranks, 0, tenth_blocks);
    finding->value = imbalance_between(ranks, ranks->blocks - tenth_blocks, ranks->blocks);
    finding->excess = finding->gain = (last - first) / 2 * (double)ranks->look->count;
    finding_add_range(finding, all.first, all.last);
}
