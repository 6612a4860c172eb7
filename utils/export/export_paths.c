/* The table of call paths by number, whose names other tables need not repeat.  Columns are an
 * interface and never change. */
#include "export/export_rows.h"

/* Names end at the paths below the root, which no other table names above them. */
static void write_parent(struct rows *rows, uint32_t parent)
{
    if (parent == SUMMARY_NONE || parent == 0)
        table_empty(&rows->table);
    else
        table_count(&rows->table, parent);
}

static void write_place(struct rows *rows, const struct path_tree *tree, uint32_t path)
{
    uint64_t line;
    table_text(&rows->table, path_place(tree, path, &line));
    if (line)
        table_count(&rows->table, line);
    else
        table_empty(&rows->table);
}

void export_paths(struct rows *rows)
{
    struct path_tree *tree = path_tree_build(rows->summary);
    for (uint32_t path = 0; path < tree->count; path++) {
        table_count(&rows->table, path);
        write_parent(rows, tree->paths[path].parent);
        table_text(&rows->table, tree->paths[path].name);
        write_place(rows, tree, path);
        table_end_row(&rows->table);
    }
    path_tree_free(tree);
}
