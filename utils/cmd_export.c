/* tsprof export: tables for scripts.  Their columns are an interface and never change. */
#include "command.h"
#include "csv.h"
#include "iterations.h"
#include "options.h"
#include "output.h"
#include "subject.h"
#include "sums.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct export
{
    const struct summary *summary;
    const struct options *options;
    const struct selection *selection;
    struct csv csv;
};

struct export_kind {
    const char *name;
    const char *header;
    void (*write)(struct export *export);
};

/* Which metrics have rows: those asked for, or else those that have a value somewhere. */
static bool *exported_metrics(const struct export *export)
{
    const struct summary *summary = export->summary;
    bool *metrics = metrics_in_use(summary);
    for (size_t m = 0; m < summary->metric_count && export->selection->metrics; m++)
        metrics[m] = export->selection->metrics[m];
    return metrics;
}

/* Calls WRITE for every selected phase and iteration, and every selected rank. */
static void for_each_iteration(struct export *export, void *context,
                               void (*write)(struct export *export, void *context,
                                             uint32_t phase, uint64_t iteration,
                                             const struct rank_group *rank))
{
    const struct selection *selection = export->selection;
    for (uint32_t p = 0; p < export->summary->phase_count; p++) {
        if (!selection->phases[p])
            continue;
        uint64_t end = selection_iterations(selection, p);
        for (uint64_t i = selection->iterations.first;
             i < end && i <= selection->iterations.last; i++)
            for (size_t r = 0; r < selection->rank_count; r++)
                write(export, context, p, i, &selection->ranks[r]);
    }
}

static void write_keys(struct export *export, uint32_t phase, uint64_t iteration, uint32_t rank)
{
    csv_text(&export->csv, export->summary->phases[phase].name);
    csv_count(&export->csv, iteration);
    csv_count(&export->csv, rank);
}

struct totals_context {
    bool *metrics;
    long double *values;
};

static void write_totals(struct export *export, void *context, uint32_t phase,
                         uint64_t iteration, const struct rank_group *rank)
{
    const struct totals_context *totals = context;
    if (!iteration_totals(export->summary, rank, phase, iteration, totals->values))
        return;
    for (size_t m = 0; m < export->summary->metric_count; m++) {
        if (!totals->metrics[m])
            continue;
        write_keys(export, phase, iteration, rank->rank);
        csv_text(&export->csv, export->summary->metrics[m].name);
        csv_value(&export->csv, totals->values[m]);
        csv_end_line(&export->csv);
    }
}

static void export_iterations(struct export *export)
{
    struct totals_context totals = {
        exported_metrics(export),
        allocate(export->summary->metric_count, sizeof *totals.values)};
    for_each_iteration(export, &totals, write_totals);
    free(totals.metrics);
    free(totals.values);
}

struct callpath_context {
    struct path_tree *tree;
    struct path_values *values;
    bool *metrics;
    struct text text;
};

/* What comes after phase, iteration and rank in a row. */
static void write_path_value(struct export *export, const struct callpath_context *callpaths,
                             uint32_t path, uint32_t metric)
{
    csv_text(&export->csv, text_string(&callpaths->text));
    csv_text(&export->csv, export->summary->metrics[metric].name);
    csv_value(&export->csv, path_value(callpaths->values, path, metric));
    csv_end_line(&export->csv);
}

/* Phase and iteration are empty for NULL. */
static void write_path_rows(struct export *export, struct callpath_context *callpaths,
                            const uint32_t *phase, uint64_t iteration, uint32_t rank)
{
    path_values_sort(callpaths->values);
    for (size_t i = 0; i < callpaths->values->count; i++) {
        uint32_t path = callpaths->values->list[i];
        text_clear(&callpaths->text);
        path_add_text(callpaths->tree, path, ";", &callpaths->text);
        for (uint32_t m = 0; m < export->summary->metric_count; m++) {
            if (!callpaths->metrics[m] || path_value(callpaths->values, path, m) == 0)
                continue;
            if (phase) {
                write_keys(export, *phase, iteration, rank);
            } else {
                csv_empty(&export->csv);
                csv_empty(&export->csv);
                csv_count(&export->csv, rank);
            }
            write_path_value(export, callpaths, path, m);
        }
    }
}

static void write_callpaths(struct export *export, void *context, uint32_t phase,
                            uint64_t iteration, const struct rank_group *rank)
{
    struct callpath_context *callpaths = context;
    if (iteration_paths(rank, phase, iteration, METRICS_INCLUSIVE, callpaths->values))
        write_path_rows(export, callpaths, &phase, iteration, rank->rank);
}

static void write_whole_runs(struct export *export, struct callpath_context *callpaths)
{
    for (size_t r = 0; r < export->selection->rank_count; r++) {
        const struct rank_group *rank = &export->selection->ranks[r];
        path_values_clear(callpaths->values);
        for (size_t i = 0; i < rank->count; i++)
            path_values_add(callpaths->values,
                            &export->summary->locations[rank->first + i].whole, 1,
                            METRICS_INCLUSIVE);
        write_path_rows(export, callpaths, NULL, 0, rank->rank);
    }
}

static void export_callpaths(struct export *export)
{
    struct callpath_context callpaths = {.tree = path_tree_build(export->summary)};
    callpaths.values = path_values_create(callpaths.tree);
    callpaths.metrics = exported_metrics(export);
    if (export->options->total)
        write_whole_runs(export, &callpaths);
    else
        for_each_iteration(export, &callpaths, write_callpaths);
    text_free(&callpaths.text);
    free(callpaths.metrics);
    path_values_free(callpaths.values);
    path_tree_free(callpaths.tree);
}

static void write_cluster(struct export *export, uint32_t phase, uint32_t rank,
                          const struct series *series, uint64_t iteration)
{
    uint32_t cluster = series_cluster(series, iteration);
    csv_text(&export->csv, export->summary->phases[phase].name);
    csv_count(&export->csv, rank);
    csv_count(&export->csv, iteration);
    if (cluster == SUMMARY_NONE) {
        csv_empty(&export->csv);
        csv_empty(&export->csv);
    } else {
        csv_count(&export->csv, cluster);
        csv_count(&export->csv, series->clusters[cluster].class_id);
    }
    csv_end_line(&export->csv);
}

static void export_clusters(struct export *export)
{
    const struct selection *selection = export->selection;
    for (uint32_t p = 0; p < export->summary->phase_count; p++)
        for (size_t r = 0; r < selection->rank_count && selection->phases[p]; r++) {
            const struct rank_group *rank = &selection->ranks[r];
            const struct series *series = rank_series(export->summary, rank, p);
            uint64_t end = series ? series->iterations : 0;
            for (uint64_t i = selection->iterations.first;
                 i < end && i <= selection->iterations.last; i++)
                write_cluster(export, p, rank->rank, series, i);
        }
}

static void export_regions(struct export *export)
{
    static const char *const kinds[] = {[REGION_FUNCTION] = "function",
                                        [REGION_MPI] = "mpi",
                                        [REGION_PHASE] = "phase",
                                        [REGION_ARTIFICIAL] = "artificial"};
    const struct summary *summary = export->summary;
    for (size_t i = 0; i < summary->region_count; i++) {
        const struct region_entry *region = &summary->regions[i];
        csv_text(&export->csv, region->name);
        csv_text(&export->csv, kinds[region->kind]);
        csv_text(&export->csv, region->file);
        if (region->line)
            csv_count(&export->csv, region->line);
        else
            csv_empty(&export->csv);
        csv_text(&export->csv,
                 region->module == SUMMARY_NONE ? "" : summary->modules[region->module].path);
        csv_text(&export->csv, region->group);
        csv_end_line(&export->csv);
    }
}

/* "0 2 1": where a member of a grid is; empty for a graph. */
static void write_coordinates(struct export *export, const struct topology *topology,
                              uint64_t member)
{
    struct text text = {0};
    for (size_t d = 0; d < topology->dimension_count; d++)
        text_addf(&text, "%s%" PRIu64, d ? " " : "", topology_coordinate(topology, member, d));
    csv_text(&export->csv, text_string(&text));
    text_free(&text);
}

static void write_topology(struct export *export, size_t number,
                           const struct topology_member *member)
{
    static const char *const kinds[] = {[TOPOLOGY_CARTESIAN] = "cartesian",
                                        [TOPOLOGY_GRAPH] = "graph",
                                        [TOPOLOGY_DISTRIBUTED] = "distributed"};
    const struct topology *topology = &export->summary->topologies.items[number];
    csv_count(&export->csv, number);
    csv_text(&export->csv, topology->name);
    csv_text(&export->csv, kinds[topology->kind]);
    csv_count(&export->csv, member->member);
    csv_count(&export->csv, member->rank);
    write_coordinates(export, topology, member->member);
    csv_end_line(&export->csv);
}

static void export_topologies(struct export *export)
{
    const struct selection *selection = export->selection;
    const struct topology_list *list = &export->summary->topologies;
    uint32_t *ranks = allocate(selection->rank_count, sizeof *ranks);
    for (size_t r = 0; r < selection->rank_count; r++)
        ranks[r] = selection->ranks[r].rank;
    for (size_t i = 0; i < list->count; i++) {
        size_t found;
        struct topology_member *members =
            topology_members(&list->items[i], ranks, selection->rank_count, &found);
        for (size_t m = 0; m < found; m++)
            write_topology(export, i, &members[m]);
        free(members);
    }
    free(ranks);
}

static const struct export_kind kinds_of_export[] = {
    {"iterations", "phase,iteration,rank,metric,value", export_iterations},
    {"callpaths", "phase,iteration,rank,callpath,metric,value", export_callpaths},
    {"clusters", "phase,rank,iteration,cluster,class", export_clusters},
    {"regions", "region,kind,file,line,module,group", export_regions},
    {"topologies", "topology,name,kind,member,rank,coordinates", export_topologies},
};

/* The kind called NAME, which may be NULL; NULL and a message if there is none. */
static const struct export_kind *find_kind(const char *name)
{
    for (size_t i = 0; name && i < sizeof kinds_of_export / sizeof kinds_of_export[0]; i++)
        if (strcmp(name, kinds_of_export[i].name) == 0)
            return &kinds_of_export[i];
    if (name)
        complain("export: there is no table \"%s\"; "
                 "--what takes iterations, callpaths, clusters, regions or topologies",
                 name);
    else
        complain("export: --what is missing: iterations, callpaths, clusters, regions or "
                 "topologies");
    return NULL;
}

static int export_table(const struct export_kind *kind, struct export *export)
{
    struct output output;
    struct error error;
    if (!output_open(&output, export->options->output, export->summary->path, &error)) {
        complain("%s", error.text);
        return EXIT_DATA;
    }
    export->csv.stream = output.stream;
    fprintf(output.stream, "%s\n", kind->header);
    kind->write(export);
    if (output_close(&output, &error))
        return EXIT_DONE;
    complain("%s", error.text);
    return EXIT_DATA;
}

int cmd_export(const struct command *command, int argc, char **argv)
{
    struct options options;
    struct selection selection;
    struct error error;
    enum options_result result = options_parse(command, argc, argv, &options);
    if (result != OPTIONS_RUN)
        return result == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
    const struct export_kind *kind = find_kind(options.what);
    if (!kind)
        return EXIT_USAGE;
    if (options.format && strcmp(options.format, "csv") != 0) {
        complain("export: there is no format \"%s\"; --format takes csv", options.format);
        return EXIT_USAGE;
    }
    struct subject subject;
    int status = EXIT_DATA;
    if (!subject_open(&subject, options.file, &error)) {
        complain("%s", error.text);
        return EXIT_DATA;
    }
    struct summary *summary = subject.summary;
    if (!selection_make(&selection, summary, &options, &error)) {
        complain("%s", error.text);
        status = EXIT_USAGE;
    } else {
        struct export export = {summary, &options, &selection, {NULL, 0}};
        status = export_table(kind, &export);
        selection_free(&selection);
    }
    subject_close(&subject);
    return status;
}
