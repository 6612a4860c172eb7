/* The iterations that were traced, out of the clusters of the run.  See join_parts.h. */
#include "waits/join_parts.h"

#include <stdlib.h>
#include <string.h>

/* Makes room for what COUNT iterations add. */
static void make_room(struct join *join, struct series *series, size_t count)
{
    struct memory_pool *pool = &join->run->pool;
    struct cluster *clusters =
        memory_pool_allocate(pool, series->cluster_count + count, sizeof *clusters);
    struct run *runs = memory_pool_allocate(pool, series->run_count + 2 * count, sizeof *runs);
    if (series->cluster_count > 0)
        memcpy(clusters, series->clusters, series->cluster_count * sizeof *clusters);
    if (series->run_count > 0)
        memcpy(runs, series->runs, series->run_count * sizeof *runs);
    series->clusters = clusters;
    series->runs = runs;
}

/* The run that ITERATION is in; SIZE_MAX: it is beyond the end. */
static size_t find_run(const struct series *series, uint64_t iteration)
{
    size_t low = 0, high = series->run_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (series->runs[middle].first + series->runs[middle].length <= iteration)
            low = middle + 1;
        else
            high = middle;
    }
    return low < series->run_count ? low : SIZE_MAX;
}

/* Makes room for ADDED runs before number AT. */
static void open_runs(struct series *series, size_t at, size_t added)
{
    memmove(&series->runs[at + added], &series->runs[at],
            (series->run_count - at) * sizeof *series->runs);
    series->run_count += added;
}

/* ITERATION, of run number AT, is in CLUSTER from now on. */
static void split_run(struct series *series, size_t at, uint64_t iteration, uint32_t cluster)
{
    const struct run whole = series->runs[at];
    const uint64_t before = iteration - whole.first, after = whole.length - before - 1;
    open_runs(series, at, (before > 0) + (after > 0));
    if (before > 0)
        series->runs[at++] = (struct run){whole.first, before, whole.cluster, whole.unmapped};
    series->runs[at++] = (struct run){iteration, 1, cluster, false};
    if (after > 0)
        series->runs[at] = (struct run){iteration + 1, after, whole.cluster, whole.unmapped};
}

/* All time in PROFILE, with what measuring cost. */
static int64_t time_in(const struct join *join, const struct profile *profile)
{
    int64_t sum = 0;
    for (size_t i = 0; i < profile->count; i++)
        sum += join->is_wall[profile->cells[i].metric] ? profile->cells[i].value : 0;
    return sum;
}

/*
 * One iteration of CLUSTER is no longer in it: whether a call path that does not occur in all
 * of them occurred in that one is not known.
 */
static void take_presence(struct cluster *cluster)
{
    if (--cluster->size == 1) {
        cluster->occurrences = NULL;
        cluster->occurrence_count = 0;
        return;
    }
    for (size_t i = 0; i < cluster->occurrence_count; i++) {
        struct occurrence *told = &cluster->occurrences[i];
        told->least -= told->least > 1;
        told->most -= told->most > cluster->size;
    }
}

/* The iteration of a cluster that has others, as one of its own. */
static struct cluster take_out(struct join *join, struct cluster *from,
                               const struct cluster *waits)
{
    struct cluster one = {.size = 1, .class_id = from->class_id};
    join_profile(join, &from->sums, from->size, &waits->sums, &one.sums);
    one.wall_ns = time_in(join, &one.sums);
    from->wall_ns -= one.wall_ns;
    take_presence(from);
    if (from->size == 1)
        from->spreads = NULL;
    return one;
}

static void join_iteration(struct join *join, struct series *series, uint64_t iteration,
                           const struct cluster *waits)
{
    const size_t at = find_run(series, iteration);
    if (at == SIZE_MAX || series->runs[at].cluster == SUMMARY_NONE) {
        join->left_out++;
        return;
    }
    struct cluster *of = &series->clusters[series->runs[at].cluster];
    if (of->size == 1) {
        struct profile part;
        join_profile(join, &of->sums, 1, &waits->sums, &part);
        of->sums = part;
        return;
    }
    series->clusters[series->cluster_count] = take_out(join, of, waits);
    split_run(series, at, iteration, (uint32_t)series->cluster_count++);
}

void join_series(struct join *join, struct series *run, const struct series *waits)
{
    make_room(join, run, waits->cluster_count);
    for (size_t i = 0; i < waits->run_count; i++)
        if (waits->runs[i].cluster != SUMMARY_NONE)
            join_iteration(join, run, waits->runs[i].first,
                           &waits->clusters[waits->runs[i].cluster]);
    join_bounds(join, run, waits);
}
