/* Functions over all call paths.  See report.h. */
#include "accuracy/accuracy.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    HOTTEST = 20,
    VALUE_COLUMNS = 10,
    SHARE_COLUMNS = 8,
    COUNT_COLUMNS = 10,
    PLACE_COLUMNS = 24
};

/* What is known of each function: means over ranks, in the units of their metrics. */
struct flat {
    struct report *report;
    struct function_list *functions;
    struct path_values *values; /* sums over ranks */
    uint32_t metric;
    long double *self, *with, *visits, *bytes;
    bool *has_own;        /* a value, if only one that no sample has found */
    long double *largest; /* of MPI functions: seconds in an iteration of a thread */
};

/* A row: a function and what it is sorted by.  The function after the last is what nobody knows
 * the function of, since no sample has found it. */
struct flat_row {
    uint32_t function;
    long double value;
};

static int largest_first(const void *a, const void *b)
{
    const struct flat_row *left = a, *right = b;
    const long double l = fabsl(left->value), r = fabsl(right->value);
    if (l != r)
        return l > r ? -1 : 1;
    return (left->function > right->function) - (left->function < right->function);
}

/* Functions of MPI, or the others, that have a value; for the caller to free(). */
static struct flat_row *list_rows(const struct flat *flat, bool of_mpi, size_t *count)
{
    struct flat_row *rows = allocate(flat->functions->count + 2, sizeof *rows);
    *count = 0;
    for (uint32_t f = 0; f < flat->functions->count; f++)
        if (flat->functions->items[f].is_mpi == of_mpi && flat->has_own[f])
            rows[(*count)++] = (struct flat_row){f, flat->self[f]};
    const uint32_t nobody = (uint32_t)flat->functions->count;
    if (!of_mpi && flat->self[nobody] != 0)
        rows[(*count)++] = (struct flat_row){nobody, flat->self[nobody]};
    qsort(rows, *count, sizeof *rows, largest_first);
    return rows;
}

/* Whether another function has the brief name of FUNCTION. */
static bool looks_the_same(const struct flat *flat, uint32_t function)
{
    struct text name = {0}, other = {0};
    bool same = false;
    text_add_function_name(&name, flat->functions->items[function].name, NAMES_BRIEF);
    for (uint32_t f = 0; f < flat->functions->count && !same; f++) {
        text_clear(&other);
        text_add_function_name(&other, flat->functions->items[f].name, NAMES_BRIEF);
        same = f != function && strcmp(text_string(&name), text_string(&other)) == 0;
    }
    text_free(&name);
    text_free(&other);
    return same;
}

/* Adds the name and, if there is room, where it is, to the end of the line. */
static void add_function(struct flat *flat, uint32_t function, size_t used)
{
    struct report *report = flat->report;
    if (function == flat->functions->count) {
        text_add(&report->text, "  " UNSAMPLED_NAME "\n");
        return;
    }
    const struct function_entry *entry = &flat->functions->items[function];
    struct text name = {0}, place = {0};
    const size_t room = report->columns - used - 2;
    path_add_name(report->tree, entry->first,
                  report->names == NAMES_BRIEF && looks_the_same(flat, function)
                      ? NAMES_WITH_TEMPLATES
                      : report->names,
                  &name);
    if (!entry->is_mpi)
        path_add_place(report->tree, entry->first, &place);
    size_t for_place = text_columns(text_string(&place));
    for_place = for_place > PLACE_COLUMNS ? PLACE_COLUMNS : for_place;
    text_add(&report->text, "  ");
    text_add_shortened(&report->text, text_string(&name),
                       for_place ? room - for_place - 2 : room);
    if (for_place) {
        text_add(&report->text, "  ");
        text_add_shortened(&report->text, text_string(&place), for_place);
    }
    text_add(&report->text, "\n");
    text_free(&name);
    text_free(&place);
}

static void add_more(struct flat *flat, size_t more)
{
    if (more > 0)
        text_addf(&flat->report->text, "  %zu more; --top N lists N\n", more);
}

static size_t length_of(const struct flat *flat, size_t count)
{
    const size_t most = flat->report->top ? flat->report->top : HOTTEST;
    return count < most ? count : most;
}

static const char *unit_of(const struct flat *flat)
{
    return flat->report->summary->metrics[flat->metric].unit;
}

static void add_title(struct flat *flat, const char *what)
{
    struct report *report = flat->report;
    report_title(report, what);
    text_addf(&report->text, ", %s%s\n", report->summary->metrics[flat->metric].name,
              report->selection->rank_count > 1 ? ", mean over ranks" : "");
}

/* The largest time that a call path of each function took in an iteration of a thread. */
static void find_largest(struct flat *flat)
{
    const struct report *report = flat->report;
    for (size_t r = 0; r < report->selection->rank_count; r++)
        functions_find_largest(flat->functions, &report->scope, &report->selection->ranks[r],
                               report->metric, flat->largest);
    for (size_t f = 0; f < flat->functions->count; f++)
        if (isnan(flat->largest[f]))
            flat->largest[f] = 0;
}

static long double self_of(const struct flat *flat, uint32_t function)
{
    return flat->self[function];
}

static long double with_of(const struct flat *flat, uint32_t function)
{
    return flat->with[function];
}

static long double visits_of(const struct flat *flat, uint32_t function)
{
    return flat->visits[function];
}

static long double bytes_of(const struct flat *flat, uint32_t function)
{
    return flat->bytes[function];
}

static long double mean_of(const struct flat *flat, uint32_t function)
{
    return flat->visits[function] > 0 ? flat->self[function] / flat->visits[function] : 0;
}

static long double largest_of(const struct flat *flat, uint32_t function)
{
    return flat->report->is_time ? flat->largest[function] : 0;
}

/* How a column shows its values. */
enum shown_as {
    SHOWN_PER_RANK, /* of sums over ranks */
    SHOWN_AS_IT_IS,
    SHOWN_AS_SHARE
};

struct flat_column {
    const char *title;
    size_t columns;
    enum shown_as shown_as;
    const char *unit; /* NULL: that of the metric */
    long double (*value_of)(const struct flat *flat, uint32_t function);
};

static const struct flat_column function_columns[] = {
    {"self", VALUE_COLUMNS, SHOWN_PER_RANK, NULL, self_of},
    {"%", SHARE_COLUMNS, SHOWN_AS_SHARE, NULL, self_of},
    {"total", VALUE_COLUMNS, SHOWN_PER_RANK, NULL, with_of},
    {"%", SHARE_COLUMNS, SHOWN_AS_SHARE, NULL, with_of},
    {"visits ≥", COUNT_COLUMNS, SHOWN_PER_RANK, "occ", visits_of},
    {0},
};

static const struct flat_column mpi_columns[] = {
    {"total", VALUE_COLUMNS, SHOWN_PER_RANK, NULL, self_of},
    {"%", SHARE_COLUMNS, SHOWN_AS_SHARE, NULL, self_of},
    {"calls", COUNT_COLUMNS, SHOWN_PER_RANK, "occ", visits_of},
    {"mean", VALUE_COLUMNS, SHOWN_AS_IT_IS, NULL, mean_of},
    {"max/iter.", VALUE_COLUMNS, SHOWN_AS_IT_IS, "s", largest_of},
    {"bytes", COUNT_COLUMNS, SHOWN_PER_RANK, "bytes", bytes_of},
    {0},
};

static void add_cell(struct flat *flat, const struct flat_column *column, uint32_t function)
{
    char cell[QUANTITY_SIZE];
    const char *shown = "-";
    long double value = column->value_of(flat, function);
    if (column->shown_as == SHOWN_PER_RANK)
        value /= (long double)flat->report->selection->rank_count;
    if (column->shown_as == SHOWN_AS_SHARE)
        shown = format_percent(cell, value, flat->report->all);
    else if (value != 0)
        shown = format_quantity(cell, value, column->unit ? column->unit : unit_of(flat));
    text_add_right(&flat->report->text, shown, column->columns);
}

/* Adds a table with COLUMNS; returns whether there is one. */
static bool add_table(struct flat *flat, const char *title, bool of_mpi,
                      const struct flat_column *columns)
{
    size_t count, used = 0;
    struct flat_row *rows = list_rows(flat, of_mpi, &count);
    struct text *text = &flat->report->text;
    if (count > 0)
        add_title(flat, title);
    for (const struct flat_column *column = columns; column->title; column++) {
        if (count > 0)
            text_add_right(text, column->title, column->columns);
        used += column->columns;
    }
    text_add(text, count > 0 ? "  function\n" : "");
    for (size_t i = 0; i < length_of(flat, count); i++) {
        for (const struct flat_column *column = columns; column->title; column++)
            add_cell(flat, column, rows[i].function);
        add_function(flat, rows[i].function, used);
    }
    add_more(flat, count - length_of(flat, count));
    free(rows);
    return count > 0;
}

/* Values of the metric called NAME by function; for the caller to free(). */
static long double *values_of(const struct flat *flat, const char *name)
{
    const uint32_t metric = summary_metric(flat->report->summary, name);
    long double *values = allocate(flat->functions->count + 1, sizeof *values);
    if (metric != SUMMARY_NONE)
        functions_add_up(flat->functions, flat->values, metric, values, NULL);
    return values;
}

/* Adds up what functions have themselves, without what may have been in what they call. */
static void add_up_self(struct flat *flat)
{
    const size_t nobody = flat->functions->count;
    for (size_t i = 0; i < flat->values->count; i++) {
        const uint32_t path = flat->values->list[i], f = flat->functions->of_path[path];
        const long double value = path_value(flat->values, path, flat->metric);
        const long double unsampled = path_unsampled(flat->values, path, flat->metric);
        flat->self[f] += value - unsampled;
        flat->self[nobody] += unsampled;
        flat->has_own[f] |= value != 0;
    }
    flat->with[nobody] = flat->self[nobody];
}

void report_flat(struct report *report)
{
    struct flat flat = {.report = report,
                        .functions = functions_of(report->tree),
                        .values = path_values_create(report->tree),
                        .metric = report->metric};
    const size_t count = flat.functions->count + 1;
    scope_add_all(&report->scope, NULL, METRICS_INCLUSIVE, flat.values);
    flat.self = allocate(count, sizeof *flat.self);
    flat.with = allocate(count, sizeof *flat.with);
    flat.largest = allocate(count, sizeof *flat.largest);
    flat.has_own = allocate(count, sizeof *flat.has_own);
    functions_add_up(flat.functions, flat.values, flat.metric, NULL, flat.with);
    add_up_self(&flat);
    flat.visits = values_of(&flat, "visits");
    flat.bytes = values_of(&flat, "bytes");
    find_largest(&flat);
    add_table(&flat, "Functions over all call paths", false, function_columns);
    if (add_table(&flat, "Functions of MPI", true, mpi_columns))
        text_add_wrapped(
            &report->text,
            "max/iter.: the largest that one call path of it took in an iteration "
            "of a thread; - where there are no iterations, or where the one that had it "
            "is not among those chosen.",
            0, 0, report->columns);
    free(flat.self);
    free(flat.has_own);
    free(flat.with);
    free(flat.visits);
    free(flat.bytes);
    free(flat.largest);
    path_values_free(flat.values);
    functions_free(flat.functions);
}
