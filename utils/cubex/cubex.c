/* tsprof export --format cubex.  See cubex.h. */
#include "cubex/cubex.h"

#include "cubex/cubex_file.h"
#include "print/print.h"

#include <stdlib.h>
#include <string.h>

#define SUFFIX ".cubex"

static const struct how {
    const char *name;
    enum cubex_iterations how;
} hows[] = {{"clusters", CUBEX_CLUSTERS}, {"nodes", CUBEX_NODES}, {"sum", CUBEX_SUM}};

bool export_has_cubex(const char *what)
{
    return strcmp(what, EXPORT_CUBEX) == 0;
}

/* Clusters unless the user says otherwise. */
static bool choose_how(const char *name, enum cubex_iterations *how)
{
    *how = CUBEX_CLUSTERS;
    for (size_t i = 0; name && i < sizeof hows / sizeof hows[0]; i++)
        if (strcmp(name, hows[i].name) == 0) {
            *how = hows[i].how;
            return true;
        }
    return !name;
}

/* Time on all selected locations in the iterations of PHASE. */
static long double phase_time(const struct selection *selection, uint32_t phase)
{
    long double time = 0;
    for (size_t r = 0; r < selection->rank_count; r++)
        for (size_t t = 0; t < selection->ranks[r].count; t++) {
            const struct series *series = location_series(
                &selection->summary->locations[selection->ranks[r].first + t], phase);
            for (size_t c = 0; series && c < series->cluster_count; c++)
                time += (long double)series->clusters[c].wall_ns;
        }
    return time;
}

/*
 * CUBE expands the clusters of one phase only: of those that are selected the one where most of
 * the time was spent.  SUMMARY_NONE if there is none.
 */
static uint32_t choose_phase(const struct selection *selection)
{
    uint32_t chosen = SUMMARY_NONE;
    long double most = -1;
    size_t candidates = 0;
    for (uint32_t p = 0; p < selection->summary->phase_count; p++) {
        if (!selection->phases[p] || !selection_iterations(selection, p))
            continue;
        candidates++;
        if (phase_time(selection, p) > most) {
            most = phase_time(selection, p);
            chosen = p;
        }
    }
    if (candidates > 1)
        complain("export: a CUBE file keeps the iterations of one phase apart, here those of "
                 "%s; --phase chooses another",
                 selection->summary->phases[chosen].name);
    return chosen;
}

static int compare_columns(const void *a, const void *b, void *context)
{
    const struct summary *summary = context;
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    uint32_t left_host = summary->locations[left].host;
    uint32_t right_host = summary->locations[right].host;
    if (left_host != right_host)
        return left_host < right_host ? -1 : 1;
    return (left > right) - (left < right);
}

/* Locations are ordered by rank and thread already. */
static void order_columns(struct cubex *cubex)
{
    cubex->columns = allocate(selection_locations(cubex->selection), sizeof *cubex->columns);
    for (size_t r = 0; r < cubex->selection->rank_count; r++)
        for (size_t t = 0; t < cubex->selection->ranks[r].count; t++)
            cubex->columns[cubex->column_count++] =
                (uint32_t)(cubex->selection->ranks[r].first + t);
    qsort_r(cubex->columns, cubex->column_count, sizeof *cubex->columns, compare_columns,
            (void *)cubex->summary);
}

/* Settles everything but the numbers; free with cubex_free whatever it returns. */
static bool prepare(struct cubex *cubex, enum cubex_iterations how, struct error *error)
{
    const struct selection *selection = cubex->selection;
    uint32_t phase = how == CUBEX_SUM ? SUMMARY_NONE : choose_phase(selection);
    if (selection->rank_count == 0 || cubex->summary->metric_count == 0)
        return error_set(error, "%s: has nothing that a CUBE file could hold",
                         cubex->summary->path);
    cubex->series = cubex_series_create(selection, phase, how, error);
    if (!cubex->series)
        return false;
    cubex_metrics_make(&cubex->metrics, selection);
    if (!cubex_tree_make(&cubex->tree, selection, cubex->series, cubex->metrics.counted, error))
        return false;
    order_columns(cubex);
    cubex_survey(cubex);
    return true;
}

static void cubex_free(struct cubex *cubex)
{
    for (size_t i = 0; cubex->used && i < cubex->metrics.count; i++)
        free(cubex->used[i]);
    free(cubex->used);
    free(cubex->columns);
    cubex_tree_free(&cubex->tree);
    cubex_metrics_free(&cubex->metrics);
    cubex_series_free(cubex->series);
}

static bool write_file(struct cubex *cubex, const char *path, struct error *error)
{
    struct output_file output;
    if (!output_open(&output, path, cubex->summary->path, error))
        return false;
    struct tar tar = {.stream = output.stream};
    for (size_t m = 0; m < cubex->metrics.count; m++)
        if (cubex_has_data(cubex, m))
            cubex_write_data(cubex, m, &tar);
    bool good = cubex_write_anchor(cubex, &tar);
    tar_finish(&tar);
    if (!output_close(&output, error))
        return false;
    return good || error_set(error, "%s: out of memory for its metadata", path);
}

static bool ends_in(const char *string, const char *end)
{
    size_t length = strlen(string), tail = strlen(end);
    return length > tail && strcmp(string + length - tail, end) == 0;
}

int export_cubex(const struct export *export)
{
    struct cubex cubex = {.summary = export->summary, .selection = export->selection};
    struct error error;
    enum cubex_iterations how;
    const char *path = export->options->output;
    if (!choose_how(export->options->how, &how)) {
        complain("export: invalid value for --iterations: %s; it takes clusters, nodes or sum",
                 export->options->how);
        return EXIT_USAGE;
    }
    if (!path) {
        complain("export: a CUBE file cannot be shown on a terminal; -o OUT%s is missing",
                 SUFFIX);
        return EXIT_USAGE;
    }
    if (!ends_in(path, SUFFIX))
        complain("export: CUBE's tools open files whose names end in %s only, not %s", SUFFIX,
                 path);
    bool done = prepare(&cubex, how, &error);
    if (done && export->options->force)
        output_make_way(path, export->summary->path);
    done = done && write_file(&cubex, path, &error);
    if (!done)
        complain("%s", error.text);
    cubex_free(&cubex);
    return done ? EXIT_DONE : EXIT_DATA;
}
