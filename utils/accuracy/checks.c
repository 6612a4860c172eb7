/* The promises that every file must keep.  See checks.h. */
#include "accuracy/checks.h"

#include "base/base.h"
#include "query/query.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool check_holds(const struct check *check)
{
    return check->locations == check->good_locations && check->clusters == check->good_clusters;
}

/* [m] is true for metrics that the wall time consists of; for the caller to free(). */
static bool *wall_parts(const struct summary *summary)
{
    bool *parts = allocate(summary->metric_count, sizeof *parts);
    const char *const wholes[] = {"mpi", "computation", "overhead"};
    for (size_t i = 0; i < sizeof wholes / sizeof wholes[0]; i++) {
        uint32_t whole = summary_metric(summary, wholes[i]);
        for (uint32_t m = 0; whole != SUMMARY_NONE && m < summary->metric_count; m++)
            if (summary->metrics[m].kind != FORMAT_METRIC_DERIVED)
                parts[m] = parts[m] || metric_is_part(summary, m, whole);
    }
    return parts;
}

/* The sum of the parts of the wall time in PROFILE, minus WALL_NS. */
static int64_t surplus_ns(const struct profile *profile, const bool *parts, int64_t wall_ns)
{
    int64_t sum = 0;
    for (size_t i = 0; i < profile->count; i++)
        if (parts[profile->cells[i].metric])
            sum = add_stored(sum, profile->cells[i].value);
    return subtract_stored(sum, wall_ns);
}

int64_t profile_wall_ns(const struct summary *summary, const struct profile *profile)
{
    bool *parts = wall_parts(summary);
    int64_t wall_ns = surplus_ns(profile, parts, 0);
    free(parts);
    return wall_ns;
}

static void describe_surplus(struct check *check, const struct summary *summary,
                             const struct location *location, const struct series *series,
                             size_t cluster, int64_t surplus)
{
    if (check->first.length)
        return;
    place_add_name(&check->first, location);
    if (series)
        text_addf(&check->first, ", phase %s, cluster %zu", summary->phases[series->phase].name,
                  cluster);
    text_addf(&check->first, ": %" PRId64 " ns %s than the wall time",
              surplus < 0 ? subtract_stored(0, surplus) : surplus,
              surplus < 0 ? "less" : "more");
}

static void check_series(struct check *check, const struct summary *summary,
                         const struct location *location, const struct series *series,
                         const bool *parts)
{
    for (size_t c = 0; c < series->cluster_count; c++) {
        const struct cluster *cluster = &series->clusters[c];
        int64_t surplus = surplus_ns(&cluster->sums, parts, cluster->wall_ns);
        check->clusters++;
        check->good_clusters += surplus == 0;
        if (surplus != 0)
            describe_surplus(check, summary, location, series, c, surplus);
    }
}

struct check check_accounting(const struct summary *summary)
{
    struct check check = {0};
    bool *parts = wall_parts(summary);
    for (size_t i = 0; i < summary->location_count; i++) {
        const struct location *location = &summary->locations[i];
        int64_t surplus = surplus_ns(&location->whole, parts, location->wall_ns);
        check.locations++;
        check.good_locations += surplus == 0;
        if (surplus != 0)
            describe_surplus(&check, summary, location, NULL, 0, surplus);
        for (size_t s = 0; s < location->series_count; s++)
            check_series(&check, summary, location, &location->series[s], parts);
    }
    free(parts);
    return check;
}

/* How much more of a counter LOCATION has on call paths than it counted; the first that
 * differs. */
static int64_t first_miscount(const struct summary *summary, const struct location *location,
                              uint32_t *metric, bool *counts)
{
    int64_t *values = allocate(summary->metric_count, sizeof *values), surplus = 0;
    profile_add_sums(&location->whole, values);
    *counts = false;
    for (uint32_t m = 0; m < summary->metric_count && surplus == 0; m++) {
        struct counted counted;
        if (summary->metrics[m].kind != FORMAT_METRIC_COUNTER ||
            !counted_find(summary, location, m, &counted))
            continue;
        *counts = true;
        *metric = m;
        surplus = subtract_stored(values[m], counted.in_program);
    }
    free(values);
    return surplus;
}

struct check check_counters(const struct summary *summary)
{
    struct check check = {0};
    for (size_t i = 0; i < summary->location_count; i++) {
        const struct location *location = &summary->locations[i];
        uint32_t metric = 0;
        bool counts;
        int64_t surplus = first_miscount(summary, location, &metric, &counts);
        check.locations += counts;
        check.good_locations += counts && surplus == 0;
        if (surplus == 0 || check.first.length > 0)
            continue;
        place_add_name(&check.first, location);
        text_addf(&check.first, ": %s of call paths is %" PRId64 " %s than was counted",
                  summary->metrics[metric].name,
                  surplus < 0 ? subtract_stored(0, surplus) : surplus,
                  surplus < 0 ? "less" : "more");
    }
    return check;
}

/* Cells of several profiles, to be sorted and summed. */
struct cells {
    struct cell *list;
    size_t count;
};

static void collect(struct cells *cells, const struct profile *profile, bool negative)
{
    for (size_t i = 0; i < profile->count; i++) {
        struct cell *cell = &cells->list[cells->count++];
        *cell = profile->cells[i];
        if (negative)
            cell->value = subtract_stored(0, cell->value);
    }
}

static size_t count_cells(const struct location *location)
{
    size_t count = location->whole.count + location->outside.count;
    for (size_t s = 0; s < location->series_count; s++)
        for (size_t c = 0; c < location->series[s].cluster_count; c++)
            count += location->series[s].clusters[c].sums.count;
    return count;
}

static int compare_cells(const void *a, const void *b)
{
    const struct cell *left = a, *right = b;
    if (left->node != right->node)
        return left->node < right->node ? -1 : 1;
    return (left->metric > right->metric) - (left->metric < right->metric);
}

/* Collects the cells of the whole-run profile, and negated those of everything it should
 * consist of. */
static struct cells differences(const struct location *location)
{
    struct cells cells = {allocate(count_cells(location), sizeof *cells.list), 0};
    collect(&cells, &location->whole, false);
    collect(&cells, &location->outside, true);
    for (size_t s = 0; s < location->series_count; s++) {
        const struct series *series = &location->series[s];
        for (size_t c = 0; c < series->cluster_count && series->parent_phase == SUMMARY_NONE;
             c++)
            collect(&cells, &series->clusters[c].sums, true);
    }
    qsort(cells.list, cells.count, sizeof *cells.list, compare_cells);
    return cells;
}

/* Adds up cells of the same node and metric; returns the first sum that is not zero, or a cell
 * with value 0. */
static struct cell first_difference(const struct cells *cells)
{
    struct cell sum = {0};
    for (size_t i = 0; i < cells->count; i++) {
        const struct cell *cell = &cells->list[i];
        if (compare_cells(cell, &sum) != 0) {
            if (sum.value != 0)
                break;
            sum = (struct cell){cell->node, cell->metric, 0};
        }
        sum.value = add_stored(sum.value, cell->value);
    }
    return sum;
}

static void describe_difference(struct check *check, const struct summary *summary,
                                const struct location *location, const struct cell *cell)
{
    const struct metric_entry *metric = &summary->metrics[cell->metric];
    struct path_tree *tree = path_tree_build(summary);
    const char *unit =
        metric->scale == 9 && strcmp(metric->unit, "s") == 0 ? "ns" : metric->unit;
    place_add_name(&check->first, location);
    text_addf(&check->first, ": %s of ", metric->name);
    path_add_text(tree, tree->of_node[cell->node], ";", &check->first);
    text_addf(&check->first, " is %" PRId64 " %s %s in the whole run",
              cell->value < 0 ? subtract_stored(0, cell->value) : cell->value, unit,
              cell->value < 0 ? "less" : "more");
    path_tree_free(tree);
}

struct check check_totals(const struct summary *summary)
{
    struct check check = {.locations = summary->location_count};
    for (size_t i = 0; i < summary->location_count; i++) {
        const struct location *location = &summary->locations[i];
        struct cells cells = differences(location);
        struct cell difference = first_difference(&cells);
        free(cells.list);
        if (difference.value == 0)
            check.good_locations++;
        else if (check.first.length == 0)
            describe_difference(&check, summary, location, &difference);
    }
    return check;
}
