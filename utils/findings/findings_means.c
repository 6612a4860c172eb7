/* See findings_means.h. */
#include "findings/findings_means.h"

#include "base/base.h"
#include "query/query.h"

#include <math.h>
#include <stdlib.h>

/* What ranks read and write alone: in collective input and output they also wait for each
 * other.  SUMMARY_NONE: it is not looked at. */
static uint32_t io_of(const struct look *look)
{
    return look->is_time ? summary_metric(look->selection->summary, "mpi_io_individual")
                         : SUMMARY_NONE;
}

/* Adds input and output to the MEANS of work by cluster. */
static void add_io(struct look *look, const struct series *series, double *means)
{
    const uint32_t io = io_of(look);
    if (io == SUMMARY_NONE)
        return;
    double *more = series_means(look->selection->summary, series, io);
    for (size_t c = 0; c < series->cluster_count; c++) {
        look->has_io = look->has_io || more[c] > 0;
        means[c] += more[c];
    }
    free(more);
}

/* Where in an iteration a rank had no processor is not known: it lost it in its own work for
 * the share that this has of the time.  A rank that waits for others waits busily, as a rule.
 */
static void correct(double *own, const double *time, const double *preempted, size_t count)
{
    for (size_t c = 0; c < count; c++)
        if (time[c] > 0)
            own[c] *= fmax(1 - preempted[c] / time[c], 0);
}

static void make_thread(struct look *look, const struct series *series, size_t at)
{
    const struct summary *summary = look->selection->summary;
    const uint32_t preempted =
        look->is_time ? summary_metric(summary, "preempted") : SUMMARY_NONE;
    look->metric_means[at] = series_means(summary, series, look->metric);
    look->own_means[at] = series_means(summary, series, look->work);
    add_io(look, series, look->own_means[at]);
    if (preempted == SUMMARY_NONE)
        return;
    look->preempted_means[at] = series_means(summary, series, preempted);
    if (look->corrected)
        correct(look->own_means[at], look->metric_means[at], look->preempted_means[at],
                series->cluster_count);
}

void look_make_means(struct look *look)
{
    const size_t threads = selection_locations(look->selection);
    size_t at = 0;
    look->metric_means = allocate(threads, sizeof *look->metric_means);
    look->own_means = allocate(threads, sizeof *look->own_means);
    look->preempted_means = allocate(threads, sizeof *look->preempted_means);
    for (size_t r = 0; r < look->selection->rank_count; r++)
        for (size_t i = 0; i < look->selection->ranks[r].count; i++, at++) {
            const struct series *series = look_series(look, r, i);
            if (series)
                make_thread(look, series, at);
        }
}

void look_free_means(struct look *look)
{
    const size_t threads = selection_locations(look->selection);
    for (size_t i = 0; i < threads; i++) {
        free(look->metric_means[i]);
        free(look->own_means[i]);
        free(look->preempted_means[i]);
    }
    free(look->metric_means);
    free(look->own_means);
    free(look->preempted_means);
}

double mean_of_rank(const struct look *look, double *const *means, size_t thread, size_t r,
                    struct iteration_list list)
{
    double sum = 0;
    uint64_t most = 0;
    for (size_t i = 0; i < look->selection->ranks[r].count; i++) {
        const struct series *series = look_series(look, r, i);
        uint64_t count = 0;
        if (!series || !means[thread + i])
            continue;
        struct piece piece = {
            .series = series, .ranges = list.ranges, .range_count = list.count};
        while (piece_next(&piece)) {
            sum += means[thread + i][piece.cluster] * (double)piece.length;
            count += piece.length;
        }
        most = count > most ? count : most;
    }
    return most ? sum / (double)most : 0;
}
