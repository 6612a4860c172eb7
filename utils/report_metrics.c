/* The report's tables of metrics.  See report.h. */
#include "report.h"
#include "sums.h"

#include <stdlib.h>
#include <string.h>

#define NAME_COLUMNS  34
#define VALUE_COLUMNS 11
#define SHARE_COLUMNS 12

/* Inclusive whole-run values by metric over the selected ranks, in the metrics' units. */
struct spread {
    long double *sum, *low, *high;
};

static struct spread spread_create(const struct report *report)
{
    const struct summary *summary = report->summary;
    size_t count = summary->metric_count, ranks = report->selection->rank_count;
    struct spread spread = {allocate(count, sizeof *spread.sum),
                            allocate(count, sizeof *spread.low),
                            allocate(count, sizeof *spread.high)};
    int64_t *values = allocate(count, sizeof *values);
    for (size_t r = 0; r < ranks; r++) {
        const struct rank_group *rank = &report->selection->ranks[r];
        memset(values, 0, count * sizeof *values);
        for (size_t i = 0; i < rank->count; i++)
            profile_add_sums(&summary->locations[rank->first + i].whole, values);
        make_inclusive(summary, values);
        for (uint32_t m = 0; m < count; m++) {
            long double value = shown_value(summary, m, (long double)values[m], 1);
            spread.sum[m] += value;
            spread.low[m] = r == 0 || value < spread.low[m] ? value : spread.low[m];
            spread.high[m] = r == 0 || value > spread.high[m] ? value : spread.high[m];
        }
    }
    free(values);
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

/* A value of METRIC; of visits, which call paths outside MPI are in, only a bound is known. */
static void add_value(struct report *report, long double value,
                      const struct metric_entry *metric)
{
    char shown[QUANTITY_SIZE];
    struct text cell = {0};
    bool at_least = strcmp(metric->name, "visits") == 0 && !report->summary->derived;
    text_addf(&cell, "%s%s", at_least ? "≥ " : "", format_quantity(shown, value, metric->unit));
    text_add_right(&report->text, text_string(&cell), VALUE_COLUMNS);
    text_free(&cell);
}

static void add_metric(struct report *report, const struct spread *spread, uint32_t metric,
                       const long double *wall)
{
    const struct metric_entry *entry = &report->summary->metrics[metric];
    long double ranks = (long double)report->selection->rank_count;
    add_name(report, entry->name, depth_of(report->summary, metric));
    if (wall) {
        char share[QUANTITY_SIZE];
        add_value(report, spread->sum[metric] / ranks, entry);
        add_value(report, spread->low[metric], entry);
        add_value(report, spread->high[metric], entry);
        text_add_right(&report->text, format_percent(share, spread->sum[metric], *wall),
                       SHARE_COLUMNS);
    } else {
        add_value(report, spread->sum[metric], entry);
        add_value(report, spread->low[metric], entry);
        add_value(report, spread->high[metric], entry);
    }
    text_add(&report->text, "\n");
}

/* Adds TITLE as the head of a table whose columns are named by four words. */
static void add_head(struct report *report, const char *title, const char *first,
                     const char *share)
{
    text_add(&report->text, "\n");
    text_add_left(&report->text, title, NAME_COLUMNS);
    text_add_right(&report->text, first, VALUE_COLUMNS);
    text_add_right(&report->text, "min", VALUE_COLUMNS);
    text_add_right(&report->text, "max", VALUE_COLUMNS);
    text_add_right(&report->text, share, share[0] ? SHARE_COLUMNS : 0);
    text_add(&report->text, "\n");
}

static long double selected_wall(const struct report *report)
{
    long double wall_ns = 0;
    for (size_t r = 0; r < report->selection->rank_count; r++)
        for (size_t i = 0; i < report->selection->ranks[r].count; i++)
            wall_ns +=
                (long double)report->summary->locations[report->selection->ranks[r].first + i]
                    .wall_ns;
    return wall_ns / 1e9L;
}

/* The table of TIME and its parts, or of everything else; rows of zero are left out. */
static void add_table(struct report *report, const struct spread *spread, bool of_time,
                      const long double *wall)
{
    uint32_t time = summary_metric(report->summary, "time");
    bool begun = false;
    for (uint32_t m = 0; m < report->summary->metric_count; m++) {
        if (metric_is_part(report->summary, m, time) != of_time ||
            (spread->low[m] == 0 && spread->high[m] == 0))
            continue;
        if (!begun && of_time)
            add_head(report, "Where the time went", "mean", "% of wall");
        else if (!begun)
            add_head(report, "What was counted", "total", "");
        begun = true;
        add_metric(report, spread, m, wall);
    }
}

void report_metrics(struct report *report)
{
    struct spread spread = spread_create(report);
    long double wall = selected_wall(report);
    if (report->selection->rank_count > 0) {
        add_table(report, &spread, true, &wall);
        add_table(report, &spread, false, NULL);
    }
    spread_free(&spread);
}
