/* See waiting.h. */
#include "report/waiting.h"

#include <stdlib.h>
#include <string.h>

void waiting_add_place(struct text *line, const struct waiting *waiting, uint32_t location)
{
    if (location == SUMMARY_NONE)
        text_add(line, "somebody unknown");
    else
        place_add_name(line, &waiting->report->summary->locations[location]);
}

void waiting_add_time(struct text *line, long double ns)
{
    char shown[QUANTITY_SIZE];
    text_add(line, format_quantity(shown, ns / 1e9L, "s"));
}

void waiting_add_share(struct text *line, long double part, long double whole)
{
    char shown[QUANTITY_SIZE];
    text_addf(line, "%s %%", format_percent(shown, part, whole));
}

void waiting_add_sentence(struct report *report, struct text *line)
{
    text_add(&report->text, "  ");
    text_add_wrapped(&report->text, text_string(line), 2, 4, report->columns);
    text_clear(line);
}

/* Longer names are those of C++ templates. */
enum { NAME_COLUMNS = 64 };

static bool have_one_name(const struct path_tree *tree, uint32_t one, uint32_t other)
{
    return strcmp(path_region(tree, one)->name, path_region(tree, other)->name) == 0;
}

/*
 * Whether what is told of two paths, which are not the root, is the same: the function, where
 * it is, and of MPI the function that calls it.
 */
static bool read_alike(const struct path_tree *tree, uint32_t one, uint32_t other)
{
    uint64_t line, other_line;
    const char *file = path_place(tree, one, &line),
               *other_file = path_place(tree, other, &other_line);
    return have_one_name(tree, one, other) && line == other_line &&
           strcmp(file, other_file) == 0 &&
           (path_region(tree, one)->kind != REGION_MPI ||
            have_one_name(tree, tree->paths[one].parent, tree->paths[other].parent));
}

/*
 * The function on PATH, further out than what is told of it, that is the nearest by which it
 * differs from a path of which the same is told; SUMMARY_NONE if there is none.
 */
static uint32_t find_difference(const struct path_tree *tree, uint32_t path)
{
    uint32_t found = SUMMARY_NONE;
    for (uint32_t other = 1; path != 0 && other < tree->count; other++) {
        if (other == path || !read_alike(tree, path, other))
            continue;
        uint32_t at = tree->paths[path].parent, beside = tree->paths[other].parent;
        while (at != beside && at != 0 && beside != 0 && have_one_name(tree, at, beside)) {
            at = tree->paths[at].parent;
            beside = tree->paths[beside].parent;
        }
        /* Further in is further down the list. */
        if (at != beside && at != 0 && (found == SUMMARY_NONE || at > found))
            found = at;
    }
    return found;
}

static void add_name(struct text *line, const struct path_tree *tree, uint32_t path)
{
    struct text name = {0};
    path_add_name(tree, path, NAMES_BRIEF, &name);
    text_add_shortened(line, text_string(&name), NAME_COLUMNS);
    text_free(&name);
}

void waiting_add_function(struct text *line, const struct path_tree *tree, uint32_t path)
{
    const uint32_t parent = tree->paths[path].parent;
    struct text place = {0};
    add_name(line, tree, path);
    if (path_region(tree, path)->kind == REGION_MPI && parent != SUMMARY_NONE && parent != 0) {
        text_add(line, " in ");
        add_name(line, tree, parent);
    }
    path_add_place(tree, path, &place);
    if (place.length) {
        text_add(line, " (");
        text_add_escaped(line, text_string(&place));
        text_add(line, ")");
    }
    text_free(&place);
    const uint32_t below = find_difference(tree, path);
    if (below != SUMMARY_NONE) {
        text_add(line, " below ");
        add_name(line, tree, below);
    }
}

void waiting_add_node(struct text *line, const struct waiting *waiting, uint32_t node)
{
    const struct path_tree *tree = waiting->report->tree;
    text_add(line, "in ");
    waiting_add_function(line, tree, tree->of_node[node]);
}

size_t waiting_rows(const struct report *report, size_t usual)
{
    return report->top ? report->top : usual;
}

long double waiting_total(const struct report *report, const char *name)
{
    const struct summary *summary = report->summary;
    const uint32_t metric = summary_metric(summary, name);
    int64_t *sums = allocate(summary->metric_count, sizeof *sums);
    long double all = 0;
    for (size_t i = 0; metric != SUMMARY_NONE && i < summary->location_count; i++)
        if (selection_has(report->selection, i))
            profile_add_sums(&summary->locations[i].whole, sums);
    for (uint32_t m = 0; metric != SUMMARY_NONE && m < summary->metric_count; m++) {
        uint32_t at = m;
        while (at != metric && at != SUMMARY_NONE)
            at = summary->metrics[at].parent;
        all += at == metric ? (long double)sums[m] : 0;
    }
    free(sums);
    return all;
}
