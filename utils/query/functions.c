/* See functions.h. */
#include "query/functions.h"

#include "base/base.h"
#include "query/sums.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

struct function_key {
    const struct function_list *functions;
    const char *name;
};

static bool is_same_name(const void *context, uint32_t function)
{
    const struct function_key *key = context;
    return strcmp(key->functions->items[function].name, key->name) == 0;
}

static uint32_t find_or_add(struct function_list *functions, const struct index *index,
                            uint32_t path)
{
    const char *name = functions->tree->paths[path].name;
    struct function_key key = {functions, name};
    uint32_t *slot = index_slot(index, index_hash_text(INDEX_HASH, name), is_same_name, &key);
    if (*slot == 0) {
        functions->items[functions->count] = (struct function_entry){
            name, path, path_region(functions->tree, path)->kind == REGION_MPI};
        *slot = (uint32_t)++functions->count;
    }
    return *slot - 1;
}

struct function_list *functions_of(const struct path_tree *tree)
{
    struct function_list *functions = allocate(1, sizeof *functions);
    struct index index = {0};
    functions->tree = tree;
    functions->items = allocate(tree->count, sizeof *functions->items);
    functions->of_path = allocate(tree->count, sizeof *functions->of_path);
    reserve_index(&index, tree->count);
    for (uint32_t path = 0; path < tree->count; path++)
        functions->of_path[path] = find_or_add(functions, &index, path);
    index_free(&index);
    return functions;
}

void functions_free(struct function_list *functions)
{
    if (!functions)
        return;
    free(functions->items);
    free(functions->of_path);
    free(functions);
}

/* The values of METRIC by path, with what is below them; for the caller to free(). */
static long double *add_up_paths(const struct path_values *values, uint32_t metric)
{
    const struct path_tree *tree = values->tree;
    long double *sums = allocate(tree->count, sizeof *sums);
    for (size_t i = 0; i < values->count; i++)
        sums[values->list[i]] = path_value(values, values->list[i], metric);
    for (uint32_t path = (uint32_t)tree->count; path-- > 1;)
        sums[tree->paths[path].parent] += sums[path];
    return sums;
}

/* Whether no call path above PATH ends in a function of WANTED. */
static bool is_outermost(const struct function_list *functions, const bool *wanted,
                         uint32_t path)
{
    for (path = functions->tree->paths[path].parent; path != 0;
         path = functions->tree->paths[path].parent)
        if (wanted[functions->of_path[path]])
            return false;
    return true;
}

static bool calls_itself(const struct function_list *functions, uint32_t path)
{
    const uint32_t function = functions->of_path[path];
    while (path != 0) {
        path = functions->tree->paths[path].parent;
        if (functions->of_path[path] == function)
            return true;
    }
    return false;
}

void functions_add_up(const struct function_list *functions, const struct path_values *values,
                      uint32_t metric, long double *self, long double *with)
{
    long double *sums = with ? add_up_paths(values, metric) : NULL;
    for (uint32_t path = 0; path < functions->tree->count; path++) {
        const uint32_t function = functions->of_path[path];
        if (self && values->touched[path])
            self[function] += path_value(values, path, metric);
        if (with && sums[path] != 0 && !calls_itself(functions, path))
            with[function] += sums[path];
    }
    free(sums);
}

static uint32_t add_caller(struct caller_tree *callers, uint32_t below, const char *name,
                           uint32_t path)
{
    for (uint32_t at = callers->items[below].first; at != 0; at = callers->items[at].next)
        if (strcmp(callers->items[at].name, name) == 0)
            return at;
    if (callers->count == callers->capacity) {
        callers->capacity *= 2;
        callers->items = reallocate(callers->items, callers->capacity, sizeof *callers->items);
    }
    callers->items[callers->count] =
        (struct caller){.name = name, .path = path, .next = callers->items[below].first};
    callers->items[below].first = (uint32_t)callers->count;
    return (uint32_t)callers->count++;
}

/* Sorts the list of the callers of BELOW: each is taken out and put behind larger ones. */
static void sort_callers(struct caller_tree *callers, uint32_t below)
{
    struct caller *items = callers->items;
    uint32_t rest = items[below].first;
    items[below].first = 0;
    while (rest != 0) {
        const uint32_t one = rest;
        uint32_t *place = &items[below].first;
        rest = items[one].next;
        while (*place != 0 && items[*place].value > items[one].value)
            place = &items[*place].next;
        items[one].next = *place;
        *place = one;
    }
}

struct caller_tree callers_of(const struct function_list *functions, const bool *wanted,
                              const struct path_values *values, uint32_t metric,
                              uint32_t visits)
{
    const struct path_tree *tree = functions->tree;
    struct caller_tree callers = {.count = 1, .capacity = 64};
    callers.items = allocate(callers.capacity, sizeof *callers.items);
    long double *sums = add_up_paths(values, metric);
    for (uint32_t path = 1; path < tree->count; path++) {
        if (!wanted[functions->of_path[path]] || !is_outermost(functions, wanted, path))
            continue;
        const long double count = visits == SUMMARY_NONE ? 0 : path_value(values, path, visits);
        uint32_t at = 0;
        for (uint32_t up = path;; up = tree->paths[up].parent) {
            if (up != path)
                at = add_caller(&callers, at, tree->paths[up].name, up);
            else if (!callers.items[0].name)
                callers.items[0] = (struct caller){.name = tree->paths[up].name, .path = up};
            callers.items[at].value += sums[path];
            callers.items[at].visits += count;
            if (up == 0)
                break;
        }
    }
    for (uint32_t i = 0; i < callers.count; i++)
        sort_callers(&callers, i);
    free(sums);
    return callers;
}

void caller_tree_free(struct caller_tree *callers)
{
    free(callers->items);
}

static bool is_called(const struct function_entry *function, const char *name)
{
    struct text brief = {0};
    text_add_function_name(&brief, function->name, NAMES_BRIEF);
    const bool same =
        strcmp(function->name, name) == 0 || strcmp(text_string(&brief), name) == 0;
    text_free(&brief);
    return same;
}

static bool matches(const struct function_entry *function, const char *pattern)
{
    return fnmatch(pattern, function->name, 0) == 0;
}

bool *functions_find(const struct function_list *functions, const char *name,
                     struct error *error)
{
    bool (*const ways[])(const struct function_entry *, const char *) = {is_called, matches};
    bool *wanted = allocate(functions->count + 1, sizeof *wanted), any = false;
    for (size_t way = 0; way < sizeof ways / sizeof ways[0] && !any; way++)
        for (size_t i = 0; i < functions->count; i++)
            any |= wanted[i] = ways[way](&functions->items[i], name);
    if (any)
        return wanted;
    free(wanted);
    error_set(error, "%s: has no function \"%s\"", functions->tree->summary->path, name);
    return NULL;
}
