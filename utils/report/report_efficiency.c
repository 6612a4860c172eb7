/* The report's table of efficiencies.  See report.h, and query/efficiency.h for what they are.
 */
#include "accuracy/accuracy.h"
#include "query/query.h"
#include "report/report.h"

#include <inttypes.h>
#include <string.h>

enum { COLUMNS_MOST = 4, NAME_COLUMNS = 30, VALUE_COLUMNS = 12 };

/* What the columns are about: the part of the run that the report is about, and phases. */
struct column {
    const char *name;
    struct efficiency efficiency;
};

/* The iterations of PHASE on the same ranks as SCOPE. */
static struct scope scope_of(const struct scope *scope, uint32_t phase)
{
    struct scope iterations = *scope;
    iterations.phase = phase;
    iterations.iterations = scope->selection->iterations;
    return iterations;
}

/* Fills in the COLUMNS that there are; returns how many. */
static size_t find_columns(const struct report *report, struct column *columns)
{
    const struct summary *summary = report->summary;
    size_t count = 0;
    columns[0].name = report->scope.phase == SUMMARY_NONE ? "run" : "selected";
    count += efficiency_of(&report->scope, report->tree, &columns[0].efficiency);
    if (count > 0 && report->scope.phase == SUMMARY_NONE &&
        efficiency_of_traced(summary, &columns[count].efficiency))
        columns[count++].name = "traced";
    for (uint32_t p = 0; count > 0 && report->scope.phase == SUMMARY_NONE &&
                         p < summary->phase_count && count < COLUMNS_MOST;
         p++) {
        const struct scope scope = scope_of(&report->scope, p);
        columns[count].name = summary->phases[p].name;
        if (report->selection->phases[p] && selection_iterations(report->selection, p) > 0)
            count += efficiency_of(&scope, report->tree, &columns[count].efficiency);
    }
    return count;
}

static void add_head(struct report *report, const struct column *columns, size_t count)
{
    struct text head = {0}, name = {0};
    text_add_left(&head, "Efficiency", NAME_COLUMNS);
    report_title(report, text_string(&head));
    for (size_t i = 0; i < count; i++) {
        text_clear(&name);
        text_add_shortened(&name, columns[i].name, VALUE_COLUMNS - 2);
        text_add_right(&report->text, text_string(&name), VALUE_COLUMNS);
    }
    text_add(&report->text, "\n");
    text_free(&head);
    text_free(&name);
}

static long double share_at(const struct column *column, size_t offset)
{
    long double share;
    memcpy(&share, (const char *)&column->efficiency + offset, sizeof share);
    return share;
}

/* A row: the member at OFFSET of each column's efficiency, a share of 1 or, if negative, none.
 * What no column has has no row: a trace does not tell who had a processor. */
static void add_row(struct report *report, const char *name, const struct column *columns,
                    size_t count, size_t offset)
{
    bool known = false;
    for (size_t i = 0; i < count; i++)
        known = known || share_at(&columns[i], offset) >= 0;
    if (!known)
        return;
    text_add_left(&report->text, name, NAME_COLUMNS);
    for (size_t i = 0; i < count; i++) {
        char percent[QUANTITY_SIZE];
        const long double share = share_at(&columns[i], offset);
        struct text cell = {0};
        text_addf(&cell, "%s %%", format_percent(percent, share, 1));
        text_add_right(&report->text, share < 0 ? "-" : text_string(&cell), VALUE_COLUMNS);
        text_free(&cell);
    }
    text_add(&report->text, "\n");
}

/* The most memory that a process had, of the run only: nobody notes it by iteration. */
static void add_memory(struct report *report)
{
    const struct costs costs = costs_of(report->selection);
    char bytes[QUANTITY_SIZE];
    if (costs.resident_most_bytes == 0 || report->scope.phase != SUMMARY_NONE)
        return;
    text_add_left(&report->text, "memory high-water", NAME_COLUMNS);
    text_add_right(&report->text,
                   format_quantity(bytes, (long double)costs.resident_most_bytes, "bytes"),
                   VALUE_COLUMNS);
    if (report->selection->rank_count > 1)
        text_addf(&report->text, "  on rank %" PRIu32 "; %s on average", costs.resident_rank,
                  format_quantity(bytes, (long double)costs.resident_mean_bytes, "bytes"));
    text_add(&report->text, "\n");
}

void report_efficiency(struct report *report)
{
    static const struct {
        const char *name;
        size_t offset;
    } rows[] = {
        {"parallel efficiency", offsetof(struct efficiency, parallel)},
        {"  load balance", offsetof(struct efficiency, balance)},
        {"  communication efficiency", offsetof(struct efficiency, communication)},
        {"    serialisation", offsetof(struct efficiency, serialisation)},
        {"    transfer", offsetof(struct efficiency, transfer)},
        {"processor use", offsetof(struct efficiency, processor)},
    };
    struct column columns[COLUMNS_MOST];
    const size_t count =
        report->is_time && !report->callpath ? find_columns(report, columns) : 0;
    if (count == 0)
        return;
    add_head(report, columns, count);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        add_row(report, rows[i].name, columns, count, rows[i].offset);
    add_memory(report);
}
