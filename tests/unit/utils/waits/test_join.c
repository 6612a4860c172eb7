/* Waiting in traced iterations is put into the summary of the whole run: tables made by hand,
 * and what must come out of them to the nanosecond. */
#include "waits/join.h"

#include "tap.h"

#include <stdlib.h>
#include <string.h>

/* What a row does not say is 0. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

/* The run.  MPI_Recv is called from two lines; a trace does not know lines. */
enum { TIME, EXECUTION, COMPUTATION, MPI, P2P, OVERHEAD, VISITS, COUNTER, METRICS };
enum { PROGRAM, MAIN, STEP, RECV, REGIONS };
enum { N_PROGRAM, N_MAIN, N_STEP, N_RECV_1, N_RECV_2, NODES };

static const struct metric_entry metrics[METRICS] = {
    [TIME] = {"time", SUMMARY_NONE, "s", 9, FORMAT_METRIC_DERIVED, ""},
    [EXECUTION] = {"execution", TIME, "s", 9, FORMAT_METRIC_DERIVED, ""},
    [COMPUTATION] = {"computation", EXECUTION, "s", 9, FORMAT_METRIC_MEASURED, ""},
    [MPI] = {"mpi", EXECUTION, "s", 9, FORMAT_METRIC_DERIVED, ""},
    [P2P] = {"mpi_point2point", MPI, "s", 9, FORMAT_METRIC_MEASURED, ""},
    [OVERHEAD] = {"overhead", TIME, "s", 9, FORMAT_METRIC_MEASURED, ""},
    [VISITS] = {"visits", SUMMARY_NONE, "occ", 0, FORMAT_METRIC_MEASURED, ""},
    [COUNTER] = {"cycles", SUMMARY_NONE, "occ", 0, FORMAT_METRIC_COUNTER, ""},
};

static const struct region_entry regions[REGIONS] = {
    [PROGRAM] = {"program", REGION_ARTIFICIAL, "", 0, SUMMARY_NONE, 0, ""},
    [MAIN] = {"main", REGION_FUNCTION, "a.c", 1, SUMMARY_NONE, 0, ""},
    [STEP] = {"step", REGION_PHASE, "", 0, SUMMARY_NONE, 0, ""},
    [RECV] = {"MPI_Recv", REGION_MPI, "", 0, SUMMARY_NONE, 0, "P2P"},
};

static const struct call_node nodes[NODES] = {
    [N_PROGRAM] = {SUMMARY_NONE, PROGRAM, 0},
    [N_MAIN] = {N_PROGRAM, MAIN, 0},
    [N_STEP] = {N_MAIN, STEP, 3},
    [N_RECV_1] = {N_STEP, RECV, 7},
    [N_RECV_2] = {N_STEP, RECV, 9},
};

/* Four iterations: three in one cluster, number 2 alone. */
static const struct cell first_cluster[] = {{N_STEP, COMPUTATION, 900}, {N_STEP, OVERHEAD, 30},
                                            {N_STEP, VISITS, 3},        {N_STEP, COUNTER, 9000},
                                            {N_RECV_1, P2P, 400},       {N_RECV_1, VISITS, 3},
                                            {N_RECV_2, P2P, 200},       {N_RECV_2, VISITS, 3}};
static const struct cell second_cluster[] = {
    {N_STEP, COMPUTATION, 100}, {N_RECV_1, P2P, 50}, {N_RECV_2, P2P, 10}};

/* The waits.  There is a function that the run does not have, and MPI_Recv is called in a loop
 * that was found, which is no call path in the run. */
enum { W_TIME, W_EXECUTION, W_COMPUTATION, W_MPI, W_P2P, W_LATE, W_WRONG, W_VISITS, W_DELAY };
enum {
    W_N_PROGRAM,
    W_N_MAIN,
    W_N_STEP,
    W_N_LOOP,
    W_N_RECV,
    W_N_OTHER,
    W_N_RECV_BESIDE,
    W_NODES
};

static const struct metric_entry wait_metrics[] = {
    [W_TIME] = {"time", SUMMARY_NONE, "s", 9, FORMAT_METRIC_DERIVED, ""},
    [W_EXECUTION] = {"execution", W_TIME, "s", 9, FORMAT_METRIC_DERIVED, ""},
    [W_COMPUTATION] = {"computation", W_EXECUTION, "s", 9, FORMAT_METRIC_MEASURED, ""},
    [W_MPI] = {"mpi", W_EXECUTION, "s", 9, FORMAT_METRIC_DERIVED, ""},
    [W_P2P] = {"mpi_point2point", W_MPI, "s", 9, FORMAT_METRIC_MEASURED, ""},
    [W_LATE] = {"mpi_latesender", W_P2P, "s", 9, FORMAT_METRIC_MEASURED, ""},
    [W_WRONG] = {"mpi_latesender_wo", W_LATE, "s", 9, FORMAT_METRIC_MEASURED, ""},
    [W_VISITS] = {"visits", SUMMARY_NONE, "occ", 0, FORMAT_METRIC_MEASURED, ""},
    [W_DELAY] = {"delay", SUMMARY_NONE, "s", 9, FORMAT_METRIC_MEASURED, ""},
};

static const struct region_entry wait_regions[] = {
    {"MPI_Recv", REGION_MPI, "", 0, SUMMARY_NONE, 0, ""},
    {"main", REGION_FUNCTION, "a.c", 1, SUMMARY_NONE, 0, ""},
    {"step", REGION_PHASE, "", 0, SUMMARY_NONE, 0, ""},
    {"other", REGION_FUNCTION, "b.c", 5, SUMMARY_NONE, 0, ""},
    {"program", REGION_ARTIFICIAL, "", 0, SUMMARY_NONE, 0, ""},
    {"main loop", REGION_PHASE, "", 0, SUMMARY_NONE, 0, ""},
};

static const struct call_node wait_nodes[W_NODES] = {
    [W_N_PROGRAM] = {SUMMARY_NONE, 4, 0}, [W_N_MAIN] = {W_N_PROGRAM, 1, 0},
    [W_N_STEP] = {W_N_MAIN, 2, 0},        [W_N_LOOP] = {W_N_STEP, 5, 0},
    [W_N_RECV] = {W_N_LOOP, 0, 0},        [W_N_OTHER] = {W_N_STEP, 3, 0},
    [W_N_RECV_BESIDE] = {W_N_STEP, 0, 0},
};

/* Iteration 1: receives for 360, of which it waits 300; computes for 450, with overhead. */
static const struct cell shared[] = {{W_N_STEP, W_COMPUTATION, 450}, {W_N_STEP, W_VISITS, 1},
                                     {W_N_STEP, W_DELAY, 25},        {W_N_RECV, W_P2P, 60},
                                     {W_N_RECV, W_LATE, 210},        {W_N_RECV, W_WRONG, 90},
                                     {W_N_RECV, W_VISITS, 2},        {W_N_OTHER, W_DELAY, 5}};
/* Iteration 2, which is alone: more waiting than the run has time for. */
static const struct cell alone[] = {
    {W_N_STEP, W_COMPUTATION, 95}, {W_N_RECV, W_P2P, 5}, {W_N_RECV, W_LATE, 120}};

static void *copy(struct summary *summary, const void *from, size_t count, size_t size)
{
    void *to = memory_pool_allocate(&summary->pool, count, size);
    memcpy(to, from, count * size);
    return to;
}

#define COPY(summary, list) copy(summary, list, sizeof(list) / sizeof *(list), sizeof *(list))

static struct profile profile_of(struct summary *summary, const struct cell *cells,
                                 size_t count)
{
    return (struct profile){copy(summary, cells, count, sizeof *cells), count};
}

#define PROFILE(summary, list) profile_of(summary, list, sizeof(list) / sizeof *(list))

/* The sum of two profiles of the run. */
static struct profile sum_of(struct summary *summary)
{
    struct profile sum = PROFILE(summary, first_cluster);
    for (size_t i = 0; i < sizeof second_cluster / sizeof *second_cluster; i++)
        for (size_t k = 0; k < sum.count; k++)
            if (sum.cells[k].node == second_cluster[i].node &&
                sum.cells[k].metric == second_cluster[i].metric)
                sum.cells[k].value += second_cluster[i].value;
    return sum;
}

static struct series *make_series(struct summary *summary)
{
    static const struct run runs[] = {{0, 2, 0, false}, {2, 1, 1, false}, {3, 1, 0, false}};
    static const struct maximum maxima[] = {{TIME, 900}, {COMPUTATION, 600}, {COUNTER, 4000}};
    static const double spreads[] = {1, 2, 3};
    static const struct largest largest[] = {
        {N_STEP, COMPUTATION, 455, 0}, {N_RECV_1, P2P, 150, 2}, {N_RECV_2, P2P, 190, 3}};
    static const struct occurrence occurrences[] = {{N_RECV_1, 3, 3}, {N_RECV_2, 1, 3}};
    struct series *series = memory_pool_allocate(&summary->pool, 1, sizeof *series);
    *series = (struct series){.parent_phase = SUMMARY_NONE,
                              .clustering = "adaptive",
                              .maxima = COPY(summary, maxima),
                              .maximum_count = 3,
                              .largest = COPY(summary, largest),
                              .largest_count = 3,
                              .cluster_count = 2,
                              .runs = COPY(summary, runs),
                              .run_count = 3,
                              .iterations = 4};
    series->clusters = memory_pool_allocate(&summary->pool, 2, sizeof *series->clusters);
    series->clusters[0] = (struct cluster){.size = 3,
                                           .wall_ns = 1530,
                                           .sums = PROFILE(summary, first_cluster),
                                           .spreads = COPY(summary, spreads),
                                           .occurrences = COPY(summary, occurrences),
                                           .occurrence_count = 2,
                                           .presence_known = true};
    series->clusters[1] =
        (struct cluster){.size = 1, .wall_ns = 160, .sums = PROFILE(summary, second_cluster)};
    return series;
}

static struct summary *make(const char *program)
{
    static const struct phase_entry phases[] = {{"step", STEP, true}};
    struct summary *summary = allocate(1, sizeof *summary);
    const struct fact facts[] = {{"program", program}};
    *summary = (struct summary){.path = "run.tsprof",
                                .facts = COPY(summary, facts),
                                .fact_count = 1,
                                .metrics = COPY(summary, metrics),
                                .metric_count = METRICS,
                                .regions = COPY(summary, regions),
                                .region_count = REGIONS,
                                .nodes = COPY(summary, nodes),
                                .node_count = NODES,
                                .phases = COPY(summary, phases),
                                .phase_count = 1,
                                .pool = summary->pool,
                                .location_count = 1};
    summary->locations = memory_pool_allocate(&summary->pool, 1, sizeof *summary->locations);
    summary->locations[0] = (struct location){.host = SUMMARY_NONE,
                                              .whole = sum_of(summary),
                                              .series = make_series(summary),
                                              .series_count = 1};
    return summary;
}

static struct cluster wait_clusters[] = {
    {.size = 1, .sums = {(struct cell *)shared, sizeof shared / sizeof *shared}},
    {.size = 1, .sums = {(struct cell *)alone, sizeof alone / sizeof *alone}}};
static struct run wait_runs[] = {
    {0, 1, SUMMARY_NONE, false}, {1, 1, 0, false}, {2, 1, 1, false}};
static struct series wait_series = {.parent_phase = SUMMARY_NONE,
                                    .clusters = wait_clusters,
                                    .cluster_count = 2,
                                    .runs = wait_runs,
                                    .run_count = 3,
                                    .iterations = 3};
static struct location wait_location = {.series = &wait_series, .series_count = 1};
static struct wait_reason reasons[] = {{W_N_OTHER, false, 30}, {W_N_OTHER, false, 20}};
static struct wait_pair pairs[] = {
    {0, W_LATE, W_N_RECV, SUMMARY_NONE, 2, 420, 300, &reasons[0], 1},
    {0, W_LATE, W_N_RECV_BESIDE, SUMMARY_NONE, 1, 50, 50, &reasons[1], 1}};
static struct long_wait longest[] = {
    {0, W_LATE, W_N_RECV, 0, 1, 10, 300, SUMMARY_NONE, W_N_OTHER, 5}};
static struct fact wait_facts[] = {
    {"trace", "a.otf2"}, {"program", "a.out"}, {"trace.events", "12"}};
static struct phase_entry wait_phases[] = {{"step", 2, true}};

static const struct summary waits = {.facts = wait_facts,
                                     .fact_count = 3,
                                     .metrics = (struct metric_entry *)wait_metrics,
                                     .metric_count = W_DELAY + 1,
                                     .regions = (struct region_entry *)wait_regions,
                                     .region_count = 6,
                                     .nodes = (struct call_node *)wait_nodes,
                                     .node_count = W_NODES,
                                     .phases = wait_phases,
                                     .phase_count = 1,
                                     .locations = &wait_location,
                                     .location_count = 1,
                                     .waits = {pairs, 2, longest, 1}};

static void says(const char *text, const char *wanted, const char *what)
{
    OK(text && strcmp(text, wanted) == 0, "%s: %s", what, text ? text : "nothing");
}

static int64_t value(const struct summary *summary, const struct profile *profile,
                     uint32_t node, const char *metric)
{
    for (size_t i = 0; i < profile->count; i++)
        if (profile->cells[i].node == node &&
            strcmp(summary->metrics[profile->cells[i].metric].name, metric) == 0)
            return profile->cells[i].value;
    return 0;
}

static int64_t total(const struct summary *summary, const struct profile *profile,
                     const char *metric)
{
    int64_t sum = 0;
    for (uint32_t node = 0; node < summary->node_count; node++)
        sum += value(summary, profile, node, metric);
    return sum;
}

static const struct cluster *cluster_of(const struct summary *summary, uint64_t iteration)
{
    const struct series *series = summary->locations[0].series;
    return &series->clusters[series_cluster(series, iteration)];
}

/* Iteration 1 leaves the cluster that it shared. */
static void test_shared(const struct summary *run)
{
    const struct cluster *one = cluster_of(run, 1), *rest = cluster_of(run, 0);
    EQ_INT(one->size, 1, "a traced iteration is a cluster of its own");
    EQ_INT(rest->size, 2, "the others stay");
    OK(rest == cluster_of(run, 3), "in one cluster");
    EQ_INT(value(run, &one->sums, N_STEP, "computation"), 440,
           "it computes for as long as the trace says, without what measuring cost");
    EQ_INT(value(run, &rest->sums, N_STEP, "computation"), 460, "the others for the rest");
    EQ_INT(value(run, &one->sums, N_STEP, "overhead"), 10, "that is the mean");
    EQ_INT(value(run, &one->sums, N_STEP, "cycles"), 3000, "and so are counters");
    EQ_INT(value(run, &one->sums, N_RECV_1, "mpi_latesender"), 140,
           "waiting is divided among lines as time is");
    EQ_INT(value(run, &one->sums, N_RECV_2, "mpi_latesender"), 70, "of both");
    EQ_INT(total(run, &one->sums, "mpi_latesender_wo"), 90, "parts of it are kept apart");
    EQ_INT(total(run, &one->sums, "mpi_point2point"), 60, "and taken from the time of calls");
    EQ_INT(total(run, &rest->sums, "mpi_point2point"), 600 - 360, "nothing is lost");
    EQ_INT(value(run, &one->sums, N_STEP, "delay"), 25, "what stands beside time is added");
    EQ_INT(value(run, &one->sums, NODES, "delay"), 5, "also where the run never was");
    EQ_INT(one->wall_ns, 440 + 10 + 360, "wall time is the sum");
    EQ_INT(rest->wall_ns, 1530 - 810, "in both");
    EQ_INT(rest->spreads != NULL, 1, "two iterations vary");
    EQ_INT(one->spreads == NULL, 1, "one does not");
    EQ_INT(rest->occurrences[0].least, 2, "a call path of all iterations is one of all others");
    EQ_INT(rest->occurrences[0].most, 2, "and of no more");
    EQ_INT(rest->occurrences[1].least, 1, "one that need not have been in it stays there");
    EQ_INT(rest->occurrences[1].most, 2, "in what is left at most");
}

/* Iteration 2 had a cluster of its own: its times stay. */
static void test_alone(const struct summary *run)
{
    const struct cluster *two = cluster_of(run, 2);
    EQ_INT(value(run, &two->sums, N_STEP, "computation"), 100, "exact times stay");
    EQ_INT(total(run, &two->sums, "mpi_latesender"), 60, "waiting is cut to them");
    EQ_INT(total(run, &two->sums, "mpi_point2point"), 0, "there is nothing else");
    EQ_INT(two->wall_ns, 160, "it takes as long as before");
    says(summary_fact(run, "joined.cut_ns"), "60", "what was cut is told");
}

static void test_sums(const struct summary *run)
{
    const struct series *series = run->locations[0].series;
    const struct profile *whole = &run->locations[0].whole;
    EQ_INT(total(run, whole, "mpi_latesender"), 210 + 60, "the whole has both");
    EQ_INT(total(run, whole, "mpi_point2point"), 660 - 300 - 60,
           "and less of what they waited in");
    EQ_INT(total(run, whole, "computation"), 1000, "the rest is as it was");
    int64_t sum = 0;
    for (size_t i = 0; i < series->cluster_count; i++)
        sum += total(run, &series->clusters[i].sums, "mpi_point2point");
    EQ_INT(sum, total(run, whole, "mpi_point2point"), "clusters add up to it");
    EQ_INT(
        series->largest_count, 1,
        "what is the largest where waiting was taken, or of more than is left, is not known");
    EQ_INT(series->largest[0].iteration, 0, "but of iterations that stay as they are");
    for (size_t i = 0; i < series->maximum_count; i++)
        if (strcmp(run->metrics[series->maxima[i].metric].name, "mpi_latesender") == 0)
            EQ_INT(series->maxima[i].value, 300, "the largest that an iteration waits");
    says(summary_fact(run, "traced.step"), "1-2", "it is told which were traced");
    says(summary_fact(run, "joined.left_out"), "0", "none was left out");
}

static void test_tables(const struct summary *run)
{
    const struct metric_entry *last = &run->metrics[run->metric_count - 1];
    says(last->name, "cycles", "counters come last");
    for (uint32_t m = 0; m < run->metric_count; m++)
        if (strcmp(run->metrics[m].name, "mpi_latesender") == 0)
            says(run->metrics[m - 1].name, "mpi_point2point",
                 "a metric is followed by its parts");
    EQ_INT(run->waits.pair_count, 1, "what is one call path in the run is one");
    EQ_INT(run->waits.pairs[0].ns, 470, "who waits for whom is there");
    EQ_INT(run->waits.pairs[0].count, 3, "how often");
    EQ_INT(run->waits.pairs[0].longest_ns, 300, "and for how long at most");
    EQ_INT(run->waits.pairs[0].reason_count, 1, "with one reason");
    EQ_INT(run->waits.pairs[0].reasons[0].ns, 50, "for both");
    EQ_INT(run->waits.pairs[0].node, N_RECV_1, "on the first line");
    EQ_INT(run->waits.pairs[0].reasons[0].node, NODES, "and why");
    says(run->metrics[run->waits.longest[0].metric].name, "mpi_latesender", "and how long");
    says(run->regions[run->nodes[NODES].region].name, "other", "a call path was added");
}

static void test_joined(void)
{
    struct error error;
    struct summary *run = make("a.out");
    OK(join_waits(run, &waits, &error), "a run and its trace");
    test_shared(run);
    test_alone(run);
    test_sums(run);
    test_tables(run);
    OK(!join_waits(run, &waits, &error), "not twice");
    summary_free(run);
}

/* One thing is different: it is not the same run. */
static void test_other_runs(void)
{
    struct error error;
    struct summary *run = make("b.out");
    OK(!join_waits(run, &waits, &error), "another program: %s", error.text);
    summary_free(run);
    run = make("a.out");
    run->locations[0].rank = 1;
    OK(!join_waits(run, &waits, &error), "other ranks: %s", error.text);
    summary_free(run);
    run = make("a.out");
    run->phases[0].name = "pass";
    OK(!join_waits(run, &waits, &error), "other phases: %s", error.text);
    summary_free(run);
    run = make("a.out");
    run->locations[0].series->iterations = 2;
    OK(!join_waits(run, &waits, &error), "fewer iterations: %s", error.text);
    summary_free(run);
    run = make("a.out");
    for (size_t i = 0; i < run->locations[0].whole.count; i++)
        if (run->locations[0].whole.cells[i].metric == VISITS)
            run->locations[0].whole.cells[i].value = 1;
    wait_location.whole = wait_clusters[0].sums;
    OK(join_waits(run, &waits, &error), "two calls on two lines: %s", error.text);
    summary_free(run);
    run = make("a.out");
    for (size_t i = 0; i < run->locations[0].whole.count; i++)
        if (run->locations[0].whole.cells[i].metric == VISITS)
            run->locations[0].whole.cells[i].value =
                run->locations[0].whole.cells[i].node == N_RECV_1;
    OK(!join_waits(run, &waits, &error), "fewer calls: %s", error.text);
    wait_location.whole = (struct profile){NULL, 0};
    summary_free(run);
}

int main(void)
{
    test_joined();
    test_other_runs();
    return tap_done();
}
