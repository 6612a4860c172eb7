/* Joining call-tree nodes by name, and values by call path.  See paths.h. */
#include "query/paths.h"

#include "base/base.h"
#include "query/frames.h"
#include "query/sums.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A call path that is looked for in a tree. */
struct path_key {
    const struct path_tree *tree;
    struct call_path path;
};

static bool is_same_path(const void *context, uint32_t path)
{
    const struct path_key *key = context;
    const struct call_path *other = &key->tree->paths[path];
    return other->parent == key->path.parent && other->line == key->path.line &&
           strcmp(other->name, key->path.name) == 0;
}

/* The number of PATH in TREE; adds it if it is not there yet. */
static uint32_t find_or_add(struct path_tree *tree, const struct index *index,
                            struct call_path path)
{
    struct path_key key = {tree, path};
    uint64_t hash = index_hash_number(index_hash_number(INDEX_HASH, path.parent), path.line);
    uint32_t *slot = index_slot(index, index_hash_text(hash, path.name), is_same_path, &key);
    if (*slot == 0) {
        tree->paths[tree->count] = path;
        *slot = (uint32_t)++tree->count;
    }
    return *slot - 1;
}

static struct path_tree *build(const struct summary *summary, bool by_line)
{
    struct path_tree *tree = allocate(1, sizeof *tree);
    struct index index = {0};
    reserve_index(&index, summary->node_count);
    tree->summary = summary;
    tree->paths = allocate(summary->node_count, sizeof *tree->paths);
    tree->of_node = allocate(summary->node_count, sizeof *tree->of_node);
    for (size_t i = 0; i < summary->node_count; i++) {
        const struct call_node *node = &summary->nodes[i];
        const char *name = summary->regions[node->region].name;
        uint32_t parent = i ? tree->of_node[node->parent] : SUMMARY_NONE;
        uint64_t line = by_line ? node->line : 0;
        tree->of_node[i] =
            find_or_add(tree, &index, (struct call_path){parent, (uint32_t)i, name, line});
    }
    index_free(&index);
    return tree;
}

struct path_tree *path_tree_build(const struct summary *summary)
{
    return build(summary, false);
}

struct path_tree *path_tree_build_by_line(const struct summary *summary)
{
    return build(summary, true);
}

struct path_tree *path_tree_of_nodes(const struct summary *summary)
{
    struct path_tree *tree = allocate(1, sizeof *tree);
    tree->summary = summary;
    tree->count = summary->node_count;
    tree->paths = allocate(summary->node_count, sizeof *tree->paths);
    tree->of_node = allocate(summary->node_count, sizeof *tree->of_node);
    for (uint32_t i = 0; i < summary->node_count; i++) {
        const struct call_node *node = &summary->nodes[i];
        tree->paths[i] = (struct call_path){node->parent, i,
                                            summary->regions[node->region].name, node->line};
        tree->of_node[i] = i;
    }
    return tree;
}

bool path_is_in_openmp(const struct path_tree *tree, uint32_t path)
{
    return tree->summary->in_openmp && tree->summary->in_openmp[tree->paths[path].node];
}

uint32_t path_outside_openmp(const struct path_tree *tree, uint32_t path)
{
    while (path != 0 && path_is_in_openmp(tree, path))
        path = tree->paths[path].parent;
    return path;
}

void path_tree_free(struct path_tree *tree)
{
    if (!tree)
        return;
    free(tree->paths);
    free(tree->of_node);
    free(tree);
}

const char **path_names(const struct path_tree *tree, uint32_t path, size_t *count)
{
    size_t depth = 0;
    for (uint32_t at = path; at != 0; at = tree->paths[at].parent)
        depth++;
    *count = depth ? depth : 1;
    const char **names = allocate(*count, sizeof *names);
    names[0] = tree->paths[0].name;
    for (uint32_t at = path; at != 0; at = tree->paths[at].parent)
        names[--depth] = tree->paths[at].name;
    return names;
}

void path_add_text(const struct path_tree *tree, uint32_t path, const char *separator,
                   struct text *text)
{
    size_t count;
    const char **names = path_names(tree, path, &count);
    for (size_t i = 0; i < count; i++) {
        text_add(text, i ? separator : "");
        text_add(text, names[i]);
    }
    free(names);
}

const struct region_entry *path_region(const struct path_tree *tree, uint32_t path)
{
    return &tree->summary->regions[tree->summary->nodes[tree->paths[path].node].region];
}

const char *path_place(const struct path_tree *tree, uint32_t path, uint64_t *line)
{
    const struct region_entry *region = path_region(tree, path);
    *line = region->line;
    if (region->kind == REGION_MPI && path != 0) {
        region = path_region(tree, tree->paths[path].parent);
        *line = tree->summary->nodes[tree->paths[path].node].line;
    }
    *line = region->file[0] ? *line : 0;
    return region->file;
}

void path_add_place(const struct path_tree *tree, uint32_t path, struct text *text)
{
    uint64_t line;
    text_add(text, base_name(path_place(tree, path, &line)));
    if (line)
        text_addf(text, ":%" PRIu64, line);
}

void path_add_function(const struct path_tree *tree, uint32_t path, struct text *text)
{
    struct text place = {0};
    path_add_name(tree, path, NAMES_BRIEF, text);
    path_add_place(tree, path, &place);
    if (place.length > 0)
        text_addf(text, " (%s)", text_string(&place));
    text_free(&place);
}

struct path_values *path_values_create(const struct path_tree *tree)
{
    struct path_values *values = allocate(1, sizeof *values);
    values->tree = tree;
    values->metric_count = tree->summary->metric_count;
    values->divisor = 1;
    values->sums = allocate(tree->count * values->metric_count, sizeof *values->sums);
    values->touched = allocate(tree->count, sizeof *values->touched);
    values->list = allocate(tree->count, sizeof *values->list);
    return values;
}

void path_values_free(struct path_values *values)
{
    if (!values)
        return;
    free(values->sums);
    free(values->touched);
    free(values->list);
    free(values);
}

static long double *row(const struct path_values *values, uint32_t path)
{
    return values->sums + (size_t)path * values->metric_count;
}

void path_values_clear(struct path_values *values)
{
    for (size_t i = 0; i < values->count; i++) {
        uint32_t path = values->list[i];
        values->touched[path] = false;
        for (size_t m = 0; m < values->metric_count; m++)
            row(values, path)[m] = 0;
    }
    values->count = 0;
    values->divisor = 1;
}

void path_values_touch(struct path_values *values, uint32_t path)
{
    if (values->touched[path])
        return;
    values->touched[path] = true;
    values->list[values->count++] = path;
}

void path_values_add_mapped(struct path_values *values, const struct profile *profile,
                            const struct path_map *map, uint64_t times, uint64_t count,
                            enum metric_sums sums)
{
    const struct summary *summary = values->tree->summary;
    for (size_t i = 0; i < profile->count; i++) {
        const struct cell *cell = &profile->cells[i];
        uint32_t path = map ? map->path_of[cell->node] : values->tree->of_node[cell->node];
        long double value = (long double)cell->value;
        /* Without a division nothing is rounded. */
        if (times != count)
            value = value * (long double)times / (long double)count;
        if (map)
            value *= map->factors[cell->metric];
        path_values_touch(values, path);
        for (uint32_t m = map ? map->metric_of[cell->metric] : cell->metric; m != SUMMARY_NONE;
             m = summary->metrics[m].parent) {
            row(values, path)[m] += value;
            if (sums == METRICS_EXCLUSIVE)
                break;
        }
    }
}

void path_values_add(struct path_values *values, const struct profile *profile, uint64_t count,
                     enum metric_sums sums)
{
    path_values_add_mapped(values, profile, NULL, 1, count, sums);
}

void path_values_combine(struct path_values *values, const struct path_values *more, int sign)
{
    for (size_t i = 0; i < more->count; i++)
        path_values_touch(values, more->list[i]);
    for (size_t i = 0; i < values->count; i++) {
        uint32_t path = values->list[i];
        for (size_t m = 0; m < values->metric_count; m++)
            row(values, path)[m] = row(values, path)[m] / (long double)values->divisor +
                                   sign * (row(more, path)[m] / (long double)more->divisor);
    }
    values->divisor = 1;
}

static int compare_paths(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

void path_values_sort(struct path_values *values)
{
    qsort(values->list, values->count, sizeof *values->list, compare_paths);
}

long double path_value(const struct path_values *values, uint32_t path, uint32_t metric)
{
    return shown_value(values->tree->summary, metric, row(values, path)[metric],
                       values->divisor);
}
