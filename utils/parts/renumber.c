/* See renumber.h. */
#include "parts/renumber.h"

#include "assemble/occurrences.h"
#include "assemble/resolve.h"

#include <stdlib.h>
#include <string.h>

static int compare_cells(const void *a, const void *b)
{
    const struct cell *left = a, *right = b;
    if (left->node != right->node)
        return left->node < right->node ? -1 : 1;
    return left->metric < right->metric ? -1 : left->metric > right->metric;
}

/* Joins cells of the same node and metric, and drops those that are zero. */
static void join_cells(struct profile *profile)
{
    size_t kept = 0;
    for (size_t i = 0; i < profile->count; i++) {
        const struct cell *cell = &profile->cells[i];
        if (kept > 0 && compare_cells(&profile->cells[kept - 1], cell) == 0)
            profile->cells[kept - 1].value =
                (int64_t)((uint64_t)profile->cells[kept - 1].value + (uint64_t)cell->value);
        else
            profile->cells[kept++] = *cell;
        if (profile->cells[kept - 1].value == 0)
            kept--;
    }
    profile->count = kept;
}

/* Renumbers the cells.  Returns the number of visits of frames that are left out. */
static int64_t renumber_profile(struct profile *profile, const struct renumbering *numbers)
{
    size_t kept = 0;
    int64_t hidden = 0;
    for (size_t i = 0; i < profile->count; i++) {
        struct cell cell = profile->cells[i];
        uint32_t node = numbers->nodes[cell.node];
        cell.metric = numbers->metrics[cell.metric];
        cell.node = node & ~RESOLVED_LEFT_OUT;
        if (node & RESOLVED_LEFT_OUT && cell.metric == numbers->visits)
            hidden = (int64_t)((uint64_t)hidden + (uint64_t)cell.value);
        else
            profile->cells[kept++] = cell;
    }
    profile->count = kept;
    if (kept > 0)
        qsort(profile->cells, kept, sizeof *profile->cells, compare_cells);
    join_cells(profile);
    return hidden;
}

/* Moves maximum FROM to place TO before it, and the spreads of the clusters with it. */
static void move_maximum(struct series *series, size_t from, size_t to)
{
    struct maximum moved = series->maxima[from];
    memmove(&series->maxima[to + 1], &series->maxima[to], (from - to) * sizeof moved);
    series->maxima[to] = moved;
    for (size_t c = 0; c < series->cluster_count; c++) {
        double *spreads = series->clusters[c].spreads;
        if (!spreads)
            continue;
        double spread = spreads[from];
        memmove(&spreads[to + 1], &spreads[to], (from - to) * sizeof spread);
        spreads[to] = spread;
    }
}

static void renumber_maxima(struct series *series, const struct renumbering *numbers)
{
    for (size_t i = 0; i < series->maximum_count; i++)
        series->maxima[i].metric = numbers->metrics[series->maxima[i].metric];
    for (size_t i = 1; i < series->maximum_count; i++) {
        size_t to = i;
        while (to > 0 && series->maxima[to - 1].metric > series->maxima[i].metric)
            to--;
        if (to < i)
            move_maximum(series, i, to);
    }
}

static int compare_largest(const void *a, const void *b)
{
    const struct largest *left = a, *right = b;
    if (left->node != right->node)
        return left->node < right->node ? -1 : 1;
    return left->metric < right->metric ? -1 : left->metric > right->metric;
}

/* Call paths that become one have no largest value: that of their sum is not known. */
static void renumber_largest(struct series *series, const struct renumbering *numbers)
{
    struct largest *largest = series->largest;
    const size_t count = series->largest_count;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        largest[i].node = numbers->nodes[largest[i].node] & ~RESOLVED_LEFT_OUT;
        largest[i].metric = numbers->metrics[largest[i].metric];
    }
    if (count > 0)
        qsort(largest, count, sizeof *largest, compare_largest);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && compare_largest(&largest[i], &largest[next]) == 0;)
            next++;
        if (next == i + 1)
            largest[kept++] = largest[i];
    }
    series->largest_count = kept;
}

/* Adds NODE, which has occurred as is said, in the summary's numbers. */
static void tell(struct told_occurrence *list, size_t *count, const struct occurrence *said,
                 bool has_values, const struct renumbering *numbers)
{
    const uint32_t node = numbers->nodes[said->node];
    list[(*count)++] = (struct told_occurrence){.node = node & ~RESOLVED_LEFT_OUT,
                                                .least = said->least,
                                                .most = said->most,
                                                .stands_in = node & RESOLVED_LEFT_OUT,
                                                .has_values = has_values};
}

/* Lists all call paths of CLUSTER, whose numbers are still its own; returns how many. */
static size_t list_occurrences(const struct cluster *cluster, struct told_occurrence *list,
                               const struct renumbering *numbers)
{
    const struct profile *sums = &cluster->sums;
    size_t count = 0, said = 0;
    for (size_t i = 0; i < sums->count; i++) {
        const struct occurrence all = {sums->cells[i].node, cluster->size, cluster->size};
        if (i > 0 && sums->cells[i - 1].node == all.node)
            continue;
        while (said < cluster->occurrence_count && cluster->occurrences[said].node < all.node)
            tell(list, &count, &cluster->occurrences[said++], false, numbers);
        if (said < cluster->occurrence_count && cluster->occurrences[said].node == all.node)
            tell(list, &count, &cluster->occurrences[said++], true, numbers);
        else
            tell(list, &count, &all, true, numbers);
    }
    while (said < cluster->occurrence_count)
        tell(list, &count, &cluster->occurrences[said++], false, numbers);
    return count;
}

/* To be called before the profile of CLUSTER is renumbered.  Its list has room for what is
 * left, since only what was told before may be told then, or what becomes one with it. */
static void renumber_presence(struct cluster *cluster, const struct renumbering *numbers)
{
    if (!cluster->presence_known || cluster->occurrence_count == 0)
        return;
    struct told_occurrence *list =
        allocate(cluster->sums.count + cluster->occurrence_count, sizeof *list);
    const size_t count =
        occurrences_join(list, list_occurrences(cluster, list, numbers), cluster->size);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (occurrence_is_told(&list[i], cluster->size))
            cluster->occurrences[kept++] =
                (struct occurrence){list[i].node, list[i].least, list[i].most};
    cluster->occurrence_count = kept;
    free(list);
}

static void renumber_series(struct series *series, const struct renumbering *numbers)
{
    series->phase = numbers->phases[series->phase];
    if (series->parent_phase != SUMMARY_NONE)
        series->parent_phase = numbers->phases[series->parent_phase];
    renumber_maxima(series, numbers);
    renumber_largest(series, numbers);
    for (size_t i = 0; i < series->cluster_count; i++) {
        struct cluster *cluster = &series->clusters[i];
        renumber_presence(cluster, numbers);
        int64_t hidden = renumber_profile(&cluster->sums, numbers);
        if (series->keeps_all || cluster->size > 1)
            cluster->hidden_visits =
                (int64_t)((uint64_t)cluster->hidden_visits + (uint64_t)hidden);
    }
}

void location_renumber(struct location *location, const struct renumbering *numbers)
{
    renumber_profile(&location->whole, numbers);
    renumber_profile(&location->outside, numbers);
    for (size_t i = 0; i < location->series_count; i++)
        renumber_series(&location->series[i], numbers);
}
