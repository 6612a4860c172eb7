/* Tables of differences and means.  See derived_text.h. */
#include "algebra/derived_text.h"

#include "query/query.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_COLUMNS  32
#define VALUE_COLUMNS 11
#define SHARE_COLUMNS 9
#define USUAL_TOP     10
#define PATH_LINES    3

/* The columns of values; those of a mean are of the operands. */
enum column { COLUMN_A, COLUMN_B, COLUMN_RESULT, COLUMNS };

static const char *const difference_heads[COLUMNS] = {"A", "B", "A - B"};
static const char *const mean_heads[COLUMNS] = {"min", "max", "mean"};

struct table_text {
    struct text *text;
    const struct operands *operands;
    enum derivation derivation;
    const struct summary *summary; /* the combined one */
    struct path_tree *tree;
    struct path_values **values; /* by operand, inclusive over metrics, of all places */
    size_t columns, top;
    long double divisor; /* ranks that times are the mean over */
};

struct row {
    uint32_t path;
    long double values[COLUMNS];
};

static long double divisor_of(const struct table_text *table, uint32_t metric)
{
    return strcmp(table->summary->metrics[metric].unit, "s") == 0 ? table->divisor : 1;
}

/* Computes the result from the operands' values of METRIC. */
static void join_values(const struct table_text *table, const long double *values,
                        uint32_t metric, long double columns[COLUMNS])
{
    size_t count = table->operands->count;
    long double divisor = divisor_of(table, metric), low = values[0], high = values[0], sum = 0;
    for (size_t i = 0; i < count; i++) {
        low = fminl(low, values[i]);
        high = fmaxl(high, values[i]);
        sum += values[i];
    }
    bool mean = table->derivation == DERIVED_MEAN;
    columns[COLUMN_A] = (mean ? low : values[0]) / divisor;
    columns[COLUMN_B] = (mean ? high : values[1]) / divisor;
    columns[COLUMN_RESULT] =
        mean ? sum / (long double)count / divisor : columns[COLUMN_A] - columns[COLUMN_B];
}

/* What 100 % means: for a difference what was subtracted, for a mean the mean itself. */
static long double base_of(const struct table_text *table, const long double columns[COLUMNS])
{
    return fabsl(columns[table->derivation == DERIVED_MEAN ? COLUMN_RESULT : COLUMN_B]);
}

/* The last column: the relative difference, or how much the operands vary. */
static long double change_of(const struct table_text *table, const long double columns[COLUMNS])
{
    return table->derivation == DERIVED_MEAN ? columns[COLUMN_B] - columns[COLUMN_A]
                                             : columns[COLUMN_RESULT];
}

static void add_values(struct table_text *table, const struct metric_entry *metric,
                       const long double columns[COLUMNS])
{
    char cell[QUANTITY_SIZE], signed_cell[QUANTITY_SIZE + 1];
    for (enum column c = 0; c < COLUMNS; c++) {
        bool plus =
            c == COLUMN_RESULT && table->derivation == DERIVED_DIFFERENCE && columns[c] > 0;
        snprintf(signed_cell, sizeof signed_cell, "%s%s", plus ? "+" : "",
                 format_quantity(cell, columns[c], metric->unit));
        text_add_right(table->text, signed_cell, VALUE_COLUMNS);
    }
    text_add_right(table->text,
                   format_percent(cell, change_of(table, columns), base_of(table, columns)),
                   SHARE_COLUMNS);
}

static void add_heads(struct table_text *table)
{
    bool mean = table->derivation == DERIVED_MEAN;
    for (enum column c = 0; c < COLUMNS; c++)
        text_add_right(table->text, (mean ? mean_heads : difference_heads)[c], VALUE_COLUMNS);
    text_add_right(table->text, mean ? "spread %" : "% of B", SHARE_COLUMNS);
}

static long double *totals_of(const struct table_text *table, size_t operand)
{
    const struct path_values *values = table->values[operand];
    long double *totals = allocate(table->summary->metric_count, sizeof *totals);
    for (size_t i = 0; i < values->count; i++)
        for (uint32_t m = 0; m < table->summary->metric_count; m++)
            totals[m] += path_value(values, values->list[i], m);
    return totals;
}

static void add_metric_name(struct table_text *table, uint32_t metric)
{
    struct text cell = {0};
    size_t indent = 0;
    for (uint32_t at = metric; (at = table->summary->metrics[at].parent) != SUMMARY_NONE;)
        indent += indent < 16 ? 2 : 0;
    text_add_repeated(&cell, " ", indent);
    text_add_shortened(&cell, table->summary->metrics[metric].name, NAME_COLUMNS - 1 - indent);
    text_add_left(table->text, text_string(&cell), NAME_COLUMNS);
    text_free(&cell);
}

static void add_totals(struct table_text *table)
{
    size_t count = table->operands->count;
    long double **totals = allocate(count, sizeof *totals);
    long double *values = allocate(count, sizeof *values);
    for (size_t i = 0; i < count; i++)
        totals[i] = totals_of(table, i);
    text_add(table->text, "\n");
    text_add_left(table->text, "Totals", NAME_COLUMNS);
    add_heads(table);
    text_add(table->text, "\n");
    for (uint32_t m = 0; m < table->summary->metric_count; m++) {
        long double columns[COLUMNS];
        bool any = false;
        for (size_t i = 0; i < count; i++) {
            values[i] = totals[i][m];
            any |= values[i] != 0;
        }
        if (!any)
            continue;
        join_values(table, values, m, columns);
        add_metric_name(table, m);
        add_values(table, &table->summary->metrics[m], columns);
        text_add(table->text, "\n");
    }
    for (size_t i = 0; i < count; i++)
        free(totals[i]);
    free(totals);
    free(values);
}

static int compare_rows(const void *a, const void *b)
{
    const struct row *left = a, *right = b;
    long double one = fabsl(left->values[COLUMN_RESULT]),
                other = fabsl(right->values[COLUMN_RESULT]);
    if (one != other)
        return one > other ? -1 : 1;
    return (left->path > right->path) - (left->path < right->path);
}

/* The paths with a result, the largest first; *COUNT of them, for the caller to free(). */
static struct row *list_rows(const struct table_text *table, uint32_t metric, size_t *count)
{
    struct row *rows = allocate(table->tree->count, sizeof *rows);
    long double *values = allocate(table->operands->count, sizeof *values);
    *count = 0;
    for (uint32_t path = 0; path < table->tree->count; path++) {
        struct row *row = &rows[*count];
        for (size_t i = 0; i < table->operands->count; i++)
            values[i] = path_value(table->values[i], path, metric);
        join_values(table, values, metric, row->values);
        row->path = path;
        *count += row->values[COLUMN_RESULT] != 0;
    }
    qsort(rows, *count, sizeof *rows, compare_rows);
    free(values);
    return rows;
}

static void add_path(struct table_text *table, uint32_t path)
{
    struct text whole = {0}, shown = {0};
    const size_t room = PATH_LINES * (table->columns - 4);
    path_add_frames(table->tree, path, NAMES_BRIEF, room, &whole);
    text_add_shortened(&shown, text_string(&whole), room);
    text_add(table->text, "    ");
    text_add_wrapped(table->text, text_string(&shown), 4, 4, table->columns);
    text_free(&whole);
    text_free(&shown);
}

static void add_paths(struct table_text *table, uint32_t metric)
{
    size_t count;
    struct row *rows = list_rows(table, metric, &count);
    const struct metric_entry *entry = &table->summary->metrics[metric];
    struct text title = {0};
    if (count > 0) {
        text_addf(&title, "%s by call path",
                  table->derivation == DERIVED_MEAN ? "Largest" : "Differences");
        text_add(table->text, "\n");
        text_add_left(table->text, text_string(&title), NAME_COLUMNS);
        add_heads(table);
        text_add(table->text, "\n");
    }
    for (size_t i = 0; i < count && i < table->top; i++) {
        text_clear(&title);
        text_add_shortened(&title, entry->name, NAME_COLUMNS - 1);
        text_add_left(table->text, text_string(&title), NAME_COLUMNS);
        add_values(table, entry, rows[i].values);
        text_add(table->text, "\n");
        add_path(table, rows[i].path);
    }
    if (count > table->top)
        text_addf(table->text, "    and %zu more; --top N shows more\n", count - table->top);
    text_free(&title);
    free(rows);
}

static void add_operands(struct table_text *table)
{
    const struct operands *operands = table->operands;
    for (size_t i = 0; i < operands->count; i++) {
        const struct operand *operand = &operands->list[i];
        struct text line = {0};
        if (table->derivation == DERIVED_DIFFERENCE)
            text_addf(&line, "%c: ", "AB"[i]);
        operand_add_text(operand, &line);
        text_addf(&line, "; %zu rank%s", operand->selection.rank_count,
                  operand->selection.rank_count == 1 ? "" : "s");
        if (operand->summary->state != FORMAT_COMPLETE)
            text_add(&line, "; partial");
        text_add_wrapped(table->text, text_string(&line), 0, 3, table->columns);
        text_free(&line);
    }
    text_add_wrapped(table->text,
                     operands->ranks_fit
                         ? "Times are means over ranks, all else is summed over "
                           "them; call paths are exclusive."
                         : "The ranks are not the same: all values are summed over them; "
                           "call paths are exclusive.",
                     0, 0, table->columns);
}

static void fill_values(struct table_text *table)
{
    const struct operands *operands = table->operands;
    table->values = allocate(operands->count, sizeof *table->values);
    for (size_t i = 0; i < operands->count; i++) {
        const struct translation *translation = operands->list[i].translation;
        size_t nodes = translation->from->node_count;
        uint32_t *paths = allocate(nodes, sizeof *paths);
        for (size_t n = 0; n < nodes; n++)
            paths[n] = table->tree->of_node[translation->node_of[n]];
        struct path_map map = {paths, translation->metric_of, translation->factors};
        table->values[i] = path_values_create(table->tree);
        scope_add_all(&operands->list[i].scope, &map, METRICS_INCLUSIVE, table->values[i]);
        free(paths);
    }
}

void derived_add_text(struct text *text, const struct operands *operands,
                      enum derivation derivation, const struct options *options, size_t columns)
{
    static const char *const usual[] = {"computation", "mpi"};
    struct table_text table = {
        .text = text,
        .operands = operands,
        .derivation = derivation,
        .summary = operands->combined->summary,
        .tree = path_tree_build(operands->combined->summary),
        .columns = columns,
        .top = options->top ? (size_t)options->top : USUAL_TOP,
        .divisor = operands->ranks_fit && operands->list[0].selection.rank_count > 0
                       ? (long double)operands->list[0].selection.rank_count
                       : 1};
    const char *const *names = options->metric_count ? options->metrics : usual;
    size_t count = options->metric_count ? options->metric_count : 2;
    fill_values(&table);
    add_operands(&table);
    add_totals(&table);
    for (size_t i = 0; i < count; i++) {
        uint32_t metric = summary_metric(table.summary, names[i]);
        if (metric != SUMMARY_NONE)
            add_paths(&table, metric);
    }
    for (size_t i = 0; i < operands->count; i++)
        path_values_free(table.values[i]);
    free(table.values);
    path_tree_free(table.tree);
}
