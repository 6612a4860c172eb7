/* See summary_bounds.h. */
#include "predict/summary_bounds.h"

#include "archive/archive.h"
#include "file/file.h"
#include "query/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The metrics that sums are made of: computation, MPI, bytes, and then all kinds of waiting. */
enum { OF_COMPUTATION, OF_MPI, OF_BYTES, OF_WAITS };
static const char *const names[] = {
    "computation",
    "mpi",
    "bytes_sent",
    "mpi_latesender",
    "mpi_latereceiver",
    "mpi_barrier_wait",
    "mpi_wait_nxn",
    "mpi_io_wait",
    "mpi_latebroadcast",
    "mpi_earlyreduce",
    "mpi_earlyscan",
    "mpi_finalize_wait",
    "mpi_rma_wait_at_create",
    "mpi_rma_wait_at_free",
    "mpi_rma_wait_at_fence",
    "mpi_rma_sync_late_post",
    "mpi_rma_comm_late_post",
    "mpi_rma_early_wait",
    "mpi_rma_sync_lock_competition",
    "mpi_rma_comm_lock_competition",
    "mpi_rma_sync_wait_for_progress",
    "mpi_rma_comm_wait_for_progress",
};
enum { NAMES = sizeof names / sizeof *names };
_Static_assert(NAMES <= RANK_VALUES_METRICS, "a walk has room for all metrics");

/* What is summed up. */
struct summing {
    const struct summary *summary;
    struct selection selection;
    uint32_t metrics[NAMES];
    size_t metric_count;
    bool *nodes;
    struct whatif_breakdown *parts; /* by selected rank */
    struct bounds *bounds;
};

bool summary_is_alone(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && !trace_is_beside(path) &&
           (strlen(path) < 5 || strcmp(path + strlen(path) - 5, ".otf2") != 0);
}

static bool find_metrics(struct summing *summing, struct error *error)
{
    for (size_t i = 0; i < NAMES; i++) {
        const uint32_t metric = summary_metric(summing->summary, names[i]);
        if (metric == SUMMARY_NONE && i < OF_WAITS)
            return error_set(error, "%s: has no metric \"%s\"", summing->summary->path,
                             names[i]);
        if (metric != SUMMARY_NONE)
            summing->metrics[summing->metric_count++] = metric;
    }
    summing->bounds->has_waits = summing->metric_count > OF_WAITS;
    return true;
}

static uint64_t to_ns(double seconds)
{
    return seconds > 0 ? (uint64_t)(seconds * 1e9 + 0.5) : 0;
}

/* Where waiting is not known, all of MPI may be. */
static struct whatif_breakdown part_of(const struct summing *summing, const double *values)
{
    struct whatif_breakdown part = {.computation_ns = to_ns(values[OF_COMPUTATION]),
                                    .bytes = (uint64_t)values[OF_BYTES]};
    const uint64_t mpi = to_ns(values[OF_MPI]);
    for (size_t i = OF_WAITS; i < summing->metric_count; i++)
        part.wait_ns += to_ns(values[i]);
    if (!summing->bounds->has_waits || part.wait_ns > mpi)
        part.wait_ns = mpi;
    part.transfer_ns = mpi - part.wait_ns;
    summing->bounds->has_bytes |= part.bytes > 0;
    return part;
}

static bool add_row(struct summing *summing, const char *phase, uint64_t iteration)
{
    struct text name = {0};
    bool any = false;
    for (size_t i = 0; i < summing->selection.rank_count; i++)
        any |= summing->parts[i].computation_ns + summing->parts[i].transfer_ns +
                   summing->parts[i].wait_ns >
               0;
    if (!any)
        return false;
    text_add_escaped(&name, phase);
    if (iteration != UINT64_MAX)
        text_addf(&name, ":%ju", (uintmax_t)iteration);
    text_add_bytes(&name, "", 1);
    bounds_add(summing->bounds, name.bytes, summing->parts, summing->selection.rank_count);
    return true;
}

static bool add_whole(struct summing *summing, const char *where)
{
    const struct rank_values_of of = {SUMMARY_NONE, summing->metrics, summing->metric_count,
                                      summing->nodes};
    for (size_t i = 0; i < summing->selection.rank_count; i++) {
        double values[RANK_VALUES_METRICS];
        rank_whole_run(&summing->selection, &of, i, values);
        summing->parts[i] = part_of(summing, values);
    }
    return add_row(summing, where, UINT64_MAX);
}

/* Goes to the stretch that ITERATION is in; false behind the last. */
static bool go_to(struct rank_walk *walk, uint64_t iteration)
{
    while (walk->length == 0 || iteration >= walk->first + walk->length)
        if (!rank_walk_step(walk))
            return false;
    return iteration >= walk->first;
}

static void add_phase(struct summing *summing, uint32_t phase)
{
    const struct rank_values_of of = {phase, summing->metrics, summing->metric_count,
                                      summing->nodes};
    const size_t ranks = summing->selection.rank_count;
    const uint64_t iterations = selection_iterations(&summing->selection, phase);
    struct rank_values *values = rank_values_create(&summing->selection, &of);
    struct rank_walk *walks = allocate(ranks + 1, sizeof *walks);
    for (size_t i = 0; i < ranks; i++)
        rank_walk_begin(&walks[i], values, i);
    for (uint64_t j = 0; j < iterations; j++) {
        for (size_t i = 0; i < ranks; i++)
            summing->parts[i] = go_to(&walks[i], j) && !isnan(walks[i].values[0])
                                    ? part_of(summing, walks[i].values)
                                    : (struct whatif_breakdown){0};
        add_row(summing, summing->summary->phases[phase].name, j);
    }
    for (size_t i = 0; i < ranks; i++)
        rank_walk_end(&walks[i]);
    free(walks);
    rank_values_free(values);
}

static enum exit_status sum_up(struct summing *summing, const struct question *question,
                               struct error *error)
{
    struct path_tree *tree = path_tree_build(summing->summary);
    size_t count;
    enum exit_status status = EXIT_USAGE;
    summing->nodes = callpath_find(tree, question->where, &count, error);
    if (summing->nodes) {
        summing->parts = allocate(summing->selection.rank_count + 1, sizeof *summing->parts);
        status = add_whole(summing, question->where) ? EXIT_DONE : EXIT_USAGE;
        if (status != EXIT_DONE)
            error_set(error, "%s: takes no time in the summary", question->where);
        for (uint32_t i = 0; status == EXIT_DONE && i < summing->summary->phase_count; i++)
            if (summing->selection.phases[i])
                add_phase(summing, i);
    }
    free(summing->parts);
    free(summing->nodes);
    path_tree_free(tree);
    return status;
}

enum exit_status summary_bounds(const char *path, const struct question *question,
                                struct bounds *bounds, struct error *error)
{
    static const struct options everything = {
        .iterations = {0, UINT64_MAX}, .ranks = {0, UINT64_MAX}, .threads = {0, UINT64_MAX}};
    struct summary *summary = summary_read(path, error);
    struct summing summing = {.summary = summary, .bounds = bounds};
    enum exit_status status = EXIT_DATA;
    if (!summary)
        return EXIT_DATA;
    if (find_metrics(&summing, error) &&
        selection_make(&summing.selection, summary, &everything, error)) {
        status = sum_up(&summing, question, error);
        selection_free(&summing.selection);
    }
    summary_free(summary);
    return status;
}
