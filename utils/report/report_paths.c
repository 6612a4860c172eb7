/* The report's lists of call paths that took most.  See report.h. */
#include "accuracy/accuracy.h"
#include "file/file.h"
#include "query/query.h"
#include "report/report_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOTTEST           10
#define LEAST_SHARE       0.0001L /* of all, for a row without --top */
#define VALUE_COLUMNS     10
#define SHARE_COLUMNS     8
#define ERROR_COLUMNS     7
#define COUNT_COLUMNS     10
#define IMBALANCE_COLUMNS 8

struct hot_path {
    struct path_row row;
    long double value, key; /* the key is what is sorted by, largest first */
    const char *name;       /* or this, if the list is sorted by names */
};

/* The least and the most of METRIC that a rank has on each path. */
struct extents {
    uint32_t metric;
    long double *low, *high; /* by path */
    size_t *having;          /* ranks that have the path */
};

/* A list of the hottest paths of one metric. */
struct heat {
    const struct path_values *values; /* summed over the selected locations */
    const struct extents *extents;    /* of `metric` */
    uint32_t metric;
    long double all;              /* what 100 % is */
    const long double *errors;    /* standard errors by path, or NULL: the values are exact */
    const struct shown_as *shown; /* of iterations that clusters stand for; else NULL */
};

/* How far the profile of an iteration is what it was, by path. */
struct shown_as {
    struct presence *presence;
    bool presence_known;
    long double *off; /* [path * metrics + metric]: seconds, root mean square, at most */
};

static int compare_heat(const void *a, const void *b)
{
    const struct hot_path *left = a, *right = b;
    int names = left->name ? strcmp(left->name, right->name) : 0;
    if (names != 0)
        return names;
    if (left->key != right->key)
        return left->key > right->key ? -1 : 1;
    return (left->row.path > right->row.path) - (left->row.path < right->row.path);
}

/* The value of PATH on the rank that has least of it: 0 if a rank does not have it. */
static long double least_of(const struct report *report, const struct extents *extents,
                            uint32_t path)
{
    long double low = extents->low[path];
    return low < 0 || extents->having[path] == report->selection->rank_count ? low : 0;
}

static long double mean_of(const struct report *report, const struct heat *heat, uint32_t path)
{
    return path_value(heat->values, path, heat->metric) /
           (long double)report->selection->rank_count;
}

static long double visits_of(const struct report *report, const struct heat *heat,
                             uint32_t path)
{
    uint32_t visits = summary_metric(report->summary, "visits");
    return visits == SUMMARY_NONE ? 0 : path_value(heat->values, path, visits);
}

static long double sort_key(const struct report *report, const struct heat *heat, uint32_t path)
{
    switch (report->sort) {
    case SORT_IMBALANCE:
        return heat->extents->high[path] - mean_of(report, heat, path);
    case SORT_VISITS:
        return visits_of(report, heat, path);
    case SORT_NAME:
    case SORT_VALUE:
    case REPORT_SORTS:
        break;
    }
    return fabsl(path_value(heat->values, path, heat->metric));
}

/* Whether the list is of functions that compute, and PATH is in the OpenMP runtime, whose time
 * is a metric of its own. */
static bool is_hidden(const struct report *report, const struct heat *heat, uint32_t path)
{
    return path_is_in_openmp(report->tree, path) &&
           heat->metric == summary_metric(report->summary, "computation");
}

/* Whether the list is of computation, and that at PATH was found by no sample. */
static bool is_unsampled(const struct report *report, const struct heat *heat, uint32_t path)
{
    return heat->metric == summary_metric(report->summary, "computation") &&
           path_is_unsampled(heat->values, path);
}

/* The paths with a value of the metric, sorted; *COUNT of them, for the caller to free(). */
static struct hot_path *sort_paths(const struct report *report, const struct heat *heat,
                                   size_t *count)
{
    const struct path_values *values = heat->values;
    struct hot_path *list = allocate(values->count, sizeof *list);
    *count = 0;
    for (size_t i = 0; i < values->count; i++) {
        uint32_t path = values->list[i];
        long double value = path_value(values, path, heat->metric);
        if (value != 0 && !is_hidden(report, heat, path))
            list[(*count)++] = (struct hot_path){
                .row = {.path = path, .is_unsampled = is_unsampled(report, heat, path)},
                .value = value,
                .key = sort_key(report, heat, path),
                .name = report->sort == SORT_NAME ? report->tree->paths[path].name : NULL};
    }
    qsort(list, *count, sizeof *list, compare_heat);
    return list;
}

static size_t imbalance_columns(const struct report *report)
{
    return report->selection->rank_count > 1 ? IMBALANCE_COLUMNS : 0;
}

/* The column that call paths begin in. */
static size_t path_column(const struct report *report, const struct heat *heat)
{
    return VALUE_COLUMNS + SHARE_COLUMNS + (heat->errors ? ERROR_COLUMNS : 0) +
           imbalance_columns(report) + COUNT_COLUMNS + 2;
}

/* Shares of iterations above this are all of them, as far as anybody cares. */
#define NEARLY_ALL 0.995

/* Of a time that is less than this share of all nobody needs to know how far it is off. */
#define LEAST_OFF 0.01L

/*
 * Says in how many of the iterations PATH occurred, if not in all, and how far it is off in a
 * single one, if that is much.
 */
static void add_reservation(struct report *report, const struct heat *heat, uint32_t path,
                            size_t column)
{
    const struct shown_as *shown = heat->shown;
    struct text text = {0};
    char least[QUANTITY_SIZE], most[QUANTITY_SIZE];
    if (!shown)
        return;
    const struct presence share = shown->presence[path];
    const long double off =
        shown->off[(size_t)path * report->summary->metric_count + heat->metric];
    if (shown->presence_known && share.least < NEARLY_ALL) {
        format_percent(least, share.least, 1);
        format_percent(most, share.most, 1);
        text_addf(&text, "occurred in %s%s%s %% of these", least,
                  share.most - share.least > 0.0005 ? " to " : "",
                  share.most - share.least > 0.0005 ? most : "");
    }
    if (off > LEAST_OFF * heat->all / (long double)report->selection->rank_count)
        text_addf(&text, "%soff by %s in a single one (root mean square)",
                  text.length ? "; " : "", format_quantity(least, off, "s"));
    if (text.length > 0) {
        text_add_repeated(&report->text, " ", column);
        text_add_wrapped(&report->text, text_string(&text), column, column, report->columns);
    }
    text_free(&text);
}

/* Whether visits of the region are exact: it is known whenever it is entered. */
static bool visits_are_exact(const struct region_entry *region)
{
    return region->kind == REGION_MPI || strcmp(region->group, FORMAT_TOLD_GROUP) == 0;
}

/* Formats VALUE of METRIC at PATH. */
static const char *bounded_quantity(char out[2 * QUANTITY_SIZE], const struct report *report,
                                    uint32_t path, uint32_t metric, long double value)
{
    char shown[QUANTITY_SIZE];
    const struct metric_entry *entry = &report->summary->metrics[metric];
    bool at_least = strcmp(entry->name, "visits") == 0 && !report->summary->derived &&
                    !visits_are_exact(path_region(report->tree, path));
    snprintf(out, 2 * QUANTITY_SIZE, "%s%s", at_least ? "≥ " : "",
             format_quantity(shown, value, entry->unit));
    return out;
}

static void add_visits(struct report *report, const struct heat *heat, uint32_t path)
{
    char cell[2 * QUANTITY_SIZE] = "-";
    long double count = visits_of(report, heat, path);
    if (count != 0)
        bounded_quantity(cell, report, path, summary_metric(report->summary, "visits"),
                         count / (long double)report->selection->rank_count);
    text_add_right(&report->text, cell, COUNT_COLUMNS);
}

/* Formats the standard error in per cent of the whole, if the value comes from samples. */
static void add_error(struct report *report, const struct heat *heat, uint32_t path)
{
    char cell[QUANTITY_SIZE] = "-";
    uint32_t samples = summary_metric(report->summary, "samples");
    if (path_value(heat->values, path, samples) > 0)
        format_percent(cell, heat->errors[path], heat->all);
    text_add_right(&report->text, cell, ERROR_COLUMNS);
}

static void add_imbalance(struct report *report, const struct heat *heat, uint32_t path)
{
    size_t ranks = report->selection->rank_count;
    long double high = heat->extents->high[path];
    char cell[QUANTITY_SIZE] = "-";
    if (imbalance_is_known(least_of(report, heat->extents, path), high, ranks))
        format_percent(cell, imbalance_of(mean_of(report, heat, path), high, ranks), 1);
    text_add_right(&report->text, ranks > 1 ? cell : "", imbalance_columns(report));
}

static void add_hot_path(struct report *report, const struct heat *heat,
                         const struct hot_path *hot)
{
    long double ranks = (long double)report->selection->rank_count;
    char cell[2 * QUANTITY_SIZE];
    text_add_right(
        &report->text,
        bounded_quantity(cell, report, hot->row.path, heat->metric, hot->value / ranks),
        VALUE_COLUMNS);
    text_add_right(&report->text, format_percent(cell, hot->value, heat->all), SHARE_COLUMNS);
    if (heat->errors)
        add_error(report, heat, hot->row.path);
    add_imbalance(report, heat, hot->row.path);
    add_visits(report, heat, hot->row.path);
    text_add(&report->text, "  ");
    path_row_add(report, &hot->row, path_column(report, heat));
    add_reservation(report, heat, hot->row.path, path_column(report, heat));
}

static void add_head(struct report *report, const struct heat *heat, const char *title)
{
    const char *whose = report->scope.phase == SUMMARY_NONE
                            ? "Hottest call paths of the whole run"
                            : "Hottest call paths of the selected iterations";
    bool ranks = report->selection->rank_count > 1;
    report_title(report, report->summary->derived ? "Call paths, the largest first" : whose);
    text_add(&report->text, ": ");
    text_add_escaped(&report->text, title);
    text_add(&report->text, ranks ? ", mean over ranks\n" : "\n");
    text_add_right(&report->text, "value", VALUE_COLUMNS);
    text_add_right(&report->text, "%", SHARE_COLUMNS);
    text_add_right(&report->text, heat->errors ? "+/-" : "", heat->errors ? ERROR_COLUMNS : 0);
    text_add_right(&report->text, ranks ? "imb. %" : "", imbalance_columns(report));
    text_add_right(&report->text, "visits", COUNT_COLUMNS);
    text_add(&report->text, "  call path\n");
}

/* How many of COUNT paths to show: as --top says, otherwise those that are worth a row. */
static size_t count_shown(const struct report *report, const struct heat *heat,
                          const struct hot_path *list, size_t count)
{
    const size_t most = report->top ? report->top : HOTTEST;
    size_t shown = 0;
    while (shown < count && shown < most &&
           (report->top || report->sort != SORT_VALUE || shown == 0 ||
            fabsl(list[shown].value) >= LEAST_SHARE * heat->all))
        shown++;
    return shown;
}

static void tell_apart(struct report *report, struct hot_path *list, size_t count,
                       size_t column)
{
    struct path_row **rows = allocate(count + 1, sizeof *rows);
    for (size_t i = 0; i < count; i++)
        rows[i] = &list[i].row;
    path_rows_tell_apart(report, rows, count, column);
    free(rows);
}

/* The hottest paths under TITLE. */
static void add_list(struct report *report, const struct heat *heat, const char *title)
{
    size_t count;
    if (heat->metric == SUMMARY_NONE)
        return;
    struct hot_path *list = sort_paths(report, heat, &count);
    const size_t most = count_shown(report, heat, list, count);
    if (count > 0)
        add_head(report, heat, title);
    tell_apart(report, list, most, path_column(report, heat));
    for (size_t i = 0; i < most; i++)
        add_hot_path(report, heat, &list[i]);
    if (count > most)
        text_addf(&report->text, "%*s%zu more\n", (int)path_column(report, heat), "",
                  count - most);
    free(list);
}

/* The sum of absolute values: those of a counter or of a difference may be negative. */
static long double total_of(const struct path_values *values, uint32_t metric)
{
    long double total = 0;
    for (size_t i = 0; i < values->count && metric != SUMMARY_NONE; i++)
        total += fabsl(path_value(values, values->list[i], metric));
    return total;
}

static long double wall_s(const struct selection *selection)
{
    long double wall_ns = 0;
    for (size_t r = 0; r < selection->rank_count; r++)
        for (size_t i = 0; i < selection->ranks[r].count; i++)
            wall_ns += (long double)selection->summary->locations[selection->ranks[r].first + i]
                           .wall_ns;
    return wall_ns / 1e9L;
}

void report_measure(struct report *report)
{
    uint32_t time = summary_metric(report->summary, "time");
    struct path_values *values = path_values_create(report->tree);
    scope_add_all(&report->scope, NULL, METRICS_INCLUSIVE, values);
    report->all = total_of(values, report->metric);
    if (report->scope.phase == SUMMARY_NONE)
        report->wall = wall_s(report->selection);
    else
        for (size_t i = 0; i < values->count && time != SUMMARY_NONE; i++)
            report->wall += path_value(values, values->list[i], time);
    path_values_free(values);
}

/* Adds to VARIANCES, by path, those of the computation times that ONE location sampled. */
static void add_variances(const struct path_values *one, uint32_t computation, uint32_t samples,
                          long double *variances)
{
    long double total = total_of(one, computation), taken = total_of(one, samples);
    for (size_t i = 0; i < one->count; i++) {
        uint32_t path = one->list[i];
        long double error = sampling_error(total, path_value(one, path, computation), taken);
        variances[path] += error * error;
    }
}

static struct extents make_extents(const struct report *report, uint32_t metric)
{
    size_t paths = report->tree->count;
    return (struct extents){metric, allocate(paths, sizeof(long double)),
                            allocate(paths, sizeof(long double)),
                            allocate(paths, sizeof(size_t))};
}

static void free_extents(struct extents *extents)
{
    free(extents->low);
    free(extents->high);
    free(extents->having);
}

/* Takes what one more rank has into account. */
static void widen(struct extents *extents, const struct path_values *values)
{
    for (size_t i = 0; i < values->count && extents->metric != SUMMARY_NONE; i++) {
        uint32_t path = values->list[i];
        long double value = path_value(values, path, extents->metric);
        bool first = extents->having[path]++ == 0;
        extents->low[path] = first ? value : fminl(extents->low[path], value);
        extents->high[path] = first ? value : fmaxl(extents->high[path], value);
    }
}

/*
 * Fills VALUES with what the selected locations have of the scope, and EXTENTS of two metrics.
 * Returns the standard errors of their computation by path, for the caller to free(), or NULL
 * if there are no samples. Threads are sampled independently, so their variances add up.
 */
static long double *sum_locations(const struct report *report, struct path_values *values,
                                  struct extents extents[2])
{
    const struct selection *selection = report->selection;
    uint32_t computation = summary_metric(report->summary, "computation");
    uint32_t samples = summary_metric(report->summary, "samples");
    struct path_values *one = path_values_create(report->tree);
    struct path_values *rank = path_values_create(report->tree);
    long double *errors = allocate(report->tree->count, sizeof *errors);
    for (size_t r = 0; r < selection->rank_count; r++) {
        path_values_clear(rank);
        for (size_t i = 0; i < selection->ranks[r].count; i++) {
            const struct location *location =
                &report->summary->locations[selection->ranks[r].first + i];
            path_values_clear(one);
            scope_add(&report->scope, location, NULL, METRICS_INCLUSIVE, one);
            scope_add(&report->scope, location, NULL, METRICS_INCLUSIVE, rank);
            scope_add(&report->scope, location, NULL, METRICS_INCLUSIVE, values);
            if (computation != SUMMARY_NONE && samples != SUMMARY_NONE)
                add_variances(one, computation, samples, errors);
        }
        widen(&extents[0], rank);
        widen(&extents[1], rank);
    }
    path_values_free(rank);
    path_values_free(one);
    for (size_t i = 0; i < report->tree->count; i++)
        errors[i] = sqrtl(errors[i]);
    if (total_of(values, samples) > 0 && !report->summary->derived)
        return errors;
    free(errors);
    return NULL;
}

/* Adds up what the nodes of a path are off by, in every metric that theirs is part of. */
static void add_errors(const struct report *report, struct shown_as *shown)
{
    const struct summary *summary = report->summary;
    size_t count;
    struct path_error *list = path_errors_find(report->selection, report->scope.phase, &count);
    for (size_t i = 0; i < count; i++)
        for (uint32_t m = list[i].metric; m != SUMMARY_NONE; m = summary->metrics[m].parent)
            shown->off[(size_t)report->tree->of_node[list[i].node] * summary->metric_count +
                       m] += 1e-9L * (long double)list[i].rms;
    free(list);
}

/* Of selected iterations, if clusters stand for any. */
static bool find_shown(const struct report *report, struct shown_as *shown)
{
    if (report->scope.phase == SUMMARY_NONE || report->callpath)
        return false;
    struct quality *quality = quality_create(report->selection, report->scope.phase);
    const bool any = quality->clustered > 0;
    quality_free(quality);
    if (!any)
        return false;
    const size_t paths = report->tree->count;
    shown->presence = allocate(paths, sizeof *shown->presence);
    shown->off = allocate(paths * report->summary->metric_count, sizeof *shown->off);
    shown->presence_known = scope_presence(report->tree, &report->scope, shown->presence);
    add_errors(report, shown);
    return true;
}

void report_paths(struct report *report)
{
    struct shown_as shown_as = {0};
    const struct shown_as *shown = find_shown(report, &shown_as) ? &shown_as : NULL;
    uint32_t computation = summary_metric(report->summary, "computation");
    uint32_t mpi = report->is_time ? summary_metric(report->summary, "mpi") : report->metric;
    struct extents extents[2] = {make_extents(report, computation), make_extents(report, mpi)};
    struct path_values *values = path_values_create(report->tree);
    long double *errors = sum_locations(report, values, extents);
    struct heat sampled = {values, &extents[0], computation, report->all, errors, shown},
                other = {values,
                         &extents[1],
                         mpi,
                         report->all,
                         !report->is_time && mpi == computation ? errors : NULL,
                         shown};
    if (report->is_time) {
        add_list(report, &sampled, "computation");
        add_list(report, &other, "MPI");
    } else {
        add_list(report, &other, report->summary->metrics[mpi].name);
    }
    free(errors);
    free(shown_as.presence);
    free(shown_as.off);
    free_extents(&extents[0]);
    free_extents(&extents[1]);
    path_values_free(values);
}
