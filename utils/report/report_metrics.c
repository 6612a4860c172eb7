/* The report's tables of metrics.  See report.h. */
#include "file/file.h"
#include "query/query.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_COLUMNS      30
#define VALUE_COLUMNS     10
#define IMBALANCE_COLUMNS 11
#define SHARE_COLUMNS     9

/* Of the wall time, for a row without --top. */
#define LEAST_SHARE 0.0001L

/* Imbalances from here on stand out. */
#define LARGE_IMBALANCE 0.2

/* Inclusive values of the scope by metric over the selected ranks, in the metrics' units. */
struct spread {
    long double *sum, *low, *high;
};

/* What RANK has of the scope by metric, inclusive over metrics and call paths. */
static void sum_rank(const struct report *report, const struct rank_group *rank,
                     struct path_values *values, long double *sums)
{
    path_values_clear(values);
    for (size_t i = 0; i < rank->count; i++)
        scope_add(&report->scope, &report->summary->locations[rank->first + i], NULL,
                  METRICS_INCLUSIVE, values);
    for (uint32_t m = 0; m < report->summary->metric_count; m++) {
        sums[m] = 0;
        for (size_t i = 0; i < values->count; i++)
            sums[m] += path_value(values, values->list[i], m);
    }
}

static struct spread spread_create(const struct report *report)
{
    size_t count = report->summary->metric_count, ranks = report->selection->rank_count;
    struct spread spread = {allocate(count, sizeof *spread.sum),
                            allocate(count, sizeof *spread.low),
                            allocate(count, sizeof *spread.high)};
    struct path_values *values = path_values_create(report->tree);
    long double *sums = allocate(count, sizeof *sums);
    for (size_t r = 0; r < ranks; r++) {
        sum_rank(report, &report->selection->ranks[r], values, sums);
        for (uint32_t m = 0; m < count; m++) {
            spread.sum[m] += sums[m];
            spread.low[m] = r == 0 || sums[m] < spread.low[m] ? sums[m] : spread.low[m];
            spread.high[m] = r == 0 || sums[m] > spread.high[m] ? sums[m] : spread.high[m];
        }
    }
    free(sums);
    path_values_free(values);
    return spread;
}

static void spread_free(struct spread *spread)
{
    free(spread->sum);
    free(spread->low);
    free(spread->high);
}

static size_t depth_of(const struct summary *summary, uint32_t metric)
{
    size_t depth = 0;
    while ((metric = summary->metrics[metric].parent) != SUMMARY_NONE)
        depth++;
    return depth;
}

static void add_name(struct report *report, const char *name, size_t depth)
{
    struct text cell = {0};
    size_t indent = 2 * (depth < 8 ? depth : 8);
    text_add_repeated(&cell, " ", indent);
    text_add_shortened(&cell, name, NAME_COLUMNS - 1 - indent);
    text_add_left(&report->text, text_string(&cell), NAME_COLUMNS);
    text_free(&cell);
}

/* Formats a value of METRIC.  Visits are a lower bound, since paths outside MPI are included.
 */
static void add_value(struct report *report, long double value,
                      const struct metric_entry *metric, size_t columns)
{
    char shown[QUANTITY_SIZE];
    struct text cell = {0};
    bool at_least = strcmp(metric->name, "visits") == 0 && !report->summary->derived;
    text_addf(&cell, "%s%s", at_least ? "≥ " : "", format_quantity(shown, value, metric->unit));
    text_add_right(&report->text, text_string(&cell), columns);
    text_free(&cell);
}

/* PART of WHOLE in a column, with its sign. */
static void add_percent(struct report *report, long double part, long double whole,
                        size_t columns, bool attention)
{
    char percent[QUANTITY_SIZE];
    struct text cell = {0}, padded = {0};
    format_percent(percent, part, whole);
    text_addf(&cell, "%s%s", percent, whole > 0 ? " %" : "");
    text_add_right(&padded, text_string(&cell), columns);
    if (attention)
        style_add(&report->text, report->palette, STYLE_ATTENTION, text_string(&padded));
    else
        text_add(&report->text, text_string(&padded));
    text_free(&cell);
    text_free(&padded);
}

static void add_imbalance(struct report *report, const struct spread *spread, uint32_t metric)
{
    size_t ranks = report->selection->rank_count;
    long double mean = spread->sum[metric] / (long double)ranks, share = 0;
    bool known = imbalance_is_known(spread->low[metric], spread->high[metric], ranks);
    if (known)
        share = imbalance_of(mean, spread->high[metric], ranks);
    add_percent(report, share, known, IMBALANCE_COLUMNS, share >= LARGE_IMBALANCE);
}

/* A row; its last column is the share of the scope's time, or the total. */
static void add_metric(struct report *report, const struct spread *spread, uint32_t metric,
                       bool of_time)
{
    const struct metric_entry *entry = &report->summary->metrics[metric];
    size_t ranks = report->selection->rank_count;
    add_name(report, entry->name, depth_of(report->summary, metric));
    add_value(report, spread->sum[metric] / (long double)ranks, entry, VALUE_COLUMNS);
    if (ranks > 1) {
        add_value(report, spread->low[metric], entry, VALUE_COLUMNS);
        add_value(report, spread->high[metric], entry, VALUE_COLUMNS);
        add_imbalance(report, spread, metric);
    }
    if (of_time)
        add_percent(report, spread->sum[metric], report->wall, SHARE_COLUMNS, false);
    else if (ranks > 1)
        add_value(report, spread->sum[metric], entry, SHARE_COLUMNS);
    text_add(&report->text, "\n");
}

/* Adds TITLE as the head of a table whose last column is SHARE. */
static void add_head(struct report *report, const char *title, const char *share)
{
    bool ranks = report->selection->rank_count > 1, of_wall = strcmp(share, "total") != 0;
    struct text head = {0};
    text_add_left(&head, title, NAME_COLUMNS);
    report_title(report, text_string(&head));
    text_add_right(&report->text, ranks ? "mean" : "value", VALUE_COLUMNS);
    text_add_right(&report->text, ranks ? "min" : "", ranks ? VALUE_COLUMNS : 0);
    text_add_right(&report->text, ranks ? "max" : "", ranks ? VALUE_COLUMNS : 0);
    text_add_right(&report->text, ranks ? "imbalance" : "", ranks ? IMBALANCE_COLUMNS : 0);
    text_add_right(&report->text, ranks || of_wall ? share : "",
                   ranks || of_wall ? SHARE_COLUMNS : 0);
    text_add(&report->text, "\n");
    text_free(&head);
}

/* Whether no rank has as much of a metric as matters: nothing, or hardly any time. */
static bool is_negligible(const struct report *report, const struct spread *spread,
                          uint32_t metric, bool of_time)
{
    const long double most = fmaxl(fabsl(spread->high[metric]), fabsl(spread->low[metric]));
    return most <= 0 ||
           (of_time && report->top == 0 && metric != report->metric &&
            most < LEAST_SHARE * report->wall / (long double)report->selection->rank_count);
}

/*
 * The table of times: TIME and its parts, `preempted`, which may be in each of them, and
 * `idle_threads`, which is in none; or that of everything else.
 */
static void add_table(struct report *report, const struct spread *spread, bool of_time)
{
    uint32_t time = summary_metric(report->summary, "time"),
             preempted = summary_metric(report->summary, "preempted"),
             idle = summary_metric(report->summary, "idle_threads");
    bool begun = false;
    for (uint32_t m = 0; m < report->summary->metric_count; m++) {
        if ((metric_is_part(report->summary, m, time) || m == preempted || m == idle) !=
                of_time ||
            is_negligible(report, spread, m, of_time))
            continue;
        if (!begun && of_time)
            add_head(report, "Where the time went", "of wall");
        else if (!begun)
            add_head(report, "What was counted", "total");
        begun = true;
        add_metric(report, spread, m, of_time);
    }
}

void report_metrics(struct report *report)
{
    struct spread spread = spread_create(report);
    if (report->selection->rank_count > 0) {
        add_table(report, &spread, true);
        add_table(report, &spread, false);
    }
    spread_free(&spread);
}
