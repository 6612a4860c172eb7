/* The report's lists of call paths that took most.  See report.h. */
#include "report.h"
#include "sums.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HOTTEST       10
#define VALUE_COLUMNS 10
#define SHARE_COLUMNS 8
#define COUNT_COLUMNS 10
#define PATH_COLUMN   (VALUE_COLUMNS + SHARE_COLUMNS + COUNT_COLUMNS + 2)
#define PLACE_COLUMNS 24
/* A call path takes at most about as many lines; what is more is left out in its middle. */
#define PATH_LINES 4

struct hot_path {
    uint32_t path;
    long double value;
};

static int compare_heat(const void *a, const void *b)
{
    const struct hot_path *left = a, *right = b;
    if (left->value != right->value)
        return left->value > right->value ? -1 : 1;
    return (left->path > right->path) - (left->path < right->path);
}

/* The paths with a value of METRIC, hottest first; *COUNT of them, for the caller to free(). */
static struct hot_path *sort_paths(const struct path_values *values, uint32_t metric,
                                   size_t *count)
{
    struct hot_path *list = allocate(values->count, sizeof *list);
    *count = 0;
    for (size_t i = 0; i < values->count; i++) {
        long double value = path_value(values, values->list[i], metric);
        if (value > 0)
            list[(*count)++] = (struct hot_path){values->list[i], value};
    }
    qsort(list, *count, sizeof *list, compare_heat);
    return list;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "file.c:12" of a function, or of the place that calls an MPI function; empty if unknown. */
static void add_place(const struct path_tree *tree, uint32_t path, struct text *text)
{
    const struct region_entry *region = path_region(tree, path);
    uint64_t line = region->line;
    if (region->kind == REGION_MPI && path != 0) {
        region = path_region(tree, tree->paths[path].parent);
        line = tree->summary->nodes[tree->paths[path].node].line;
    }
    if (!region->file[0])
        return;
    text_add(text, base_name(region->file));
    if (line)
        text_addf(text, ":%" PRIu64, line);
}

/* The path's own name with its place, and below it the whole path if there is more to it. */
static void add_path(struct report *report, uint32_t path)
{
    struct text whole = {0}, shown = {0}, place = {0}, shown_place = {0};
    size_t room = report->columns - PATH_COLUMN;
    add_place(report->tree, path, &place);
    text_add_shortened(&shown_place, text_string(&place), PLACE_COLUMNS);
    size_t place_columns = text_columns(text_string(&shown_place));
    size_t for_name = place_columns ? room - place_columns - 2 : room;
    text_add_shortened(&report->text, report->tree->paths[path].name, for_name);
    if (place_columns)
        text_addf(&report->text, "  %s", text_string(&shown_place));
    text_add(&report->text, "\n");
    uint32_t parent = report->tree->paths[path].parent;
    if (parent != SUMMARY_NONE && parent != 0) {
        path_add_text(report->tree, parent, " > ", &whole);
        text_add_repeated(&report->text, " ", PATH_COLUMN);
        text_add(&report->text, "in ");
        text_add_shortened(&shown, text_string(&whole), PATH_LINES * (room - 3));
        text_add_wrapped(&report->text, text_string(&shown), PATH_COLUMN + 3, PATH_COLUMN + 3,
                         report->columns);
    }
    text_free(&whole);
    text_free(&shown);
    text_free(&place);
    text_free(&shown_place);
}

static void add_hot_path(struct report *report, const struct path_values *values,
                         const struct hot_path *hot, uint32_t metric, long double all)
{
    uint32_t visits = summary_metric(report->summary, "visits");
    const char *unit = report->summary->metrics[metric].unit;
    long double ranks = (long double)report->selection->rank_count;
    char cell[QUANTITY_SIZE];
    long double count = visits == SUMMARY_NONE ? 0 : path_value(values, hot->path, visits);
    text_add_right(&report->text, format_quantity(cell, hot->value / ranks, unit),
                   VALUE_COLUMNS);
    text_add_right(&report->text, format_percent(cell, hot->value, all), SHARE_COLUMNS);
    text_add_right(&report->text, count > 0 ? format_quantity(cell, count / ranks, "occ") : "-",
                   COUNT_COLUMNS);
    text_add(&report->text, "  ");
    add_path(report, hot->path);
}

/* The hottest paths of METRIC under TITLE; a share is one of ALL. */
static void add_list(struct report *report, const struct path_values *values, uint32_t metric,
                     const char *title, long double all)
{
    size_t count, most = report->top ? report->top : HOTTEST;
    if (metric == SUMMARY_NONE)
        return;
    struct hot_path *list = sort_paths(values, metric, &count);
    if (count > 0) {
        text_add(&report->text, "\nHottest call paths of the whole run: ");
        text_add_escaped(&report->text, title);
        text_add(&report->text, ", mean over ranks\n");
        text_add_right(&report->text, "value", VALUE_COLUMNS);
        text_add_right(&report->text, "%", SHARE_COLUMNS);
        text_add_right(&report->text, "visits", COUNT_COLUMNS);
        text_add(&report->text, "  call path\n");
    }
    for (size_t i = 0; i < count && i < most; i++)
        add_hot_path(report, values, &list[i], metric, all);
    if (count > most)
        text_addf(&report->text, "%*s%zu more\n", PATH_COLUMN, "", count - most);
    free(list);
}

static long double total_of(const struct path_values *values, uint32_t metric)
{
    long double total = 0;
    for (size_t i = 0; i < values->count && metric != SUMMARY_NONE; i++)
        total += path_value(values, values->list[i], metric);
    return total;
}

void report_paths(struct report *report)
{
    const struct selection *selection = report->selection;
    struct path_values *values = path_values_create(report->tree);
    for (size_t r = 0; r < selection->rank_count; r++)
        for (size_t i = 0; i < selection->ranks[r].count; i++)
            path_values_add(values,
                            &report->summary->locations[selection->ranks[r].first + i].whole, 1,
                            METRICS_INCLUSIVE);
    long double all = total_of(values, report->metric);
    if (report->is_time) {
        add_list(report, values, summary_metric(report->summary, "computation"), "computation",
                 all);
        add_list(report, values, summary_metric(report->summary, "mpi"), "MPI", all);
    } else {
        add_list(report, values, report->metric, report->summary->metrics[report->metric].name,
                 all);
    }
    path_values_free(values);
}
