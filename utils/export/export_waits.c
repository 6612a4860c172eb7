/* tsprof export: who waited for whom, and why.  Columns are an interface and never change. */
#include "export/export_rows.h"

/* Whether what LOCATION waited for, of METRIC, is asked for. */
static bool is_wanted(const struct rows *rows, uint32_t location, uint32_t metric)
{
    const struct selection *selection = rows->selection;
    return (!selection->metrics || selection->metrics[metric]) &&
           selection_has(selection, location);
}

static void write_seconds(struct rows *rows, uint64_t ns)
{
    table_value(&rows->table, (long double)ns / 1e9L);
}

static void write_location(struct rows *rows, uint32_t location)
{
    if (location == SUMMARY_NONE) {
        table_empty(&rows->table);
        table_empty(&rows->table);
        return;
    }
    table_count(&rows->table, rows->summary->locations[location].rank);
    table_count(&rows->table, rows->summary->locations[location].thread);
}

/* What all rows of PAIR begin with. */
static void write_pair_keys(struct rows *rows, const struct path_tree *tree,
                            const struct wait_pair *pair)
{
    write_location(rows, pair->location);
    export_path(rows, tree, pair->node);
    table_text(&rows->table, rows->summary->metrics[pair->metric].name);
    write_location(rows, pair->cause);
}

void export_waits(struct rows *rows)
{
    const struct wait_table *waits = &rows->summary->waits;
    struct path_tree *tree = path_tree_of_nodes(rows->summary);
    for (size_t i = 0; i < waits->pair_count; i++) {
        const struct wait_pair *pair = &waits->pairs[i];
        if (!is_wanted(rows, pair->location, pair->metric))
            continue;
        write_pair_keys(rows, tree, pair);
        table_count(&rows->table, pair->count);
        write_seconds(rows, pair->ns);
        write_seconds(rows, pair->longest_ns);
        table_end_row(&rows->table);
    }
    path_tree_free(tree);
}

void export_causes(struct rows *rows)
{
    const struct wait_table *waits = &rows->summary->waits;
    struct path_tree *tree = path_tree_of_nodes(rows->summary);
    for (size_t i = 0; i < waits->pair_count; i++) {
        const struct wait_pair *pair = &waits->pairs[i];
        if (!is_wanted(rows, pair->location, pair->metric))
            continue;
        for (size_t r = 0; r < pair->reason_count; r++) {
            write_pair_keys(rows, tree, pair);
            export_path(rows, tree, pair->reasons[r].node);
            table_count(&rows->table, pair->reasons[r].is_indirect);
            write_seconds(rows, pair->reasons[r].ns);
            table_end_row(&rows->table);
        }
    }
    path_tree_free(tree);
}

/* Whether WAIT lies in a phase and an iteration that are asked for. */
static bool is_in_range(const struct rows *rows, const struct long_wait *wait)
{
    const struct selection *selection = rows->selection;
    if (wait->phase == SUMMARY_NONE)
        return selection->iterations.first == 0 && selection->iterations.last == UINT64_MAX;
    return selection->phases[wait->phase] && wait->iteration >= selection->iterations.first &&
           wait->iteration <= selection->iterations.last;
}

static void write_instance(struct rows *rows, const struct path_tree *tree,
                           const struct long_wait *wait)
{
    table_text(&rows->table, rows->summary->metrics[wait->metric].name);
    write_location(rows, wait->location);
    if (wait->phase == SUMMARY_NONE) {
        table_empty(&rows->table);
        table_empty(&rows->table);
    } else {
        table_text(&rows->table, rows->summary->phases[wait->phase].name);
        table_count(&rows->table, wait->iteration);
    }
    export_path(rows, tree, wait->node);
    write_seconds(rows, wait->begin_ns);
    write_seconds(rows, wait->ns);
    write_location(rows, wait->cause);
    export_path(rows, tree, wait->cause_node);
    write_seconds(rows, wait->cause_ns);
    table_end_row(&rows->table);
}

void export_instances(struct rows *rows)
{
    const struct wait_table *waits = &rows->summary->waits;
    struct path_tree *tree = path_tree_of_nodes(rows->summary);
    for (size_t i = 0; i < waits->longest_count; i++) {
        const struct long_wait *wait = &waits->longest[i];
        if (is_wanted(rows, wait->location, wait->metric) && is_in_range(rows, wait))
            write_instance(rows, tree, wait);
    }
    path_tree_free(tree);
}
