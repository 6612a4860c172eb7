/*
 * Time in the OpenMP runtime as metrics of a summary: what is moved, that nothing is lost or
 * counted twice in any profile, and that summaries without OpenMP stay as they are.
 */
#include "openmp/openmp.h"

#include "accuracy/accuracy.h"
#include "query/query.h"
#include "tap.h"
#include "tests/unit/utils/summary_reading.h"

#include <string.h>
#include <unistd.h>

static struct summary *read_with(void (*make)(struct maker *maker), const char *runtime)
{
    struct maker maker;
    struct error error = {0};
    make(&maker);
    maker_add_openmp(&maker, runtime);
    struct summary *summary = read_maker(&maker, &error);
    if (!summary)
        printf("# %s\n", error.text);
    NEED(summary);
    maker_free(&maker);
    return summary;
}

static const char gnu[] = "/usr/lib/x86_64-linux-gnu/libgomp.so.1.0.0";

static int64_t value_at(const struct profile *profile, uint32_t node, uint32_t metric)
{
    int64_t value = 0;
    for (size_t i = 0; i < profile->count; i++)
        if (profile->cells[i].node == node && profile->cells[i].metric == metric)
            value += profile->cells[i].value;
    return value;
}

/* What is wrong with profile CHANGED, once MEASURED; OTHERS threads are idle. */
static unsigned profile_faults(const struct summary *summary, const struct profile *changed,
                               const struct summary *before, const struct profile *measured,
                               int64_t others)
{
    static const bool
        in_runtime[EXAMPLE_NODES] = {[NODE_solve_1] = true,
                                     [NODE_solve_2] = true,
                                     [NODE_assemble] = true,
                                     [NODE_spin_solve] = true},
        below[EXAMPLE_NODES] = {
            [NODE_solve_1] = true,     [NODE_solve_2] = true,  [NODE_allreduce_1] = true,
            [NODE_allreduce_2] = true, [NODE_assemble] = true, [NODE_spin_solve] = true};
    const uint32_t runtime = summary_metric(summary, "omp_runtime"),
                   idle = summary_metric(summary, "idle_threads"),
                   computation = summary_metric(summary, "computation");
    unsigned faults = 0;
    for (size_t i = 1; i < changed->count; i++) {
        const struct cell *one = &changed->cells[i - 1], *next = &changed->cells[i];
        faults +=
            one->node > next->node || (one->node == next->node && one->metric >= next->metric);
    }
    for (uint32_t n = 0; n < EXAMPLE_NODES; n++) {
        int64_t execution = 0;
        for (uint32_t m = 0; m < before->metric_count; m++) {
            const int64_t was = value_at(measured, n, m);
            const uint32_t now = summary_metric(summary, before->metrics[m].name);
            execution +=
                metric_is_part(before, m, summary_metric(before, "execution")) ? was : 0;
            if (now != computation)
                faults += value_at(changed, n, now) != was;
            else if (in_runtime[n])
                faults += value_at(changed, n, runtime) != was || value_at(changed, n, now);
            else
                faults += value_at(changed, n, now) != was || value_at(changed, n, runtime);
        }
        faults += idle != SUMMARY_NONE &&
                  value_at(changed, n, idle) != (below[n] ? 0 : others * execution);
    }
    return faults;
}

static unsigned location_faults(const struct summary *now, const struct summary *before,
                                size_t location, int64_t others)
{
    const struct location *a = &now->locations[location], *b = &before->locations[location];
    unsigned faults = profile_faults(now, &a->whole, before, &b->whole, others) +
                      profile_faults(now, &a->outside, before, &b->outside, others);
    for (size_t s = 0; s < a->series_count; s++) {
        const struct series *one = &a->series[s], *other = &b->series[s];
        for (size_t c = 0; c < one->cluster_count; c++)
            faults += profile_faults(now, &one->clusters[c].sums, before,
                                     &other->clusters[c].sums, others);
        for (size_t m = 0; m < one->maximum_count; m++)
            faults += strcmp(now->metrics[one->maxima[m].metric].name,
                             before->metrics[other->maxima[m].metric].name) != 0;
    }
    return faults;
}

static void test_processes(void)
{
    struct summary *before = read_with(maker_example, gnu),
                   *now = read_with(maker_example, gnu);
    OK(openmp_add_metrics(now), "metrics are added");
    const uint32_t runtime = summary_metric(now, "omp_runtime");
    NEED(runtime != SUMMARY_NONE);
    EQ_INT(now->metrics[runtime].parent, summary_metric(now, "computation"),
           "it is part of computation");
    EQ_INT(summary_metric(now, "idle_threads"), SUMMARY_NONE,
           "where no other thread is in the runtime, none is idle");
    for (size_t i = 0; i < now->location_count; i++)
        EQ_INT(location_faults(now, before, i, 0), 0, "location %zu", i);
    for (uint32_t m = 0; m < now->metric_count; m++)
        if (now->metrics[m].parent != SUMMARY_NONE && now->metrics[m].parent >= m)
            OK(false, "%s comes behind its parent", now->metrics[m].name);
    OK(!openmp_add_metrics(now), "nothing is added twice");
    summary_free(before);
    summary_free(now);
}

static void test_threads(void)
{
    struct summary *before = read_with(maker_threads, gnu),
                   *now = read_with(maker_threads, gnu);
    OK(openmp_add_metrics(now), "metrics are added where there are threads");
    const uint32_t idle = summary_metric(now, "idle_threads");
    NEED(idle != SUMMARY_NONE);
    EQ_INT(now->metrics[idle].parent, SUMMARY_NONE, "it is no part of time");
    for (size_t i = 0; i < now->location_count; i++) {
        const struct location *location = &now->locations[i];
        const int64_t others = location->rank == 0 && location->thread == 0 ? 2 : 0;
        EQ_INT(location_faults(now, before, i, others), 0, "rank %u thread %u", location->rank,
               location->thread);
    }
    summary_free(before);
    summary_free(now);
}

/* Written and read again, it is the same. */
static void test_written(void)
{
    struct summary *now = read_with(maker_threads, gnu);
    struct error error = {0};
    openmp_add_metrics(now);
    char path[96];
    snprintf(path, sizeof path, "%s/written", reading_directory);
    OK(summary_create(now, path, &error), "a summary with the metrics is written");
    struct summary *again = summary_read(path, &error);
    unlink(path);
    NEED(again);
    EQ_INT(again->metric_count, now->metric_count, "with all metrics");
    OK(!openmp_add_metrics(again), "which are not added again");
    OK(again->in_openmp && again->in_openmp[NODE_solve_1], "nodes are known all the same");
    for (size_t i = 0; i < now->location_count; i++) {
        const struct profile *a = &now->locations[i].whole, *b = &again->locations[i].whole;
        OK(a->count == b->count && memcmp(a->cells, b->cells, a->count * sizeof *a->cells) == 0,
           "location %zu has the same values", i);
    }
    summary_free(now);
    summary_free(again);
}

/* The promises of a file hold with the metrics: computation with its part, MPI and overhead are
 * the wall time. */
static void test_promises(void)
{
    struct summary *before = read_with(maker_threads, gnu),
                   *now = read_with(maker_threads, gnu);
    openmp_add_metrics(now);
    for (size_t i = 0; i < now->location_count; i++)
        EQ_INT(profile_wall_ns(now, &now->locations[i].whole),
               profile_wall_ns(before, &before->locations[i].whole),
               "location %zu has the wall time that it had", i);
    summary_free(before);
    summary_free(now);
}

static void test_paths(void)
{
    struct summary *now = read_with(maker_example, gnu);
    openmp_add_metrics(now);
    struct path_tree *tree = path_tree_build(now);
    OK(path_is_in_openmp(tree, tree->of_node[NODE_assemble]), "the C library in the runtime");
    EQ_INT(path_outside_openmp(tree, tree->of_node[NODE_assemble]), tree->of_node[NODE_step],
           "what the runtime was called from");
    EQ_INT(path_outside_openmp(tree, tree->of_node[NODE_setup]), tree->of_node[NODE_setup],
           "other paths stay");
    path_tree_free(tree);
    summary_free(now);
}

static void test_others(void)
{
    static const char *const known[] = {"libgomp.so.1", "/opt/llvm/lib/libomp.so.5",
                                        "/opt/intel/libiomp5.so",
                                        "/usr/lib/llvm-14/lib/libomp-14.so.5"},
                             *const unknown[] = {"/lib/libompi.so", "/lib/libgompx.so",
                                                 "/libgomp.so.1/solver", ""};
    for (size_t i = 0; i < 4; i++) {
        struct summary *summary = read_with(maker_example, known[i]);
        OK(openmp_add_metrics(summary), "%s is an OpenMP runtime", known[i]);
        summary_free(summary);
        summary = read_with(maker_example, unknown[i]);
        const size_t metrics = summary->metric_count;
        OK(!openmp_add_metrics(summary) && !summary->in_openmp &&
               summary->metric_count == metrics,
           "\"%s\" is none, and nothing is added", unknown[i]);
        summary_free(summary);
    }
}

int main(void)
{
    NEED(reading_start());
    test_processes();
    test_threads();
    test_written();
    test_promises();
    test_paths();
    test_others();
    reading_stop();
    return tap_done();
}
