/* The table of functions by those that call them, bottom up.  See export_rows.h. */
#include "common/index.h"
#include "export/export_rows.h"

#include <stdlib.h>

/*
 * Chains of callers: a function, the one that calls it, and so on.  A chain is the one without
 * its last caller and that caller; chains that begin alike share what they begin with.
 */
struct chain {
    uint32_t without_last; /* SUMMARY_NONE: it is a function alone */
    uint32_t function;     /* the last caller */
};

struct chains {
    const struct function_list *functions;
    struct chain *items; /* each after the one without its last caller */
    size_t count, room;
    uint32_t *longest; /* by path: the chain that leads up to below the root */
    bool *is_outer;    /* by path: its function is not among those that call it */
    struct index index;
};

struct chain_key {
    const struct chains *chains;
    struct chain chain;
};

static bool is_same_chain(const void *context, uint32_t number)
{
    const struct chain_key *key = context;
    const struct chain *chain = &key->chains->items[number];
    return chain->without_last == key->chain.without_last &&
           chain->function == key->chain.function;
}

static uint32_t find_or_add(struct chains *chains, struct chain chain)
{
    const struct chain_key key = {chains, chain};
    const uint64_t hash =
        index_hash_number(index_hash_number(INDEX_HASH, chain.without_last), chain.function);
    /* Paths share most of their chains: room grows with those that there are. */
    reserve_index(&chains->index, chains->count + 1);
    uint32_t *slot = index_slot(&chains->index, hash, is_same_chain, &key);
    if (*slot == 0) {
        chains->items =
            grow_list(chains->items, chains->count, &chains->room, sizeof *chains->items);
        chains->items[chains->count] = chain;
        *slot = (uint32_t)++chains->count;
    }
    return *slot - 1;
}

static void add_path(struct chains *chains, uint32_t path)
{
    const struct path_tree *tree = chains->functions->tree;
    const uint32_t function = chains->functions->of_path[path];
    uint32_t at = SUMMARY_NONE;
    chains->is_outer[path] = true;
    for (uint32_t up = path; up != 0; up = tree->paths[up].parent) {
        const uint32_t caller = chains->functions->of_path[up];
        at = find_or_add(chains, (struct chain){at, caller});
        if (up != path && caller == function)
            chains->is_outer[path] = false;
    }
    chains->longest[path] = at;
}

static struct chains make_chains(const struct function_list *functions)
{
    const struct path_tree *tree = functions->tree;
    struct chains chains = {.functions = functions,
                            .longest = allocate(tree->count, sizeof *chains.longest),
                            .is_outer = allocate(tree->count, sizeof *chains.is_outer)};
    for (uint32_t path = 1; path < tree->count; path++)
        add_path(&chains, path);
    return chains;
}

static void free_chains(struct chains *chains)
{
    free(chains->items);
    free(chains->longest);
    free(chains->is_outer);
    index_free(&chains->index);
}

/* Adds VALUE to all that CHAIN begins with, and itself. */
static void add_along(const struct chains *chains, uint32_t chain, long double value,
                      long double *sums)
{
    for (; chain != SUMMARY_NONE; chain = chains->items[chain].without_last)
        sums[chain] += value;
}

/* Replaces SELF and WITH, by chain, by the values of METRIC. */
static void add_up(const struct chains *chains, const struct path_values *values,
                   uint32_t metric, long double *self, long double *with)
{
    const struct path_tree *tree = chains->functions->tree;
    long double *inclusive = allocate(tree->count, sizeof *inclusive);
    for (size_t i = 0; i < chains->count; i++)
        self[i] = with[i] = 0;
    for (uint32_t path = (uint32_t)tree->count; path-- > 1;) {
        const long double own = path_value(values, path, metric);
        inclusive[path] += own;
        inclusive[tree->paths[path].parent] += inclusive[path];
        if (own != 0)
            add_along(chains, chains->longest[path], own, self);
        if (inclusive[path] != 0 && chains->is_outer[path])
            add_along(chains, chains->longest[path], inclusive[path], with);
    }
    free(inclusive);
}

/* A field with the names of CHAIN, those of callers after what they call. */
static void write_chain(struct rows *rows, const struct chains *chains, uint32_t chain)
{
    size_t count = 0, at;
    for (uint32_t c = chain; c != SUMMARY_NONE; c = chains->items[c].without_last)
        count++;
    const char **names = allocate(count, sizeof *names);
    at = count;
    for (uint32_t c = chain; c != SUMMARY_NONE; c = chains->items[c].without_last)
        names[--at] = chains->functions->items[chains->items[c].function].name;
    table_texts(&rows->table, names, count, ";");
    free(names);
}

static void write_metric(struct rows *rows, const struct chains *chains, uint32_t rank,
                         uint32_t metric, const long double *self, const long double *with)
{
    for (uint32_t chain = 0; chain < chains->count; chain++) {
        if (self[chain] == 0 && with[chain] == 0)
            continue;
        write_chain(rows, chains, chain);
        table_count(&rows->table, rank);
        table_text(&rows->table, rows->summary->metrics[metric].name);
        table_value(&rows->table, self[chain]);
        table_value(&rows->table, with[chain]);
        table_end_row(&rows->table);
    }
}

/* Whether there is any of METRIC: ranks have a few of all that there are. */
static bool has_any(const struct path_values *values, uint32_t metric)
{
    for (size_t i = 0; i < values->count; i++)
        if (path_value(values, values->list[i], metric) != 0)
            return true;
    return false;
}

void export_callers(struct rows *rows)
{
    struct scope scope;
    if (!rows_scope(rows, &scope))
        return;
    struct path_tree *tree = path_tree_build(rows->summary);
    struct function_list *functions = functions_of(tree);
    struct chains chains = make_chains(functions);
    struct path_values *values = path_values_create(tree);
    long double *self = allocate(chains.count + 1, sizeof *self);
    long double *with = allocate(chains.count + 1, sizeof *with);
    bool *metrics = exported_metrics(rows);
    for (size_t r = 0; r < rows->selection->rank_count; r++) {
        rows_add_rank(rows, &scope, &rows->selection->ranks[r], values);
        for (uint32_t m = 0; m < rows->summary->metric_count; m++) {
            if (!metrics[m] || !has_any(values, m))
                continue;
            add_up(&chains, values, m, self, with);
            write_metric(rows, &chains, rows->selection->ranks[r].rank, m, self, with);
        }
    }
    free(metrics);
    free(self);
    free(with);
    path_values_free(values);
    free_chains(&chains);
    functions_free(functions);
    path_tree_free(tree);
}
