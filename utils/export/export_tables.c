/* tsprof export: tables for scripts.  Their columns are an interface and never change. */
#include "export/export_rows.h"

#include <stdlib.h>
#include <string.h>

bool *exported_metrics(const struct rows *rows)
{
    const struct summary *summary = rows->summary;
    bool *metrics = metrics_in_use(summary);
    for (size_t m = 0; m < summary->metric_count && rows->selection->metrics; m++)
        metrics[m] = rows->selection->metrics[m];
    return metrics;
}

void export_path(struct rows *rows, const struct path_tree *tree, uint32_t path)
{
    size_t count;
    if (rows->numbers) {
        table_count(&rows->table, rows->numbers->of_node[tree->paths[path].node]);
        return;
    }
    const char **names = path_names(tree, path, &count);
    table_texts(&rows->table, names, count, ";");
    free(names);
}

/* Calls WRITE for every selected phase and iteration, and every selected rank. */
static void for_each_iteration(struct rows *rows, void *context,
                               void (*write)(struct rows *rows, void *context, uint32_t phase,
                                             uint64_t iteration, const struct rank_group *rank))
{
    const struct selection *selection = rows->selection;
    for (uint32_t p = 0; p < rows->summary->phase_count; p++) {
        if (!selection->phases[p])
            continue;
        uint64_t end = selection_iterations(selection, p);
        for (uint64_t i = selection->iterations.first;
             i < end && i <= selection->iterations.last; i++)
            for (size_t r = 0; r < selection->rank_count; r++)
                if (!rows->sampling || sampling_takes(rows->sampling))
                    write(rows, context, p, i, &selection->ranks[r]);
    }
}

static void write_keys(struct rows *rows, uint32_t phase, uint64_t iteration, uint32_t rank)
{
    table_text(&rows->table, rows->summary->phases[phase].name);
    table_count(&rows->table, iteration);
    table_count(&rows->table, rank);
}

struct totals_context {
    bool *metrics;
    long double *values;
};

static void write_totals(struct rows *rows, void *context, uint32_t phase, uint64_t iteration,
                         const struct rank_group *rank)
{
    const struct totals_context *totals = context;
    if (!iteration_totals(rows->summary, rank, phase, iteration, totals->values))
        return;
    for (size_t m = 0; m < rows->summary->metric_count; m++) {
        if (!totals->metrics[m])
            continue;
        write_keys(rows, phase, iteration, rank->rank);
        table_text(&rows->table, rows->summary->metrics[m].name);
        table_value(&rows->table, totals->values[m]);
        table_end_row(&rows->table);
    }
}

static void write_all_iterations(struct rows *rows)
{
    struct totals_context totals = {
        exported_metrics(rows), allocate(rows->summary->metric_count, sizeof *totals.values)};
    for_each_iteration(rows, &totals, write_totals);
    free(totals.metrics);
    free(totals.values);
}

struct callpath_context {
    struct path_tree *tree;
    struct path_values *values;
    bool *metrics;
};

/* What comes after phase, iteration and rank in a row. */
static void write_path_value(struct rows *rows, const struct callpath_context *callpaths,
                             uint32_t path, uint32_t metric)
{
    export_path(rows, callpaths->tree, path);
    table_text(&rows->table, rows->summary->metrics[metric].name);
    table_value(&rows->table, path_value(callpaths->values, path, metric));
    table_end_row(&rows->table);
}

/* Phase and iteration are empty for NULL. */
static void write_path_rows(struct rows *rows, const struct callpath_context *callpaths,
                            const uint32_t *phase, uint64_t iteration, uint32_t rank)
{
    path_values_sort(callpaths->values);
    for (size_t i = 0; i < callpaths->values->count; i++) {
        uint32_t path = callpaths->values->list[i];
        for (uint32_t m = 0; m < rows->summary->metric_count; m++) {
            if (!callpaths->metrics[m] || path_value(callpaths->values, path, m) == 0)
                continue;
            if (phase) {
                write_keys(rows, *phase, iteration, rank);
            } else {
                table_empty(&rows->table);
                table_empty(&rows->table);
                table_count(&rows->table, rank);
            }
            write_path_value(rows, callpaths, path, m);
        }
    }
}

static void write_callpaths(struct rows *rows, void *context, uint32_t phase,
                            uint64_t iteration, const struct rank_group *rank)
{
    const struct callpath_context *callpaths = context;
    if (iteration_paths(rank, phase, iteration, METRICS_INCLUSIVE, callpaths->values))
        write_path_rows(rows, callpaths, &phase, iteration, rank->rank);
}

static void write_whole_runs(struct rows *rows, const struct callpath_context *callpaths)
{
    for (size_t r = 0; r < rows->selection->rank_count; r++) {
        const struct rank_group *rank = &rows->selection->ranks[r];
        path_values_clear(callpaths->values);
        for (size_t i = 0; i < rank->count; i++)
            path_values_add(callpaths->values, &rows->summary->locations[rank->first + i].whole,
                            1, METRICS_INCLUSIVE);
        write_path_rows(rows, callpaths, NULL, 0, rank->rank);
    }
}

static void write_all_callpaths(struct rows *rows)
{
    struct callpath_context callpaths = {.tree = path_tree_build(rows->summary)};
    callpaths.values = path_values_create(callpaths.tree);
    callpaths.metrics = exported_metrics(rows);
    if (rows->options->total)
        write_whole_runs(rows, &callpaths);
    else
        for_each_iteration(rows, &callpaths, write_callpaths);
    free(callpaths.metrics);
    path_values_free(callpaths.values);
    path_tree_free(callpaths.tree);
}

static void write_cluster(struct rows *rows, uint32_t phase, uint32_t rank,
                          const struct series *series, uint64_t iteration)
{
    uint32_t cluster = series_cluster(series, iteration);
    table_text(&rows->table, rows->summary->phases[phase].name);
    table_count(&rows->table, rank);
    table_count(&rows->table, iteration);
    if (cluster == SUMMARY_NONE) {
        table_empty(&rows->table);
        table_empty(&rows->table);
    } else {
        table_count(&rows->table, cluster);
        table_count(&rows->table, series->clusters[cluster].class_id);
    }
    table_end_row(&rows->table);
}

static void write_all_clusters(struct rows *rows)
{
    const struct selection *selection = rows->selection;
    for (uint32_t p = 0; p < rows->summary->phase_count; p++)
        for (size_t r = 0; r < selection->rank_count && selection->phases[p]; r++) {
            const struct rank_group *rank = &selection->ranks[r];
            const struct series *series = rank_series(rows->summary, rank, p);
            uint64_t end = series ? series->iterations : 0;
            for (uint64_t i = selection->iterations.first;
                 i < end && i <= selection->iterations.last; i++)
                write_cluster(rows, p, rank->rank, series, i);
        }
}

static void write_largest(struct rows *rows, const struct path_tree *tree, uint32_t phase,
                          const struct location *location, const struct largest *largest)
{
    write_keys(rows, phase, largest->iteration, location->rank);
    table_count(&rows->table, location->thread);
    export_path(rows, tree, largest->node);
    table_text(&rows->table, rows->summary->metrics[largest->metric].name);
    table_value(&rows->table, shown_value(rows->summary, largest->metric, largest->value, 1));
    table_end_row(&rows->table);
}

static void write_all_largest(struct rows *rows)
{
    const struct selection *selection = rows->selection;
    struct path_tree *tree = path_tree_of_nodes(rows->summary);
    bool *metrics = exported_metrics(rows);
    for (uint32_t p = 0; p < rows->summary->phase_count; p++)
        for (size_t r = 0; r < selection->rank_count && selection->phases[p]; r++)
            for (size_t i = 0; i < selection->ranks[r].count; i++) {
                const struct location *location =
                    &rows->summary->locations[selection->ranks[r].first + i];
                const struct series *series = location_series(location, p);
                for (size_t k = 0; series && k < series->largest_count; k++)
                    if (metrics[series->largest[k].metric] &&
                        series->largest[k].iteration >= selection->iterations.first &&
                        series->largest[k].iteration <= selection->iterations.last)
                        write_largest(rows, tree, p, location, &series->largest[k]);
            }
    free(metrics);
    path_tree_free(tree);
}

struct presence_context {
    struct path_tree *tree;
    struct path_values *values;
    struct presence *shares; /* by path */
};

static void write_presence(struct rows *rows, void *context, uint32_t phase, uint64_t iteration,
                           const struct rank_group *rank)
{
    const struct presence_context *presence = context;
    if (!iteration_paths(rank, phase, iteration, METRICS_EXCLUSIVE, presence->values))
        return;
    iteration_presence(presence->tree, rank, phase, iteration, presence->shares);
    path_values_sort(presence->values);
    for (size_t i = 0; i < presence->values->count; i++) {
        const uint32_t path = presence->values->list[i];
        const struct presence share = presence->shares[path];
        if (share.least >= 1)
            continue;
        write_keys(rows, phase, iteration, rank->rank);
        export_path(rows, presence->tree, path);
        table_value(&rows->table, share.least);
        table_value(&rows->table, share.most);
        table_end_row(&rows->table);
    }
}

static void write_all_presence(struct rows *rows)
{
    struct presence_context presence = {.tree = path_tree_build(rows->summary)};
    presence.values = path_values_create(presence.tree);
    presence.shares = allocate(presence.tree->count, sizeof *presence.shares);
    for_each_iteration(rows, &presence, write_presence);
    free(presence.shares);
    path_values_free(presence.values);
    path_tree_free(presence.tree);
}

static void write_all_regions(struct rows *rows)
{
    static const char *const kinds[] = {[REGION_FUNCTION] = "function",
                                        [REGION_MPI] = "mpi",
                                        [REGION_PHASE] = "phase",
                                        [REGION_ARTIFICIAL] = "artificial"};
    const struct summary *summary = rows->summary;
    for (size_t i = 0; i < summary->region_count; i++) {
        const struct region_entry *region = &summary->regions[i];
        table_text(&rows->table, region->name);
        table_text(&rows->table, kinds[region->kind]);
        table_text(&rows->table, region->file);
        if (region->line)
            table_count(&rows->table, region->line);
        else
            table_empty(&rows->table);
        table_text(&rows->table,
                   region->module == SUMMARY_NONE ? "" : summary->modules[region->module].path);
        table_text(&rows->table, region->group);
        table_end_row(&rows->table);
    }
}

/* "0 2 1": where a member of a grid is; empty for a graph. */
static void write_coordinates(struct rows *rows, const struct topology *topology,
                              uint64_t member)
{
    uint64_t *coordinates = allocate(topology->dimension_count, sizeof *coordinates);
    for (size_t d = 0; d < topology->dimension_count; d++)
        coordinates[d] = topology_coordinate(topology, member, d);
    table_counts(&rows->table, coordinates, topology->dimension_count, " ");
    free(coordinates);
}

static void write_member(struct rows *rows, size_t number, const struct topology_member *member)
{
    static const char *const kinds[] = {[TOPOLOGY_CARTESIAN] = "cartesian",
                                        [TOPOLOGY_GRAPH] = "graph",
                                        [TOPOLOGY_DISTRIBUTED] = "distributed"};
    const struct topology *topology = &rows->summary->topologies.items[number];
    table_count(&rows->table, number);
    table_text(&rows->table, topology->name);
    table_text(&rows->table, kinds[topology->kind]);
    table_count(&rows->table, member->member);
    table_count(&rows->table, member->rank);
    write_coordinates(rows, topology, member->member);
    table_end_row(&rows->table);
}

static void write_all_topologies(struct rows *rows)
{
    const struct selection *selection = rows->selection;
    const struct topology_list *list = &rows->summary->topologies;
    uint32_t *ranks = allocate(selection->rank_count, sizeof *ranks);
    for (size_t r = 0; r < selection->rank_count; r++)
        ranks[r] = selection->ranks[r].rank;
    for (size_t i = 0; i < list->count; i++) {
        size_t found;
        struct topology_member *members =
            topology_members(&list->items[i], ranks, selection->rank_count, &found);
        for (size_t m = 0; m < found; m++)
            write_member(rows, i, &members[m]);
        free(members);
    }
    free(ranks);
}

static const struct table_kind kinds[] = {
    {"iterations", "phase,iteration,rank,metric,value", write_all_iterations,
     "--iteration, --rank and --metric choose less"},
    {"callpaths", "phase,iteration,rank,callpath,metric,value", write_all_callpaths,
     "--iteration, --rank and --metric choose less, --total the whole run, and --paths "
     "numbered does not repeat call paths"},
    {"paths", "callpath,parent,region,file,line", export_paths, NULL},
    {"functions", "function,rank,metric,self,total,largest", export_functions, NULL},
    {"callers", "callers,rank,metric,self,total", export_callers, NULL},
    {"clusters", "phase,rank,iteration,cluster,class", write_all_clusters, NULL},
    {"largest", "phase,iteration,rank,thread,callpath,metric,value", write_all_largest, NULL},
    {"presence", "phase,iteration,rank,callpath,least,most", write_all_presence,
     "--iteration and --rank choose less, and --paths numbered does not repeat call paths"},
    {"regions", "region,kind,file,line,module,group", write_all_regions, NULL},
    {"topologies", "topology,name,kind,member,rank,coordinates", write_all_topologies, NULL},
    {"waits", "rank,thread,callpath,metric,cause_rank,cause_thread,count,time,longest",
     export_waits, NULL},
    {"causes", "rank,thread,callpath,metric,cause_rank,cause_thread,cause,indirect,time",
     export_causes, NULL},
    {"instances",
     "metric,rank,thread,phase,iteration,callpath,begin,time,cause_rank,cause_thread,cause,"
     "cause_begin",
     export_instances, NULL},
};

/* The kind called NAME; NULL if there is none. */
static const struct table_kind *find_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(name, kinds[i].name) == 0)
            return &kinds[i];
    return NULL;
}

bool export_has_table(const char *what)
{
    return find_kind(what) != NULL;
}

static int export_table(const struct export *export, enum table_notation notation)
{
    const struct table_kind *kind = find_kind(export->options->what);
    struct rows rows = {
        .summary = export->summary, .options = export->options, .selection = export->selection};
    struct output_file output;
    struct error error;
    if (export->options->force)
        output_make_way(export->options->output, export->summary->path);
    if (!output_open(&output, export->options->output, export->summary->path, &error)) {
        complain("%s", error.text);
        return EXIT_DATA;
    }
    struct path_tree *numbers =
        export->options->numbered ? path_tree_build(export->summary) : NULL;
    rows.numbers = numbers;
    export_say_size(&rows, kind, notation);
    table_begin(&rows.table, output.stream, notation, kind->name, kind->columns);
    kind->write(&rows);
    table_end(&rows.table);
    path_tree_free(numbers);
    if (output_close(&output, &error))
        return rows.failed ? EXIT_USAGE : EXIT_DONE;
    complain("%s", error.text);
    return EXIT_DATA;
}

int export_csv(const struct export *export)
{
    return export_table(export, TABLE_CSV);
}

int export_json(const struct export *export)
{
    return export_table(export, TABLE_JSON);
}
