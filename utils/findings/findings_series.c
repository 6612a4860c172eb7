/* What single call paths have in each iteration.  See findings_inside.h. */
#include "findings/findings_inside.h"

#include "base/base.h"
#include "findings/findings_paths.h"
#include "query/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_VALUES ((size_t)1 << 22) /* in the series of all paths */

/* Series that are being made. */
struct maker {
    const struct inside *inside;
    struct path_values *values, *none;
    uint32_t computation;
    double *sums;  /* [path * points + point], over ranks */
    double *ranks; /* by point: how many have it */
    size_t *last;  /* by point: the last of them, plus 1 */
};

/* The means of each path in the clusters of SERIES, [cluster * paths + path]; for the caller to
 * free(). */
static double *cluster_means(struct maker *maker, const struct series *series)
{
    const struct inside *inside = maker->inside;
    double *means = allocate(series->cluster_count * inside->path_count, sizeof *means);
    for (size_t c = 0; c < series->cluster_count; c++) {
        path_values_clear(maker->values);
        path_values_add(maker->values, &series->clusters[c].sums, 1, METRICS_INCLUSIVE);
        maker->values->divisor = series->clusters[c].size ? series->clusters[c].size : 1;
        if (inside->metric == maker->computation)
            paths_spread(maker->values);
        long double *sums = paths_differences(maker->values, maker->none, inside->metric);
        for (size_t p = 0; p < inside->path_count; p++)
            means[c * inside->path_count + p] = (double)sums[inside->paths[p]];
        free(sums);
    }
    return means;
}

/* Adds the values of the I-th thread of rank R. */
static void add_thread(struct maker *maker, size_t r, size_t i)
{
    const struct inside *inside = maker->inside;
    const struct look *look = inside->look;
    const struct points *points = &look->points;
    const struct series *series = look_series(look, r, i);
    const struct range all = {look->first, points->end - 1};
    size_t point = 0;
    if (!series)
        return;
    double *means = cluster_means(maker, series);
    struct piece piece = {.series = series, .ranges = &all, .range_count = 1};
    while (piece_next(&piece)) {
        const double *mean = means + piece.cluster * inside->path_count;
        while (point < points->count && points->at[point] < piece.end - piece.length)
            point++;
        for (; point < points->count && points->at[point] < piece.end; point++) {
            maker->ranks[point] += maker->last[point] != r + 1;
            maker->last[point] = r + 1;
            for (size_t p = 0; p < inside->path_count; p++)
                maker->sums[p * points->count + point] += mean[p];
        }
    }
    free(means);
}

double *inside_series(const struct inside *inside)
{
    const struct look *look = inside->look;
    const size_t count = look->points.count;
    if (look->points.group > 1 || count == 0 || inside->path_count == 0 ||
        count * inside->path_count > MOST_VALUES)
        return NULL;
    struct maker maker = {.inside = inside,
                          .values = path_values_create(look->tree),
                          .none = path_values_create(look->tree),
                          .computation =
                              summary_metric(look->selection->summary, "computation"),
                          .sums = allocate(inside->path_count * count, sizeof *maker.sums),
                          .ranks = allocate(count, sizeof *maker.ranks),
                          .last = allocate(count, sizeof *maker.last)};
    for (size_t n = 0; n < inside->rank_count; n++)
        for (size_t i = 0; i < look->selection->ranks[inside->ranks[n]].count; i++)
            add_thread(&maker, inside->ranks[n], i);
    for (size_t p = 0; p < inside->path_count; p++)
        for (size_t point = 0; point < count; point++)
            maker.sums[p * count + point] /= maker.ranks[point] > 0 ? maker.ranks[point] : 1;
    path_values_free(maker.values);
    path_values_free(maker.none);
    free(maker.ranks);
    free(maker.last);
    return maker.sums;
}
