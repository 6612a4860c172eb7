/* The table of functions over all call paths.  See export_rows.h. */
#include "export/export_rows.h"

#include <stdlib.h>

/* The functions of one rank: [metric * functions + function]. */
struct function_values {
    long double *self, *with, *largest;
};

static void add_up(const struct rows *rows, const struct function_list *functions,
                   const struct scope *scope, const struct rank_group *rank,
                   const struct path_values *values, const struct function_values *sums)
{
    for (uint32_t m = 0; m < rows->summary->metric_count; m++) {
        const size_t at = (size_t)m * functions->count;
        for (size_t f = 0; f < functions->count; f++)
            sums->self[at + f] = sums->with[at + f] = sums->largest[at + f] = 0;
        functions_add_up(functions, values, m, sums->self + at, sums->with + at);
        functions_find_largest(functions, scope, rank, m, sums->largest + at);
    }
}

static void write_rank(struct rows *rows, const struct function_list *functions,
                       const struct function_values *sums, const bool *metrics, uint32_t rank)
{
    for (size_t f = 0; f < functions->count; f++)
        for (size_t m = 0; m < rows->summary->metric_count; m++) {
            const size_t at = m * functions->count + f;
            if (!metrics[m] || (sums->self[at] == 0 && sums->with[at] == 0))
                continue;
            table_text(&rows->table, functions->items[f].name);
            table_count(&rows->table, rank);
            table_text(&rows->table, rows->summary->metrics[m].name);
            table_value(&rows->table, sums->self[at]);
            table_value(&rows->table, sums->with[at]);
            if (sums->largest[at] > 0)
                table_value(&rows->table, sums->largest[at]);
            else
                table_empty(&rows->table);
            table_end_row(&rows->table);
        }
}

void rows_add_rank(const struct rows *rows, const struct scope *scope,
                   const struct rank_group *rank, struct path_values *values)
{
    path_values_clear(values);
    for (size_t i = 0; i < rank->count; i++)
        scope_add(scope, &rows->summary->locations[rank->first + i], NULL, METRICS_INCLUSIVE,
                  values);
}

bool rows_scope(struct rows *rows, struct scope *scope)
{
    struct error error;
    if (scope_make(scope, rows->selection, rows->options, &error))
        return true;
    complain("%s", error.text);
    rows->failed = true;
    return false;
}

void export_functions(struct rows *rows)
{
    struct scope scope;
    if (!rows_scope(rows, &scope))
        return;
    struct path_tree *tree = path_tree_build(rows->summary);
    struct function_list *functions = functions_of(tree);
    struct path_values *values = path_values_create(tree);
    const size_t cells = functions->count * rows->summary->metric_count + 1;
    const struct function_values sums = {allocate(cells, sizeof *sums.self),
                                         allocate(cells, sizeof *sums.with),
                                         allocate(cells, sizeof *sums.largest)};
    bool *metrics = exported_metrics(rows);
    for (size_t r = 0; r < rows->selection->rank_count; r++) {
        const struct rank_group *rank = &rows->selection->ranks[r];
        rows_add_rank(rows, &scope, rank, values);
        add_up(rows, functions, &scope, rank, values, &sums);
        write_rank(rows, functions, &sums, metrics, rank->rank);
    }
    free(metrics);
    free(sums.self);
    free(sums.with);
    free(sums.largest);
    path_values_free(values);
    functions_free(functions);
    path_tree_free(tree);
}
