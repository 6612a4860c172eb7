/* See report_rows.h. */
#include "report/report_rows.h"

#include <stdlib.h>
#include <string.h>

#define PLACE_COLUMNS 24
/* A call path takes at most about as many lines. */
#define PATH_LINES 4

/* Adds "in main > step", in as many lines as it takes from COLUMN on. */
static void add_callers(struct report *report, uint32_t path, uint32_t keep, size_t column)
{
    text_add_repeated(&report->text, " ", column);
    text_add(&report->text, "in ");
    report_add_frames(report, path, keep, column + 3, PATH_LINES);
}

static void add_path(struct report *report, const struct path_row *row, size_t column)
{
    struct text place = {0}, shown_place = {0}, name = {0};
    const uint32_t path = row->path;
    size_t room = report->columns - column;
    report_add_name(report, path, &name);
    path_add_place(report->tree, path, &place);
    text_add_shortened(&shown_place, text_string(&place),
                       PLACE_COLUMNS < room / 2 ? PLACE_COLUMNS : room / 2);
    size_t place_columns = text_columns(text_string(&shown_place));
    size_t for_name = place_columns ? room - place_columns - 2 : room;
    bool of_mpi = path_region(report->tree, path)->kind == REGION_MPI;
    text_add(&report->text, report->palette->begin[of_mpi ? STYLE_MPI : STYLE_TITLE]);
    text_add_shortened(&report->text, text_string(&name), for_name);
    text_free(&name);
    text_add(&report->text, report->palette->end);
    if (place_columns)
        text_addf(&report->text, "  %s", text_string(&shown_place));
    text_add(&report->text, "\n");
    uint32_t parent = report->tree->paths[path].parent;
    if (parent != SUMMARY_NONE && parent != 0)
        add_callers(report, parent, row->keep, column);
    text_free(&place);
    text_free(&shown_place);
}

void path_row_add(struct report *report, const struct path_row *row, size_t column)
{
    const enum name_form names = report->names;
    if (row->is_twin && names == NAMES_BRIEF)
        report->names = NAMES_WITH_TEMPLATES;
    if (row->is_unsampled) {
        text_add(&report->text, UNSAMPLED_NAME "\n");
        add_callers(report, row->path, row->keep, column);
    } else {
        add_path(report, row, column);
    }
    report->names = names;
}

/* A row and what it looks like. */
struct look {
    struct text text;
    struct path_row *row;
};

static int compare_looks(const void *a, const void *b)
{
    const struct look *left = a, *right = b;
    return strcmp(text_string(&left->text), text_string(&right->text));
}

typedef void look_at(struct report *report, const struct path_row *row, size_t column,
                     struct text *text);

/* All of it with the names of the report. */
static void look_at_path(struct report *report, const struct path_row *row, size_t column,
                         struct text *text)
{
    (void)column;
    path_add_frames(report->tree, row->path, report->names, SIZE_MAX, text);
}

/* What is shown. */
static void look_at_row(struct report *report, const struct path_row *row, size_t column,
                        struct text *text)
{
    const struct text before = report->text;
    report->text = *text;
    path_row_add(report, row, column);
    *text = report->text;
    report->text = before;
}

/* The rows, those that look the same beside each other; for free_looks. */
static struct look *make_looks(struct report *report, struct path_row **rows, size_t count,
                               size_t column, look_at *look)
{
    struct look *looks = allocate(count + 1, sizeof *looks);
    for (size_t i = 0; i < count; i++) {
        looks[i].row = rows[i];
        look(report, rows[i], column, &looks[i].text);
    }
    qsort(looks, count, sizeof *looks, compare_looks);
    return looks;
}

static void free_looks(struct look *looks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        text_free(&looks[i].text);
    free(looks);
}

/* How many of the COUNT looks, from the first on, are the same. */
static size_t count_same(const struct look *looks, size_t count)
{
    size_t same = 1;
    while (same < count && compare_looks(&looks[0], &looks[same]) == 0)
        same++;
    return same;
}

static size_t depth_of(const struct path_tree *tree, uint32_t path)
{
    size_t depth = 0;
    for (; path != 0; path = tree->paths[path].parent)
        depth++;
    return depth;
}

/* The call paths that a row's begins with, by their number of frames, itself the last. */
struct line_up {
    uint32_t *paths;
    size_t depth;
};

static struct line_up line_up(const struct path_tree *tree, uint32_t path)
{
    struct line_up line = {NULL, depth_of(tree, path)};
    line.paths = allocate(line.depth + 1, sizeof *line.paths);
    for (size_t at = line.depth; at > 0; at--, path = tree->paths[path].parent)
        line.paths[at] = path;
    return line;
}

/* How many names COUNT paths have as their frame number DEPTH. */
static size_t count_names(const struct report *report, const struct line_up *lines,
                          enum name_form form, size_t count, size_t depth)
{
    struct look *names = allocate(count, sizeof *names);
    size_t distinct = 0;
    for (size_t i = 0; i < count; i++)
        if (depth <= lines[i].depth)
            path_add_name(report->tree, lines[i].paths[depth], form, &names[i].text);
    qsort(names, count, sizeof *names, compare_looks);
    for (size_t i = 0; i < count; i += count_same(names + i, count - i))
        distinct++;
    free_looks(names, count);
    return distinct;
}

/* Has the rows of COUNT looks, which are the same, keep the frame in which most of them differ,
 * the first if there are several. */
static void keep_difference(const struct report *report, const struct look *looks, size_t count)
{
    const enum name_form form = report->names == NAMES_BRIEF && looks[0].row->is_twin
                                    ? NAMES_WITH_TEMPLATES
                                    : report->names;
    struct line_up *lines = allocate(count, sizeof *lines);
    size_t deepest = 0, best = 0, most = 1;
    for (size_t i = 0; i < count; i++) {
        lines[i] = line_up(report->tree, looks[i].row->path);
        deepest = lines[i].depth > deepest ? lines[i].depth : deepest;
    }
    for (size_t depth = 1; depth <= deepest && most < count; depth++) {
        const size_t distinct = count_names(report, lines, form, count, depth);
        if (distinct > most)
            most = distinct, best = depth;
    }
    for (size_t i = 0; i < count; i++) {
        if (best > 0)
            looks[i].row->keep = best <= lines[i].depth ? lines[i].paths[best] : SUMMARY_NONE;
        free(lines[i].paths);
    }
    free(lines);
}

void path_rows_tell_apart(struct report *report, struct path_row **rows, size_t count,
                          size_t column)
{
    for (size_t i = 0; i < count; i++)
        rows[i]->is_twin = false, rows[i]->keep = SUMMARY_NONE;
    struct look *looks = make_looks(report, rows, count, column, look_at_path);
    for (size_t i = 0, same; i < count; i += same) {
        same = count_same(looks + i, count - i);
        for (size_t k = i; k < i + same && same > 1; k++)
            looks[k].row->is_twin = true;
    }
    free_looks(looks, count);
    looks = make_looks(report, rows, count, column, look_at_row);
    for (size_t i = 0, same; i < count; i += same) {
        same = count_same(looks + i, count - i);
        if (same > 1)
            keep_difference(report, looks + i, same);
    }
    free_looks(looks, count);
}
