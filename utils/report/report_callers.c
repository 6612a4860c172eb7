/* Who calls a function.  See report.h. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

enum {
    VALUE_COLUMNS = 10,
    SHARE_COLUMNS = 8,
    COUNT_COLUMNS = 10,
    INDENT = 2,
    MOST_INDENT = 30
};

/* Callers with less than this share of the function's value are counted, not listed. */
#define LEAST_SHARE 0.005L

struct callers {
    struct report *report;
    const struct caller_tree *tree;
};

/* Whether the callers in the list from AT on have another with the brief name of ONE. */
static bool looks_the_same(const struct callers *callers, uint32_t at, const struct caller *one)
{
    struct text name = {0}, other = {0};
    bool same = false;
    path_add_name(callers->report->tree, one->path, NAMES_BRIEF, &name);
    for (; at != 0 && !same; at = callers->tree->items[at].next) {
        text_clear(&other);
        path_add_name(callers->report->tree, callers->tree->items[at].path, NAMES_BRIEF,
                      &other);
        same = one != &callers->tree->items[at] &&
               strcmp(text_string(&name), text_string(&other)) == 0;
    }
    text_free(&name);
    text_free(&other);
    return same;
}

static void add_row(const struct callers *callers, const struct caller *caller, bool is_twin,
                    size_t depth)
{
    struct report *report = callers->report;
    const long double ranks = (long double)report->selection->rank_count;
    const size_t indent = depth * INDENT < MOST_INDENT ? depth * INDENT : MOST_INDENT;
    const char *unit = report->summary->metrics[report->metric].unit;
    struct text name = {0};
    char cell[QUANTITY_SIZE];
    text_add_right(&report->text, format_quantity(cell, caller->value / ranks, unit),
                   VALUE_COLUMNS);
    text_add_right(&report->text,
                   format_percent(cell, caller->value, callers->tree->items[0].value),
                   SHARE_COLUMNS);
    text_add_right(&report->text,
                   caller->visits != 0 ? format_quantity(cell, caller->visits / ranks, "occ")
                                       : "-",
                   COUNT_COLUMNS);
    text_add_repeated(&report->text, " ", 2 + indent);
    text_add(&name, depth > 0 ? "from " : "");
    path_add_name(
        report->tree, caller->path,
        is_twin && report->names == NAMES_BRIEF ? NAMES_WITH_TEMPLATES : report->names, &name);
    text_add_shortened(&report->text, text_string(&name),
                       report->columns - VALUE_COLUMNS - SHARE_COLUMNS - COUNT_COLUMNS - 2 -
                           indent);
    text_add(&report->text, "\n");
    text_free(&name);
}

/* Adds those that call the function by way of the caller numbered BELOW; but not the root. */
static void add_callers(const struct callers *callers, uint32_t below, size_t depth)
{
    const struct caller *items = callers->tree->items;
    struct report *report = callers->report;
    size_t hidden = 0;
    for (uint32_t at = items[below].first; at != 0; at = items[at].next) {
        if (items[at].path == 0)
            continue;
        if (items[at].value < LEAST_SHARE * items[0].value && !report->top) {
            hidden++;
            continue;
        }
        add_row(callers, &items[at], looks_the_same(callers, items[below].first, &items[at]),
                depth);
        add_callers(callers, at, depth + 1);
    }
    if (hidden > 0) {
        text_add_repeated(&report->text, " ",
                          VALUE_COLUMNS + SHARE_COLUMNS + COUNT_COLUMNS + 2 + depth * INDENT);
        text_addf(&report->text, "%zu more below %.1Lf %%; --top 99 lists them\n", hidden,
                  100 * LEAST_SHARE);
    }
}

void report_callers(struct report *report, const struct function_list *functions,
                    const bool *wanted)
{
    struct path_values *values = path_values_create(report->tree);
    scope_add_all(&report->scope, NULL, METRICS_INCLUSIVE, values);
    struct caller_tree tree = callers_of(functions, wanted, values, report->metric,
                                         summary_metric(report->summary, "visits"));
    const struct callers callers = {.report = report, .tree = &tree};
    report_title(report, "Who calls it");
    text_addf(&report->text, ", %s with what it calls%s\n",
              report->summary->metrics[report->metric].name,
              report->selection->rank_count > 1 ? ", mean over ranks" : "");
    text_add_right(&report->text, "total", VALUE_COLUMNS);
    text_add_right(&report->text, "%", SHARE_COLUMNS);
    text_add_right(&report->text, "visits", COUNT_COLUMNS);
    text_add(&report->text, "  function\n");
    add_row(&callers, &tree.items[0], false, 0);
    add_callers(&callers, 0, 1);
    caller_tree_free(&tree);
    path_values_free(values);
}
