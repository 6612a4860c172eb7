/* The report's view of phases over their iterations.  See report.h. */
#include "accuracy/accuracy.h"
#include "common/settings.h"
#include "file/file.h"
#include "findings/findings.h"
#include "query/query.h"
#include "report/graph.h"
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRAPH_ROWS    8
#define SLOWEST       5 /* rows of the list by default */
#define SHOWN_NUMBERS 4 /* iterations named in one row of the list */
#define SECOND_SHARE  4 /* a second difference is shown from 1 / this of the first upwards */

/* A row of the list: iterations that are in the same clusters on their slowest rank. */
struct slow_group {
    uint32_t rank; /* index into the selection */
    double value;
    uint64_t iterations[SHOWN_NUMBERS]; /* the first few */
    uint64_t count;
};

/* What an iteration has more than another: of a metric at a call path. */
struct difference {
    uint32_t path, metric;
    long double value;
};

/* Smallest and largest of something. */
struct span {
    size_t low, high;
};

/* Indexes of the stretches that have a value, from the largest to the smallest. */
struct order {
    size_t *indexes;
    size_t count;
};

/* qsort has no context; the report is single-threaded. */
static const struct stretch *compared;

static int compare_slowness(const void *a, const void *b)
{
    size_t left = *(const size_t *)a, right = *(const size_t *)b;
    double difference = compared[left].max - compared[right].max;
    if (difference != 0)
        return difference > 0 ? -1 : 1;
    return (left > right) - (left < right);
}

static struct order make_order(const struct iteration_view *view)
{
    struct order order = {allocate(view->stretch_count, sizeof *order.indexes), 0};
    for (size_t i = 0; i < view->stretch_count; i++)
        if (!isnan(view->stretches[i].max))
            order.indexes[order.count++] = i;
    compared = view->stretches;
    qsort(order.indexes, order.count, sizeof *order.indexes, compare_slowness);
    return order;
}

/* The iteration beside another that has the median of those around that. */
struct usual {
    uint64_t iteration;
    double value;
};

static int compare_values(const void *a, const void *b)
{
    const double left = ((const struct usual *)a)->value,
                 right = ((const struct usual *)b)->value;
    return (left > right) - (left < right);
}

/* Of ITERATION and its neighbours, as many as findings compare with, the one in the middle.
 * Some rank has ITERATION. */
static struct usual find_usual(const struct iteration_view *view, uint64_t iteration)
{
    struct usual around[2 * FINDING_NEIGHBOURS + 1];
    const uint64_t first = iteration > FINDING_NEIGHBOURS ? iteration - FINDING_NEIGHBOURS : 0,
                   last = iteration + FINDING_NEIGHBOURS;
    size_t count = 0;
    for (size_t s = 0; s < view->stretch_count && view->stretches[s].first <= last; s++) {
        const struct stretch *stretch = &view->stretches[s];
        const uint64_t end = stretch->first + stretch->length;
        for (uint64_t i = stretch->first > first ? stretch->first : first;
             i < end && i <= last && !isnan(stretch->max); i++)
            around[count++] = (struct usual){i, stretch->max};
    }
    qsort(around, count, sizeof *around, compare_values);
    return around[count / 2];
}

/* Numbers of clusters, over the threads that have the view's phase. */
static struct span cluster_counts(const struct iteration_view *view)
{
    struct span span = {SIZE_MAX, 0};
    for (size_t r = 0; r < view->selection->rank_count; r++) {
        const struct rank_group *rank = &view->selection->ranks[r];
        for (size_t i = 0; i < rank->count; i++) {
            const struct series *series = location_series(
                &view->selection->summary->locations[rank->first + i], view->phase);
            if (series && series->cluster_count < span.low)
                span.low = series->cluster_count;
            if (series && series->cluster_count > span.high)
                span.high = series->cluster_count;
        }
    }
    return span;
}

static void add_heading(struct report *report, const struct iteration_view *view)
{
    const struct summary *summary = report->summary;
    struct text name = {0};
    text_add_shortened(&name, summary->phases[view->phase].name, report->columns / 2);
    struct text title = {0};
    text_addf(&title, "Iterations of %s: %" PRIu64, text_string(&name), view->count);
    report_title(report, text_string(&title));
    text_free(&title);
    if (view->first > 0)
        text_addf(&report->text, " from %" PRIu64 " on", view->first);
    text_free(&name);
    const char *each = selection_has_threads(report->selection) ? "thread" : "rank";
    struct span clusters = cluster_counts(view);
    if (clusters.low == clusters.high)
        text_addf(&report->text, ", in %zu cluster%s on each %s\n", clusters.high,
                  clusters.high == 1 ? "" : "s", each);
    else
        text_addf(&report->text, ", in %zu to %zu clusters per %s\n", clusters.low,
                  clusters.high, each);
}

/* Adds a warning if clusters hide how single iterations differ. */
static void add_quality(struct report *report, uint32_t phase)
{
    struct quality *quality = quality_create(report->selection, phase);
    uint32_t worst = quality_verdict(quality);
    if (worst != SUMMARY_NONE) {
        struct text text = {0};
        char percent[QUANTITY_SIZE];
        text_addf(
            &text,
            "Do not trust single iterations: the error of %s is %s %% of its largest value. "
            "tsprof info says which iterations, and what helps.",
            report->summary->metrics[worst].name,
            format_percent(percent, quality_error(quality, worst), 1));
        report_warn(report, text_string(&text));
        text_free(&text);
    }
    quality_free(quality);
}

/* Adds what the shades of the graph mean: ranks, iterations in a column, or both. */
static void add_legend(struct report *report, uint64_t per_column)
{
    size_t ranks = report->selection->rank_count;
    if (ranks == 1 && per_column == 1)
        return;
    text_addf(&report->text,
              ": " GRAPH_MIN " least, " GRAPH_MEAN " mean, %s" GRAPH_MAX "%s most of ",
              report->palette->begin[STYLE_ATTENTION], report->palette->end);
    if (ranks > 1)
        text_addf(&report->text, "%zu ranks", ranks);
    if (per_column > 1)
        text_addf(&report->text, "%s%" PRIu64 " in a column", ranks > 1 ? ", " : "",
                  per_column);
}

static void add_graph(struct report *report, const struct iteration_view *view)
{
    const struct metric_entry *metric = &report->summary->metrics[view->metric];
    struct graph graph = {view->stretches, view->stretch_count, metric->unit,
                          report->columns, GRAPH_ROWS,          report->palette};
    text_add_escaped(&report->text, metric->name);
    text_add(&report->text, " per iteration");
    add_legend(report, graph_iterations_per_column(&graph));
    text_add(&report->text, "\n");
    graph_add(&report->text, &graph);
}

/* Whether any iteration has anything but zero. */
static bool has_values(const struct iteration_view *view)
{
    for (size_t i = 0; i < view->stretch_count; i++)
        if (view->stretches[i].max != 0 || view->stretches[i].min != 0)
            return true;
    return false;
}

/* True if iterations A and B are in the same clusters on all threads of a selected rank. */
static bool same_profile(const struct iteration_view *view, uint32_t rank, uint64_t a,
                         uint64_t b)
{
    const struct rank_group *group = &view->selection->ranks[rank];
    for (size_t i = 0; i < group->count; i++) {
        const struct series *series = location_series(
            &view->selection->summary->locations[group->first + i], view->phase);
        if (series && series_cluster(series, a) != series_cluster(series, b))
            return false;
    }
    return true;
}

static struct slow_group *find_group(const struct iteration_view *view,
                                     struct slow_group *groups, size_t count, uint32_t rank,
                                     uint64_t iteration)
{
    for (size_t i = 0; i < count; i++)
        if (groups[i].rank == rank &&
            same_profile(view, rank, groups[i].iterations[0], iteration))
            return &groups[i];
    return NULL;
}

static void add_stretch(struct slow_group *group, const struct stretch *stretch)
{
    for (uint64_t i = 0; i < stretch->length && group->count + i < SHOWN_NUMBERS; i++)
        group->iterations[group->count + i] = stretch->first + i;
    group->count += stretch->length;
}

/* Fills GROUPS with the slowest; returns how many there are. */
static size_t make_groups(const struct iteration_view *view, const struct order *order,
                          struct slow_group *groups, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < order->count; i++) {
        const struct stretch *stretch = &view->stretches[order->indexes[i]];
        struct slow_group *group =
            find_group(view, groups, count, stretch->slowest, stretch->first);
        if (!group && count == most)
            break;
        if (!group) {
            group = &groups[count++];
            *group = (struct slow_group){.rank = stretch->slowest, .value = stretch->max};
        }
        add_stretch(group, stretch);
    }
    return count;
}

/* Puts DIFFERENCE among the two largest. */
static void keep_larger(struct difference largest[2], struct difference difference)
{
    if (difference.value > largest[0].value) {
        largest[1] = largest[0];
        largest[0] = difference;
    } else if (difference.value > largest[1].value) {
        largest[1] = difference;
    }
}

/* The two largest surpluses of SLOW over USUAL in parts of the report's metric. */
static void find_differences(const struct report *report, const struct path_values *slow,
                             const struct path_values *usual, struct difference largest[2])
{
    largest[0] = largest[1] = (struct difference){0};
    for (size_t i = 0; i < slow->count; i++)
        for (uint32_t m = 0; m < report->summary->metric_count; m++) {
            uint32_t path = slow->list[i];
            long double surplus = path_value(slow, path, m) - path_value(usual, path, m);
            if (surplus > 0 && metric_is_part(report->summary, m, report->metric))
                keep_larger(largest, (struct difference){path, m, surplus});
        }
}

/* The frame of PATH in which it differs from OTHER, a path to the same function; else
 * SUMMARY_NONE: what they look like differs anyway. */
static uint32_t differing_frame(const struct path_tree *tree, uint32_t path, uint32_t other)
{
    uint32_t frame = SUMMARY_NONE;
    if (strcmp(path_region(tree, path)->name, path_region(tree, other)->name) != 0)
        return SUMMARY_NONE;
    /* Paths follow those that they are called from. */
    while (path != other)
        if (path > other) {
            frame = path;
            path = tree->paths[path].parent;
        } else
            other = tree->paths[other].parent;
    return frame;
}

/* A line that describes DIFFERENCE; WHERE is empty, or " on rank 3". OTHER is what is listed
 * beside it, which it must not look like. */
static void add_difference(struct report *report, const struct difference *difference,
                           const struct difference *other, const char *where)
{
    const uint32_t shown = path_outside_openmp(report->tree, difference->path),
                   beside = path_outside_openmp(report->tree, other->path);
    const struct metric_entry *metric = &report->summary->metrics[difference->metric];
    struct text line = {0}, path = {0};
    char value[QUANTITY_SIZE];
    text_addf(&line, "        +%s ", format_quantity(value, difference->value, metric->unit));
    text_add_escaped(&line, metric->name);
    text_addf(&line, "%s in ", where);
    const size_t used = text_columns(text_string(&line));
    const size_t room = report->columns > used + 20 ? report->columns - used : 20;
    path_add_frames_keeping(report->tree, shown, differing_frame(report->tree, shown, beside),
                            report->names, room, &path);
    text_add_shortened(&line, text_string(&path), room);
    text_addf(&report->text, "%s\n", text_string(&line));
    text_free(&line);
    text_free(&path);
}

/* The computation time of rank R in ITERATION, in seconds; 0 if it does not have the iteration.
 */
static long double computed(const struct report *report, const struct iteration_view *view,
                            size_t r, uint64_t iteration, long double *values)
{
    uint32_t computation = summary_metric(report->summary, "computation");
    iteration_totals(report->summary, &report->selection->ranks[r], view->phase, iteration,
                     values);
    return computation == SUMMARY_NONE ? 0 : values[computation];
}

/*
 * The rank that makes the group's first iteration slow: the one whose computation grew most
 * compared with iteration USUAL, if that is at least half of the difference MORE (the others
 * wait for it then); otherwise the slowest rank.
 */
static size_t find_cause(const struct report *report, const struct iteration_view *view,
                         const struct slow_group *group, uint64_t usual, double more)
{
    long double *values = allocate(report->summary->metric_count, sizeof *values), most = 0;
    size_t cause = group->rank;
    for (size_t r = 0; r < report->selection->rank_count && report->is_time; r++) {
        long double difference = computed(report, view, r, group->iterations[0], values) -
                                 computed(report, view, r, usual, values);
        if (difference > most && 2 * difference >= (long double)more) {
            most = difference;
            cause = r;
        }
    }
    free(values);
    return cause;
}

static void explain_group(struct report *report, const struct iteration_view *view,
                          const struct slow_group *group, uint64_t usual_iteration, double more)
{
    size_t cause = find_cause(report, view, group, usual_iteration, more);
    const struct rank_group *rank = &report->selection->ranks[cause];
    struct path_values *slow = path_values_create(report->tree);
    struct path_values *usual = path_values_create(report->tree);
    char where[32] = "";
    if (cause != group->rank)
        snprintf(where, sizeof where, " on rank %u", rank->rank);
    if (iteration_paths(rank, view->phase, group->iterations[0], METRICS_EXCLUSIVE, slow) &&
        iteration_paths(rank, view->phase, usual_iteration, METRICS_EXCLUSIVE, usual)) {
        struct difference largest[2];
        find_differences(report, slow, usual, largest);
        const bool two =
            largest[1].value > 0 && largest[1].value * SECOND_SHARE >= largest[0].value;
        if (largest[0].value > 0)
            add_difference(report, &largest[0], &largest[two], where);
        if (two)
            add_difference(report, &largest[1], &largest[0], where);
    }
    path_values_free(slow);
    path_values_free(usual);
}

static void add_group(struct report *report, const struct slow_group *group, double usual,
                      const char *unit)
{
    struct text cell = {0};
    char value[QUANTITY_SIZE], ratio[QUANTITY_SIZE];
    text_add_right(&report->text, format_quantity(value, group->value, unit), 10);
    text_add_right(&report->text, format_quantity(value, usual, unit), 12);
    if (usual > 0)
        snprintf(ratio, sizeof ratio, "%.4g", group->value / usual);
    text_add_right(&report->text, usual > 0 ? ratio : "-", 9);
    text_addf(&cell, "%u", report->selection->ranks[group->rank].rank);
    text_add_right(&report->text, text_string(&cell), 8);
    text_add(&report->text, "  ");
    for (size_t i = 0; i < group->count && i < SHOWN_NUMBERS; i++)
        text_addf(&report->text, "%s%" PRIu64, i ? ", " : "", group->iterations[i]);
    if (group->count > SHOWN_NUMBERS)
        text_addf(&report->text, " ... (%" PRIu64 " in all)", group->count);
    text_add(&report->text, "\n");
    text_free(&cell);
}

static void add_slowest(struct report *report, const struct iteration_view *view)
{
    const char *unit = report->summary->metrics[view->metric].unit;
    size_t most = report->top ? report->top : SLOWEST;
    struct order order = make_order(view);
    most = most < order.count ? most : order.count;
    struct slow_group *groups = allocate(most, sizeof *groups);
    size_t count = make_groups(view, &order, groups, most);
    if (count > 0) {
        report_title(report, report->is_time ? "Slowest iterations" : "Largest iterations");
        text_add(&report->text, ", and what they have more than their neighbours\n"
                                "       max  neighbours   factor    rank  iterations\n");
        for (size_t i = 0; i < count; i++) {
            const struct usual usual = find_usual(view, groups[i].iterations[0]);
            const double more = groups[i].value - usual.value;
            if (i > 0 && more <= 0)
                continue;
            add_group(report, &groups[i], usual.value, unit);
            explain_group(report, view, &groups[i], usual.iteration, more);
        }
    }
    free(groups);
    free(order.indexes);
}

/* A metric for slices of time, which take all the same: how long they are in MPI. */
static uint32_t what_differs(const struct report *report)
{
    const uint32_t mpi = summary_metric(report->summary, "mpi");
    return mpi == SUMMARY_NONE ? report->metric : mpi;
}

void report_iterations(struct report *report)
{
    for (uint32_t p = 0; p < report->summary->phase_count; p++) {
        if (!report->selection->phases[p])
            continue;
        const bool alike = report->is_time && report_are_slices(report, p);
        struct iteration_view *view = iteration_view_create(
            report->selection, p, alike ? what_differs(report) : report->metric);
        if (view->count > 0) {
            add_heading(report, view);
            report_origin(report, p);
            add_quality(report, p);
            if (has_values(view)) {
                add_graph(report, view);
                report_efficiency_line(report, view->phase);
                report_other_loops(report, p);
                if (!alike)
                    add_slowest(report, view);
            } else {
                text_add(&report->text, "no ");
                text_add_escaped(&report->text, report->summary->metrics[view->metric].name);
                text_add(&report->text, " in any iteration\n");
                report_other_loops(report, p);
            }
        }
        iteration_view_free(view);
    }
}
