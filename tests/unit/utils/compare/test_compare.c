/*
 * The arithmetic of tsprof compare, on summaries made up here whose figures are calculated by
 * hand: everything has another number in B, and nothing may depend on it.
 */
#include "compare/compare.h"
#include "tap.h"

#include <math.h>
#include <string.h>

#define LENGTH_OF(array) (sizeof(array) / sizeof(array)[0])

enum { A_TIME, A_COMPUTATION, A_MPI, A_COLLECTIVE, A_OVERHEAD, A_VISITS, A_BYTES, A_SENT };
static struct metric_entry metrics_a[] = {
    {"time", SUMMARY_NONE, "s", 9, FORMAT_METRIC_DERIVED, ""},
    {"computation", A_TIME, "s", 9, FORMAT_METRIC_MEASURED, ""},
    {"mpi", A_TIME, "s", 9, FORMAT_METRIC_DERIVED, ""},
    {"mpi_collective", A_MPI, "s", 9, FORMAT_METRIC_MEASURED, ""},
    {"overhead", A_TIME, "s", 9, FORMAT_METRIC_MEASURED, ""},
    {"visits", SUMMARY_NONE, "occ", 0, FORMAT_METRIC_MEASURED, ""},
    {"bytes", SUMMARY_NONE, "bytes", 0, FORMAT_METRIC_DERIVED, ""},
    {"bytes_sent", A_BYTES, "bytes", 0, FORMAT_METRIC_MEASURED, ""}};

enum { B_VISITS, B_BYTES, B_SENT, B_TIME, B_OVERHEAD, B_MPI, B_COLLECTIVE, B_COMPUTATION };
static struct metric_entry metrics_b[] = {
    {"visits", SUMMARY_NONE, "occ", 0, FORMAT_METRIC_MEASURED, ""},
    {"bytes", SUMMARY_NONE, "bytes", 0, FORMAT_METRIC_DERIVED, ""},
    {"bytes_sent", B_BYTES, "bytes", 0, FORMAT_METRIC_MEASURED, ""},
    {"time", SUMMARY_NONE, "s", 9, FORMAT_METRIC_DERIVED, ""},
    {"overhead", B_TIME, "s", 9, FORMAT_METRIC_MEASURED, ""},
    {"mpi", B_TIME, "s", 9, FORMAT_METRIC_DERIVED, ""},
    {"mpi_collective", B_MPI, "s", 9, FORMAT_METRIC_MEASURED, ""},
    {"computation", B_TIME, "s", 9, FORMAT_METRIC_MEASURED, ""},
    {"counter", SUMMARY_NONE, "occ", 0, FORMAT_METRIC_COUNTER, ""}};

static struct module_entry modules_a[] = {{"/home/a/app", ""}, {"/lib/libmpi.so", ""}};
static struct module_entry modules_b[] = {{"/opt/libmpi.so", ""}, {"/home/b/app", ""}};

static struct region_entry regions_a[] = {
    {"program", REGION_ARTIFICIAL, "", 0, SUMMARY_NONE, 0, ""},
    {"main", REGION_FUNCTION, "", 0, 0, 0, ""},
    {"solve", REGION_FUNCTION, "", 0, 0, 0, ""},
    {"MPI_Allreduce", REGION_MPI, "", 0, 1, 0, "COLL"}};
static struct region_entry regions_b[] = {
    {"MPI_Bcast", REGION_MPI, "", 0, 0, 0, "COLL"},
    {"MPI_Allreduce", REGION_MPI, "", 0, 0, 0, "COLL"},
    {"program", REGION_ARTIFICIAL, "", 0, SUMMARY_NONE, 0, ""},
    {"solve", REGION_FUNCTION, "", 0, 1, 0, ""},
    {"main", REGION_FUNCTION, "", 0, 1, 0, ""}};

/* Two calls of MPI_Allreduce in one line of A are one call path. */
enum { A_ROOT, A_MAIN, A_SOLVE_10, A_SOLVE_20, A_REDUCE, A_REDUCE_TOO };
static struct call_node nodes_a[] = {{SUMMARY_NONE, 0, 0}, {A_ROOT, 1, 0},
                                     {A_MAIN, 2, 10},      {A_MAIN, 2, 20},
                                     {A_SOLVE_10, 3, 5},   {A_SOLVE_10, 3, 5}};
enum { B_ROOT, B_MAIN, B_SOLVE_20, B_SOLVE_10, B_REDUCE, B_BCAST };
static struct call_node nodes_b[] = {{SUMMARY_NONE, 2, 0}, {B_ROOT, 4, 0},
                                     {B_MAIN, 3, 20},      {B_MAIN, 3, 10},
                                     {B_SOLVE_10, 1, 5},   {B_SOLVE_10, 0, 6}};

static struct phase_entry phases_a[] = {{"step", 1, true}};
static struct phase_entry phases_b[] = {{"other", 1, true}, {"step", 1, true}};

/* Profiles are lists of cells. */
#define PROFILE(cells)                                                                         \
    {                                                                                          \
        cells, LENGTH_OF(cells)                                                                \
    }
#define CLUSTER(members, cells)                                                                \
    {                                                                                          \
        .size = members, .sums = PROFILE(cells)                                                \
    }

static struct cell a_usual[] = {{A_SOLVE_10, A_COMPUTATION, 100},
                                {A_REDUCE, A_COLLECTIVE, 10},
                                {A_REDUCE, A_VISITS, 1},
                                {A_REDUCE_TOO, A_COLLECTIVE, 10},
                                {A_REDUCE_TOO, A_VISITS, 1}};
static struct cell a_slow[] = {
    {A_SOLVE_10, A_COMPUTATION, 200}, {A_REDUCE, A_COLLECTIVE, 40}, {A_REDUCE, A_VISITS, 2}};
static struct cell a_other[] = {
    {A_SOLVE_20, A_COMPUTATION, 100}, {A_REDUCE, A_COLLECTIVE, 20}, {A_REDUCE, A_VISITS, 2}};
static struct cell b_first[] = {
    {B_SOLVE_10, B_COMPUTATION, 300}, {B_REDUCE, B_VISITS, 4}, {B_REDUCE, B_COLLECTIVE, 60}};
static struct cell b_second[] = {
    {B_SOLVE_20, B_COMPUTATION, 100}, {B_SOLVE_10, B_COMPUTATION, 100},
    {B_REDUCE, B_VISITS, 4},          {B_REDUCE, B_COLLECTIVE, 40},
    {B_BCAST, B_VISITS, 2},           {B_BCAST, B_COLLECTIVE, 8}};

static struct cluster clusters_a[] = {CLUSTER(1, a_usual), CLUSTER(1, a_slow),
                                      CLUSTER(1, a_usual), CLUSTER(1, a_other)};
static struct cluster clusters_b[] = {CLUSTER(2, b_first), CLUSTER(2, b_second)};
static struct run runs_a[] = {
    {0, 1, 0, false}, {1, 1, 1, false}, {2, 1, 2, false}, {3, 1, 3, false}};
static struct run runs_b[] = {{0, 2, 0, false}, {2, 2, 1, false}};

static struct series series_of(uint32_t phase, struct cluster *clusters, size_t cluster_count,
                               struct run *runs, size_t run_count)
{
    struct series series = {.phase = phase,
                            .parent_phase = SUMMARY_NONE,
                            .clusters = clusters,
                            .cluster_count = cluster_count,
                            .runs = runs,
                            .run_count = run_count};
    for (size_t i = 0; i < run_count; i++)
        series.iterations += runs[i].length;
    return series;
}

/* A location with one series; of its whole run it is only looked at whether it is zero. */
static struct location location_of(uint32_t thread, struct series *series)
{
    return (struct location){.thread = thread,
                             .host = SUMMARY_NONE,
                             .whole = series->clusters[series->cluster_count - 1].sums,
                             .series = series,
                             .series_count = 1};
}

static struct summary summary_a(struct location *locations, size_t count)
{
    return (struct summary){.path = "a",
                            .metrics = metrics_a,
                            .metric_count = LENGTH_OF(metrics_a),
                            .modules = modules_a,
                            .module_count = LENGTH_OF(modules_a),
                            .regions = regions_a,
                            .region_count = LENGTH_OF(regions_a),
                            .nodes = nodes_a,
                            .node_count = LENGTH_OF(nodes_a),
                            .locations = locations,
                            .location_count = count,
                            .phases = phases_a,
                            .phase_count = LENGTH_OF(phases_a)};
}

static struct summary summary_b(struct location *locations, size_t count)
{
    return (struct summary){.path = "b",
                            .metrics = metrics_b,
                            .metric_count = LENGTH_OF(metrics_b),
                            .modules = modules_b,
                            .module_count = LENGTH_OF(modules_b),
                            .regions = regions_b,
                            .region_count = LENGTH_OF(regions_b),
                            .nodes = nodes_b,
                            .node_count = LENGTH_OF(nodes_b),
                            .locations = locations,
                            .location_count = count,
                            .phases = phases_b,
                            .phase_count = LENGTH_OF(phases_b)};
}

/* What it takes to have figures, which end with it. */
struct compared {
    struct selection selections[SIDES];
    struct joint *joint;
    struct figures *figures;
};

static struct compared compare(const struct summary *a, const struct summary *b)
{
    const struct options options = {
        .iterations = {0, UINT64_MAX}, .ranks = {0, UINT64_MAX}, .threads = {0, UINT64_MAX}};
    const uint32_t phases[SIDES] = {summary_phase(a, "step"), summary_phase(b, "step")};
    struct compared compared;
    struct error error;
    if (!selection_make(&compared.selections[SIDE_A], a, &options, &error) ||
        !selection_make(&compared.selections[SIDE_B], b, &options, &error))
        printf("# %s\n", error.text);
    compared.joint = joint_make(&compared.selections[SIDE_A], &compared.selections[SIDE_B]);
    compared.figures = figures_make(compared.joint, phases);
    return compared;
}

static void forget(struct compared *compared)
{
    figures_free(compared->figures);
    joint_free(compared->joint);
    selection_free(&compared->selections[SIDE_A]);
    selection_free(&compared->selections[SIDE_B]);
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-15 * fabs(b);
}

/* A figure of a metric; NAN if the metric is not compared. */
static double figure(const struct compared *compared, enum metric_figure figure,
                     const char *name)
{
    for (size_t m = 0; m < compared->joint->metric_count; m++)
        if (strcmp(compared->joint->metrics[m].name, name) == 0)
            return compared->figures->metrics[figure][m];
    return (double)NAN;
}

static void check_metrics(const struct compared *compared)
{
    static const struct {
        const char *name;
        double mean, rms_squared, worst, path_mean, path_worst;
    } wanted[] = {
        {"computation", 25.0 / 200, 1250.0 / 40000, 50.0 / 200, 50.0 / 200, 50.0 / 200},
        {"mpi_collective", 7.0 / 40, 58.0 / 1600, 10.0 / 40, 28.0 / 6 / 40, 10.0 / 40},
        {"visits", 0.5 / 2, 0.5 / 4, 1.0 / 2, 2.0 / 6 / 2, 1.0 / 2}};
    for (size_t i = 0; i < LENGTH_OF(wanted); i++) {
        const char *name = wanted[i].name;
        OK(near(figure(compared, ITERATION_MEAN, name), wanted[i].mean), "%s: mean", name);
        OK(near(figure(compared, ITERATION_MAX, name), wanted[i].mean),
           "%s: the maximum over one rank is its value", name);
        OK(near(figure(compared, ITERATION_RMS, name), sqrt(wanted[i].rms_squared)), "%s: rms",
           name);
        OK(near(figure(compared, ITERATION_WORST, name), wanted[i].worst), "%s: worst", name);
        OK(near(figure(compared, CALLPATH_MEAN, name), wanted[i].path_mean),
           "%s: mean of call paths", name);
        OK(near(figure(compared, CALLPATH_WORST, name), wanted[i].path_worst),
           "%s: worst of call paths", name);
    }
    OK(near(figure(compared, ITERATION_MEAN, "mpi"), 7.0 / 40), "mpi is the sum of its parts");
    OK(isnan(figure(compared, CALLPATH_MEAN, "mpi")), "and not compared by call path");
    OK(isnan(figure(compared, ITERATION_MEAN, "time")), "time is left out");
    OK(isnan(figure(compared, ITERATION_MEAN, "bytes")), "so is what nobody has");
}

static void check_groups(const struct figures *figures)
{
    const double *mean = figures->groups[ITERATION_MEAN];
    OK(near(mean[GROUP_TIME], (25.0 / 200 + 7.0 / 40 + 7.0 / 40) / 3), "mean of the times");
    OK(near(mean[GROUP_MPI_TIME], 7.0 / 40), "of those in MPI");
    OK(near(mean[GROUP_COMPUTATION], 25.0 / 200), "of computation");
    OK(near(mean[GROUP_COUNT], 0.25), "of the counts");
    OK(near(mean[GROUP_ALL], (25.0 / 200 + 7.0 / 40 + 7.0 / 40 + 0.25) / 4), "of all");
    OK(isnan(mean[GROUP_MPI_COUNT]), "a total has no part on MPI paths");
    OK(near(figures->groups[ITERATION_WORST][GROUP_ALL], 0.5), "the worst is that of one");
    OK(near(figures->groups[CALLPATH_MEAN][GROUP_MPI_COUNT], 1.0 / 6), "counts on MPI paths");
}

static void check_paths(const struct figures *figures)
{
    static const double shares[ERROR_GROUPS][ERROR_STEPS] = {
        [ERROR_MPI_TIME] = {4. / 6, 4. / 6, 4. / 6, 4. / 6, 4. / 6, 2. / 6, 0},
        [ERROR_MPI_COUNT] = {2. / 6, 2. / 6, 2. / 6, 2. / 6, 2. / 6, 2. / 6, 0},
        [ERROR_COMPUTATION] = {1, 1, 1, 1, 1, 1, 0}};
    static const double phantom[PATH_GROUPS] = {4. / 12, 2. / 6, 1. / 4, 1. / 2};
    for (size_t g = 0; g < ERROR_GROUPS; g++)
        for (size_t s = 0; s < ERROR_STEPS; s++)
            OK(near(figures->shares[g][s], shares[g][s]), "group %zu, errors above %g", g,
               error_limits[s]);
    for (size_t g = 0; g < PATH_GROUPS; g++) {
        OK(near(figures->phantom[g], phantom[g]), "phantoms of kind %zu", g);
        OK(figures->missing[g] == 0, "nothing of kind %zu is missing", g);
    }
}

static void test_figures_are_those_calculated_by_hand(void)
{
    struct series ours = series_of(0, clusters_a, 4, runs_a, 4),
                  theirs = series_of(1, clusters_b, 2, runs_b, 2);
    struct location here = location_of(0, &ours), there = location_of(0, &theirs);
    struct summary a = summary_a(&here, 1), b = summary_b(&there, 1);
    struct compared compared = compare(&a, &b);
    EQ_INT(compared.figures->iterations, 4, "four iterations are compared");
    EQ_INT(compared.figures->ranks, 1, "of one rank");
    check_metrics(&compared);
    check_groups(compared.figures);
    check_paths(compared.figures);
    OK(!compared.figures->sides[SIDE_A].compressed, "A is not compressed");
    OK(compared.figures->sides[SIDE_B].compressed, "B is");
    forget(&compared);
    compared = compare(&b, &a);
    OK(near(compared.figures->missing[PATHS_ALL], 4. / 12), "the other way round: missing");
    forget(&compared);
}

static void test_a_call_path_may_be_all_wrong(void)
{
    static struct cell a_cells[] = {{A_REDUCE, A_COLLECTIVE, 30}};
    static struct cell b_cells[] = {{B_BCAST, B_COLLECTIVE, 30}, {B_BCAST, B_SENT, 5}};
    struct cluster ca[] = {CLUSTER(1, a_cells)};
    struct cluster cb[] = {{.size = 1, .sums = {b_cells + 1, 1}},
                           {.size = 1, .sums = {b_cells, 1}}};
    struct run run_a[] = {{0, 1, 0, false}}, run_b[] = {{0, 1, 1, false}};
    struct series ours = series_of(0, ca, 1, run_a, 1), theirs = series_of(1, cb, 2, run_b, 1);
    struct location here = location_of(0, &ours), there = location_of(0, &theirs);
    struct summary a = summary_a(&here, 1), b = summary_b(&there, 1);
    struct compared compared = compare(&a, &b);
    OK(compared.figures->shares[ERROR_MPI_TIME][ERROR_STEPS - 1] == 1,
       "both paths of the iteration are 100 %% wrong");
    OK(near(figure(&compared, ITERATION_MEAN, "mpi_collective"), 0),
       "and the iteration is right");
    OK(compared.figures->phantom[PATHS_MPI] == 1 && compared.figures->missing[PATHS_MPI] == 1,
       "one is a phantom, one is missing");
    forget(&compared);
    /* The other cluster: bytes that A does not have at all. */
    run_b[0].cluster = 0;
    there.whole = cb[0].sums;
    compared = compare(&a, &b);
    OK(compared.figures->shares[ERROR_MPI_COUNT][ERROR_STEPS - 1] == 1,
       "a value that is zero throughout A is 100 %% wrong");
    OK(isnan(figure(&compared, ITERATION_MEAN, "bytes_sent")), "but has no share");
    forget(&compared);
}

static void test_a_path_is_what_it_is_in_its_iteration(void)
{
    static struct cell a_calling[] = {{A_SOLVE_10, A_COMPUTATION, 5}, {A_REDUCE, A_VISITS, 1}},
                       a_silent[] = {{A_SOLVE_10, A_COMPUTATION, 5}},
                       b_calling[] = {{B_SOLVE_10, B_COMPUTATION, 5}, {B_REDUCE, B_VISITS, 1}},
                       b_silent[] = {{B_SOLVE_20, B_COMPUTATION, 5}};
    struct cluster ca[] = {CLUSTER(1, a_calling), CLUSTER(1, a_silent)};
    struct cluster cb[] = {CLUSTER(1, b_calling), CLUSTER(1, b_silent)};
    struct run run[] = {{0, 1, 0, false}, {1, 1, 1, false}};
    struct series ours = series_of(0, ca, 2, run, 2), theirs = series_of(1, cb, 2, run, 2);
    struct location here = location_of(0, &ours), there = location_of(0, &theirs);
    struct summary a = summary_a(&here, 1), b = summary_b(&there, 1);
    struct compared compared = compare(&a, &b);
    OK(compared.figures->missing[PATHS_COM] == 0, "where it calls MPI it is there");
    OK(compared.figures->missing[PATHS_USR] == 1, "where it does not it is missing");
    OK(compared.figures->phantom[PATHS_USR] == 1, "and another is a phantom");
    forget(&compared);
}

static void test_equal_means_of_unequal_clusters_are_no_error(void)
{
    const int64_t value = (INT64_C(1) << 60) + 1;
    struct cell a_cells[] = {{A_REDUCE, A_VISITS, value}};
    struct cell b_cells[] = {{B_REDUCE, B_VISITS, 3 * value}};
    struct cluster ca[] = {CLUSTER(1, a_cells), CLUSTER(1, a_cells), CLUSTER(1, a_cells)};
    struct cluster cb[] = {CLUSTER(3, b_cells)};
    struct run run_a[] = {{0, 1, 0, false}, {1, 1, 1, false}, {2, 1, 2, false}},
               run_b[] = {{0, 3, 0, false}};
    struct series ours = series_of(0, ca, 3, run_a, 3), theirs = series_of(1, cb, 1, run_b, 1);
    struct location here = location_of(0, &ours), there = location_of(0, &theirs);
    struct summary a = summary_a(&here, 1), b = summary_b(&there, 1);
    struct compared compared = compare(&a, &b);
    OK(compared.figures->shares[ERROR_MPI_COUNT][0] == 0, "no error of call paths");
    OK(figure(&compared, ITERATION_WORST, "visits") == 0, "nor of iterations");
    forget(&compared);
}

static void test_threads_are_summed_for_ranks_only(void)
{
    static struct cell a_10[] = {{A_SOLVE_10, A_COMPUTATION, 10}},
                       a_20[] = {{A_SOLVE_10, A_COMPUTATION, 20}},
                       b_10[] = {{B_SOLVE_10, B_COMPUTATION, 10}},
                       b_20[] = {{B_SOLVE_10, B_COMPUTATION, 20}};
    struct cluster ca[] = {CLUSTER(1, a_10), CLUSTER(1, a_20)};
    struct cluster cb[] = {CLUSTER(1, b_20), CLUSTER(1, b_10)};
    struct run run[] = {{0, 1, 0, false}};
    struct series ours[] = {series_of(0, ca, 1, run, 1), series_of(0, ca + 1, 1, run, 1)};
    struct series theirs[] = {series_of(1, cb, 1, run, 1), series_of(1, cb + 1, 1, run, 1)};
    struct location here[] = {location_of(0, &ours[0]), location_of(1, &ours[1])};
    struct location there[] = {location_of(0, &theirs[0]), location_of(1, &theirs[1])};
    struct summary a = summary_a(here, 2), b = summary_b(there, 2);
    struct compared compared = compare(&a, &b);
    OK(figure(&compared, ITERATION_MEAN, "computation") == 0, "the rank's sum is right");
    OK(figure(&compared, CALLPATH_WORST, "computation") == 0, "so is its call path");
    OK(near(figure(&compared, ITERATION_RMS, "computation"), 0.5), "its threads are not");
    EQ_INT(compared.figures->profiles, 2, "two profiles");
    EQ_INT(compared.figures->iterations, 1, "of one iteration");
    forget(&compared);
}

static void test_what_one_side_lost_is_not_compared(void)
{
    struct run lossy_a[] = {{0, 2, SUMMARY_NONE, false}, {2, 1, 2, false}, {3, 1, 3, false}};
    struct run lossy_b[] = {{0, 1, 0, false},
                            {1, 1, SUMMARY_NONE, false},
                            {2, 1, SUMMARY_NONE, false},
                            {3, 1, 1, false}};
    struct series ours = series_of(0, clusters_a, 4, lossy_a, 3),
                  theirs = series_of(1, clusters_b, 2, lossy_b, 4);
    struct location here = location_of(0, &ours), there = location_of(0, &theirs);
    struct summary a = summary_a(&here, 1), b = summary_b(&there, 1);
    struct compared compared = compare(&a, &b);
    EQ_INT(compared.figures->profiles, 1, "the last iteration is compared");
    EQ_INT(compared.figures->sides[SIDE_A].profiles_only, 1, "A has the third as well");
    EQ_INT(compared.figures->sides[SIDE_B].profiles_only, 1, "B the first");
    OK(near(figure(&compared, CALLPATH_MEAN, "computation"), 0.5),
       "shares are of what is compared");
    forget(&compared);
}

static void test_long_runs_take_no_longer(void)
{
    struct cluster ca[] = {CLUSTER(1, a_usual)}, cb[] = {CLUSTER(1, b_first)};
    struct run run[] = {{0, SUMMARY_MAX_ITERATIONS, 0, false}};
    struct series ours = series_of(0, ca, 1, run, 1), theirs = series_of(1, cb, 1, run, 1);
    struct location here = location_of(0, &ours), there = location_of(0, &theirs);
    struct summary a = summary_a(&here, 1), b = summary_b(&there, 1);
    struct compared compared = compare(&a, &b);
    EQ_INT(compared.figures->iterations, SUMMARY_MAX_ITERATIONS, "all are compared");
    OK(near(figure(&compared, ITERATION_MEAN, "computation"), 2), "as one would be");
    forget(&compared);
}

static void test_other_units_are_not_compared(void)
{
    struct series ours = series_of(0, clusters_a, 4, runs_a, 4),
                  theirs = series_of(1, clusters_b, 2, runs_b, 2);
    struct location here = location_of(0, &ours), there = location_of(0, &theirs);
    struct summary a = summary_a(&here, 1), b = summary_b(&there, 1);
    metrics_b[B_COLLECTIVE].scale = 6;
    struct compared compared = compare(&a, &b);
    OK(isnan(figure(&compared, ITERATION_MEAN, "mpi_collective")), "another scale");
    OK(near(figure(&compared, ITERATION_MEAN, "visits"), 0.25), "the others are");
    forget(&compared);
    metrics_b[B_COLLECTIVE].scale = 9;
}

int main(void)
{
    test_figures_are_those_calculated_by_hand();
    test_a_call_path_may_be_all_wrong();
    test_a_path_is_what_it_is_in_its_iteration();
    test_equal_means_of_unequal_clusters_are_no_error();
    test_threads_are_summed_for_ranks_only();
    test_what_one_side_lost_is_not_compared();
    test_long_runs_take_no_longer();
    test_other_units_are_not_compared();
    return tap_done();
}
