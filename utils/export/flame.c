/* Values for flame graphs.  See flame.h. */
#include "export/flame.h"

#include "base/base.h"
#include "openmp/openmp.h"
#include "print/print.h"
#include "query/query.h"

#include <stdlib.h>
#include <string.h>

bool export_has_flame(const char *what)
{
    return strcmp(what, "callpaths") == 0;
}

static int fail(int status, const struct error *error)
{
    complain("%s", error->text);
    return status;
}

/* Finds what is subtracted, if anything is. */
static int find_minus(struct flame *flame, const struct export *export)
{
    struct options options = *export->options;
    struct error error;
    flame->has_minus =
        options.minus || options.minus_iterations_given || options.minus_ranks_given;
    if (!flame->has_minus)
        return EXIT_DONE;
    if (options.minus_iterations_given)
        options.iterations = options.minus_iterations;
    if (options.minus_ranks_given)
        options.ranks = options.minus_ranks;
    if (options.minus && !(flame->other = summary_read(options.minus, &error)))
        return fail(EXIT_DATA, &error);
    if (flame->other)
        openmp_add_metrics(flame->other);
    const struct summary *summary = flame->other ? flame->other : export->summary;
    if (!selection_make(&flame->minus, summary, &options, &error) ||
        !scope_make(&flame->scopes[FLAME_MINUS], &flame->minus, &options, &error))
        return fail(EXIT_USAGE, &error);
    return EXIT_DONE;
}

static void combine_trees(struct flame *flame, const struct export *export)
{
    const struct summary *const summaries[] = {export->summary, flame->other};
    flame->combined = combine(summaries, flame->other ? 2 : 1);
    flame->tree = path_tree_build(flame->combined->summary);
    flame->computation = summary_metric(flame->combined->summary, "computation");
    for (enum flame_side side = 0; side < FLAME_SIDES; side++) {
        const struct translation *translation =
            &flame->combined->translations[side == FLAME_MINUS && flame->other ? 1 : 0];
        size_t nodes = translation->from->node_count;
        flame->paths_of[side] = allocate(nodes, sizeof(uint32_t));
        for (size_t n = 0; n < nodes; n++)
            flame->paths_of[side][n] = flame->tree->of_node[translation->node_of[n]];
        flame->maps[side] = (struct path_map){flame->paths_of[side], translation->metric_of,
                                              translation->factors};
    }
}

static int choose_metrics(struct flame *flame, const struct export *export, size_t most)
{
    static const char *const usual[] = {"time"};
    const struct options *options = export->options;
    const char *const *names = options->metric_count ? options->metrics : usual;
    size_t count = options->metric_count ? options->metric_count : 1;
    flame->metrics = allocate(count, sizeof *flame->metrics);
    if (count > most) {
        complain("export: the format %s takes one metric", options->format);
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t metric = summary_metric(flame->combined->summary, names[i]);
        if (metric == SUMMARY_NONE) {
            complain("%s: has no metric \"%s\"; choose one with --metric",
                     export->summary->path, names[i]);
            return EXIT_USAGE;
        }
        flame->metrics[flame->metric_count++] = metric;
    }
    return EXIT_DONE;
}

/* For flame_free in any case. */
static int flame_make(struct flame *flame, const struct export *export, size_t most)
{
    struct error error;
    *flame = (struct flame){0};
    if (!scope_make(&flame->scopes[FLAME_THIS], export->selection, export->options, &error))
        return fail(EXIT_USAGE, &error);
    int status = find_minus(flame, export);
    if (status != EXIT_DONE)
        return status;
    combine_trees(flame, export);
    return choose_metrics(flame, export, most);
}

static void flame_free(struct flame *flame)
{
    free(flame->metrics);
    for (enum flame_side side = 0; side < FLAME_SIDES; side++)
        free(flame->paths_of[side]);
    path_tree_free(flame->tree);
    combined_free(flame->combined);
    selection_free(&flame->minus);
    summary_free(flame->other);
    *flame = (struct flame){0};
}

static int write_output(const struct export *export, const struct flame *flame,
                        flame_writer *write)
{
    struct output_file output;
    struct error error;
    if (export->options->force)
        output_make_way(export->options->output, export->summary->path);
    if (!output_open(&output, export->options->output, export->summary->path, &error))
        return fail(EXIT_DATA, &error);
    write(export, flame, output.stream);
    return output_close(&output, &error) ? EXIT_DONE : fail(EXIT_DATA, &error);
}

int flame_export(const struct export *export, size_t most, flame_writer *write)
{
    struct flame flame;
    int status = flame_make(&flame, export, most);
    if (status == EXIT_DONE)
        status = write_output(export, &flame, write);
    flame_free(&flame);
    return status;
}

struct flame_values *flame_values_create(const struct flame *flame)
{
    struct flame_values *values = allocate(1, sizeof *values);
    values->paths = path_values_create(flame->tree);
    values->unsampled = allocate(flame->tree->count, sizeof *values->unsampled);
    return values;
}

void flame_values_free(struct flame_values *values)
{
    if (!values)
        return;
    path_values_free(values->paths);
    free(values->unsampled);
    free(values);
}

static long double value_of(const struct flame *flame, const struct path_values *values,
                            uint32_t path, uint32_t metric)
{
    long double stored = values->sums[(size_t)path * values->metric_count + metric];
    unsigned scale = flame->combined->summary->metrics[metric].scale;
    if (!flame_is_time(flame, metric))
        return path_value(values, path, metric);
    for (; scale > 9; scale--)
        stored /= 10;
    for (; scale < 9; scale++)
        stored *= 10;
    return stored / (long double)values->divisor;
}

/* SIDE is the summary that VALUES are from: the combined one does not know how it was made. */
static void find_unsampled(const struct flame *flame, const struct summary *side,
                           struct flame_values *values)
{
    memset(values->unsampled, 0, flame->tree->count * sizeof *values->unsampled);
    for (size_t i = 0; i < values->paths->count && !side->derived; i++) {
        const uint32_t path = values->paths->list[i];
        if (path_is_unsampled(values->paths, path))
            values->unsampled[path] = value_of(flame, values->paths, path, flame->computation);
    }
}

void flame_fill(const struct flame *flame, enum flame_side side, struct flame_values *values)
{
    const struct scope *scope = &flame->scopes[side];
    path_values_clear(values->paths);
    scope_add_all(scope, &flame->maps[side], METRICS_INCLUSIVE, values->paths);
    path_values_sort(values->paths);
    find_unsampled(flame, scope->selection->summary, values);
}

void flame_fill_rank(const struct flame *flame, const struct rank_group *rank,
                     struct flame_values *values)
{
    const struct scope *scope = &flame->scopes[FLAME_THIS];
    const struct summary *summary = scope->selection->summary;
    path_values_clear(values->paths);
    for (size_t i = 0; i < rank->count; i++)
        scope_add(scope, &summary->locations[rank->first + i], &flame->maps[FLAME_THIS],
                  METRICS_INCLUSIVE, values->paths);
    path_values_sort(values->paths);
    find_unsampled(flame, summary, values);
}

void flame_subtract(struct flame_values *values, const struct flame_values *minus)
{
    path_values_combine(values->paths, minus->paths, -1);
    path_values_sort(values->paths);
    for (size_t path = 0; path < values->paths->tree->count; path++)
        values->unsampled[path] -= minus->unsampled[path];
}

bool flame_is_time(const struct flame *flame, uint32_t metric)
{
    return strcmp(flame->combined->summary->metrics[metric].unit, "s") == 0;
}

long double flame_value(const struct flame *flame, const struct flame_values *values,
                        uint32_t path, enum flame_share share, uint32_t metric)
{
    const struct summary *summary = flame->combined->summary;
    long double unsampled = 0;
    if (flame->computation != SUMMARY_NONE &&
        metric_is_part(summary, flame->computation, metric))
        unsampled = values->unsampled[path];
    return share == FLAME_UNSAMPLED ? unsampled
                                    : value_of(flame, values->paths, path, metric) - unsampled;
}
