/*
 * Reading summaries: the example comes back, and its promises are checked exactly.
 */
#include "accuracy/checks.h"
#include "accuracy/quality.h"
#include "common/metrics.h"
#include "query/iterations.h"
#include "query/paths.h"
#include "query/sums.h"
#include "report/report.h"
#include "tap.h"
#include "tests/unit/utils/summary_reading.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void test_the_example_comes_back(void)
{
    struct summary *summary = read_example();
    if (!OK(summary, "the example is read"))
        return;
    EQ_INT(summary->state, FORMAT_COMPLETE, "it is complete");
    EQ_INT(summary->node_count, EXAMPLE_NODES, "all nodes are there");
    EQ_INT(summary->location_count, 3, "all locations are there");
    OK(strcmp(summary_fact(summary, "program"), "wave") == 0, "facts are found");
    OK(!summary_fact(summary, "nothing"), "unknown facts are not");
    OK(strcmp(summary->regions[6].name, EXAMPLE_ASSEMBLE) == 0, "names are whole");
    EQ_INT(summary->regions[0].module, SUMMARY_NONE, "the root has no module");
    EQ_INT(summary_phase(summary, "step"), 1, "phases are found by name");
    EQ_INT(summary_metric(summary, "no such"), SUMMARY_NONE, "unknown metrics are not");
    EQ_INT(summary->locations[1].note_count, 1, "a note is kept");
    EQ_INT(location_cost(&summary->locations[0], "calls"), 20, "costs are found");
    const struct series *series = location_series(&summary->locations[0], 1);
    static const uint32_t clusters[] = {0, 0, 1, 0, 0, 1};
    for (uint32_t i = 0; i < 6; i++)
        EQ_INT(series_cluster(series, i), clusters[i], "iteration %u is in its cluster", i);
    EQ_INT(series_cluster(series, 6), SUMMARY_NONE, "there is no seventh");
    OK(!location_series(&summary->locations[2], 1), "the second thread has no series");
    summary_free(summary);
}

static void test_promises_hold_in_the_example(void)
{
    struct summary *summary = read_example();
    struct check accounting = check_accounting(summary), totals = check_totals(summary);
    OK(check_holds(&accounting) && accounting.good_locations == 3 &&
           accounting.good_clusters == 3,
       "times add up on 3 locations and in 3 clusters");
    OK(check_holds(&totals) && totals.good_locations == 3, "totals add up on 3 locations");
    OK(accounting.first.length == 0 && totals.first.length == 0, "there is nothing to say");
    summary_free(summary);
}

static void test_one_nanosecond_too_much_is_found(void)
{
    struct summary *summary = read_example();
    struct location *location = &summary->locations[1];
    location->wall_ns--;
    struct check check = check_accounting(summary);
    OK(!check_holds(&check) && check.good_locations == 2, "one location does not add up");
    OK(strstr(text_string(&check.first), "rank 1: 1 ns more"), "%s", text_string(&check.first));
    text_free(&check.first);
    location->wall_ns++;
    location->series[0].clusters[0].wall_ns += 2;
    check = check_accounting(summary);
    OK(!check_holds(&check) && check.good_clusters == 2, "one cluster does not add up");
    OK(strstr(text_string(&check.first), "phase step, cluster 0: 2 ns less"), "%s",
       text_string(&check.first));
    text_free(&check.first);
    summary_free(summary);
}

static void test_one_cell_of_difference_is_found(void)
{
    struct summary *summary = read_example();
    struct profile *sums = &summary->locations[0].series[0].clusters[1].sums;
    sums->cells[sums->count - 1].value += 5;
    struct check check = check_totals(summary);
    OK(!check_holds(&check) && check.good_locations == 2, "one location has other totals");
    OK(strstr(text_string(&check.first),
              "rank 0: comms_coll of main;step;solve;MPI_Allreduce is 5 occ less"),
       "%s", text_string(&check.first));
    text_free(&check.first);
    summary_free(summary);
}

static void test_nested_series_do_not_count_twice(void)
{
    struct summary *summary = read_example();
    summary->locations[0].series[0].parent_phase = 0;
    struct check check = check_totals(summary);
    EQ_INT(check.good_locations, 2, "clusters of a nested series are left out of the totals");
    text_free(&check.first);
    summary_free(summary);
}

static void test_paths_of_the_same_names_are_joined(void)
{
    struct summary *summary = read_example();
    struct path_tree *tree = path_tree_build(summary);
    struct text text = {0};
    EQ_INT(tree->count, EXAMPLE_NODES - 2, "two nodes are joined to others");
    EQ_INT(tree->of_node[NODE_solve_2], tree->of_node[NODE_solve_1], "solve is one path");
    EQ_INT(tree->of_node[NODE_allreduce_2], tree->of_node[NODE_allreduce_1], "and so below it");
    path_add_text(tree, tree->of_node[NODE_allreduce_2], ";", &text);
    OK(strcmp(text_string(&text), "main;step;solve;MPI_Allreduce") == 0,
       "the root is left out");
    text_clear(&text);
    path_add_text(tree, 0, ";", &text);
    OK(strcmp(text_string(&text), "program") == 0, "unless it is the path");
    text_free(&text);
    path_tree_free(tree);
    summary_free(summary);
}

static void test_iterations_are_the_means_of_their_clusters(void)
{
    struct summary *summary = read_example();
    struct options options = everything();
    struct selection all = select_with(summary, &options);
    long double *values = allocate(summary->metric_count, sizeof *values);
    uint32_t time = summary_metric(summary, "time"), bytes = summary_metric(summary, "bytes");
    EQ_INT(all.rank_count, 2, "two ranks");
    EQ_INT(all.ranks[1].count, 2, "the second with two threads");
    OK(iteration_totals(summary, &all.ranks[0], 1, 3, values), "iteration 3 is there");
    OK(values[time] == 0.002L && values[bytes] == 1600, "it takes 2 ms and 1600 bytes");
    OK(iteration_totals(summary, &all.ranks[0], 1, 5, values), "iteration 5 is there");
    OK(values[time] == 0.004L && values[bytes] == 1600.5L, "4 ms and 1600.5 bytes in the mean");
    OK(!iteration_totals(summary, &all.ranks[1], 1, 5, values), "rank 1 has no iteration 5");
    free(values);
    selection_free(&all);
    summary_free(summary);
}

static void test_iterations_by_call_path_add_up_to_their_totals(void)
{
    struct summary *summary = read_example();
    struct options options = everything();
    struct selection all = select_with(summary, &options);
    struct path_tree *tree = path_tree_build(summary);
    struct path_values *values = path_values_create(tree);
    uint32_t time = summary_metric(summary, "time"), visits = summary_metric(summary, "visits");
    long double total = 0;
    OK(iteration_paths(&all.ranks[0], 1, 2, METRICS_INCLUSIVE, values), "iteration 2 is there");
    for (size_t i = 0; i < values->count; i++)
        total += path_value(values, values->list[i], time);
    OK((double)total == 0.004, "its times are 4 ms together");
    OK(path_value(values, tree->of_node[NODE_solve_1], visits) == 3, "joined paths are added");
    OK(!iteration_paths(&all.ranks[1], 1, 5, METRICS_INCLUSIVE, values) && values->count == 0,
       "an iteration that is not there leaves nothing behind");
    path_values_free(values);
    path_tree_free(tree);
    selection_free(&all);
    summary_free(summary);
}

/* The stretch that ITERATION is in, which must be there. */
static struct stretch stretch_of(const struct iteration_view *view, uint64_t iteration)
{
    const struct stretch *at = view->stretches;
    while (at->first + at->length <= iteration)
        at++;
    return *at;
}

static void test_the_view_knows_maximum_mean_and_slowest(void)
{
    struct summary *summary = read_example();
    struct options options = everything();
    options.iterations.first = 1;
    struct selection all = select_with(summary, &options);
    struct iteration_view *view =
        iteration_view_create(&all, 1, summary_metric(summary, "time"));
    EQ_INT(view->count, 5, "iterations 1 to 5");
    struct stretch one = stretch_of(view, 1), two = stretch_of(view, 2),
                   five = stretch_of(view, 5);
    OK(one.max == 0.003 && one.mean == 0.0025 && one.slowest == 1,
       "rank 1 is slower in iteration 1");
    OK(two.max == 0.004 && two.slowest == 0, "rank 0 in iteration 2");
    OK(five.max == 0.004 && five.mean == 0.004, "and alone in iteration 5");
    EQ_INT(view->stretch_count, 4, "iterations 3 and 4 are alike");
    iteration_view_free(view);
    selection_free(&all);
    summary_free(summary);
}

static void test_threads_add_up_where_they_were_there(void)
{
    struct summary *summary = read_made(maker_threads);
    struct options options = everything();
    struct selection all = select_with(summary, &options);
    static const double wanted_ms[] = {3, 3, 6, 3, 3, 5};
    long double *values = allocate(summary->metric_count, sizeof *values);
    uint32_t time = summary_metric(summary, "time");
    EQ_INT(selection_locations(&all), 5, "five threads");
    OK(selection_has_threads(&all), "that is more than ranks");
    for (uint64_t i = 0; i < 6; i++) {
        OK(iteration_totals(summary, &all.ranks[0], 1, i, values), "iteration %d is there",
           (int)i);
        OK((double)values[time] * 1000 == wanted_ms[i], "its threads take %g ms together",
           wanted_ms[i]);
    }
    struct iteration_view *view = iteration_view_create(&all, 1, time);
    EQ_INT(view->count, 6, "the view has all iterations");
    for (uint64_t i = 0; i < view->count; i++)
        OK(stretch_of(view, i).max * 1000 == wanted_ms[i], "iteration %d: %g ms", (int)i,
           wanted_ms[i]);
    iteration_view_free(view);
    free(values);
    selection_free(&all);
    summary_free(summary);
}

static void test_chosen_threads_are_alone(void)
{
    struct summary *summary = read_made(maker_threads);
    struct options options = everything();
    options.threads = (struct range){1, 1};
    struct selection chosen = select_with(summary, &options);
    long double *values = allocate(summary->metric_count, sizeof *values);
    uint32_t time = summary_metric(summary, "time");
    EQ_INT(chosen.rank_count, 2, "both ranks have a thread 1");
    EQ_INT(selection_locations(&chosen), 2, "and nothing else is chosen");
    OK(!iteration_totals(summary, &chosen.ranks[0], 1, 1, values),
       "an iteration that the thread was absent from is not there");
    OK(iteration_totals(summary, &chosen.ranks[0], 1, 2, values) && values[time] == 0.001L,
       "others are the thread's own");
    OK(!iteration_totals(summary, &chosen.ranks[1], 1, 2, values), "rank 1 has none");
    struct iteration_view *view = iteration_view_create(&chosen, 1, time);
    struct stretch two = stretch_of(view, 2);
    OK(isnan(stretch_of(view, 1).max) && two.max == 0.001 && two.mean == 0.001,
       "nor is it in the mean over ranks");
    EQ_INT(rank_series(summary, &chosen.ranks[0], 1)->lost, 2, "two iterations are absent");
    iteration_view_free(view);
    selection_free(&chosen);
    options.threads = (struct range){2, 9};
    chosen = select_with(summary, &options);
    EQ_INT(chosen.rank_count, 1, "a rank without such threads is left out");
    EQ_INT(selection_iterations(&chosen, 1), 3, "a thread that ended has fewer iterations");
    free(values);
    selection_free(&chosen);
    summary_free(summary);
}

static void test_the_marking_thread_stands_for_its_rank(void)
{
    struct summary *summary = read_made(maker_threads);
    struct options options = everything();
    struct selection all = select_with(summary, &options);
    OK(rank_series(summary, &all.ranks[0], 1) == &summary->locations[0].series[0],
       "thread 0 comes first");
    summary->locations[0].series_count = 0;
    OK(rank_series(summary, &all.ranks[0], 1) == &summary->locations[1].series[0],
       "the next if it has no series");
    selection_free(&all);
    summary_free(summary);
}

static void test_means_of_threads_stay_whole(void)
{
    struct summary *summary = read_made(maker_threads);
    struct options options = everything();
    struct selection all = select_with(summary, &options);
    struct path_tree *tree = path_tree_build(summary);
    struct path_values *values = path_values_create(tree);
    uint32_t visits = summary_metric(summary, "visits");
    struct cluster *cluster = &summary->locations[1].series[0].clusters[0];
    unsigned broken = 0;
    for (uint64_t size = 1; size < 1000; size++) {
        cluster->size = size;
        for (size_t i = 0; i < cluster->sums.count; i++)
            if (cluster->sums.cells[i].metric == visits)
                cluster->sums.cells[i].value = 5 * (int64_t)size;
        iteration_paths(&all.ranks[0], 1, 3, METRICS_INCLUSIVE, values);
        broken += path_value(values, tree->of_node[NODE_solve_1], visits) != 8;
    }
    EQ_INT(broken, 0, "5 visits of %d cluster sizes and another thread's 3 are 8", 999);
    path_values_free(values);
    path_tree_free(tree);
    selection_free(&all);
    summary_free(summary);
}

/* What `tsprof report` says about the iterations of SUMMARY; for text_free. */
static struct text iterations_report(const struct summary *summary,
                                     const struct options *options)
{
    struct selection selection = select_with(summary, options);
    struct path_tree *tree = path_tree_build(summary);
    struct report report = {.summary = summary,
                            .selection = &selection,
                            .tree = tree,
                            .metric = summary_metric(summary, "time"),
                            .is_time = true,
                            .palette = palette_for("never"),
                            .columns = 80};
    report_iterations(&report);
    path_tree_free(tree);
    selection_free(&selection);
    return report.text;
}

/* True if TEXT has WORDS; shows it if not. */
static bool says(const struct text *text, const char *words)
{
    bool found = strstr(text_string(text), words);
    if (!found)
        printf("# no \"%s\" in:\n%s\n", words, text_string(text));
    return found;
}

static void test_slow_iterations_are_one_if_all_threads_say_so(void)
{
    struct summary *summary = read_made(maker_threads);
    struct options options = everything();
    struct text text = iterations_report(summary, &options);
    OK(says(&text, "6.00 ms     3.00 ms        2       0  2\n"),
       "iteration 2, with three threads");
    OK(says(&text, "5.00 ms     3.00 ms    1.667       0  5\n"),
       "is not iteration 5, with two");
    OK(says(&text, "in 1 to 2 clusters per thread"), "clusters are counted by thread");
    text_free(&text);
    options.threads.last = 0;
    text = iterations_report(summary, &options);
    OK(says(&text, "4.00 ms     3.00 ms    1.333       0  2, 5\n"),
       "thread 0 alone cannot tell them");
    OK(says(&text, "in 1 to 2 clusters per rank"), "clusters are counted by rank");
    text_free(&text);
    summary_free(summary);
}

static void test_selections_name_what_does_not_exist(void)
{
    struct summary *summary = read_example();
    struct selection selection;
    struct error error;
    struct options options = everything();
    options.phases[options.phase_count++] = "stepp";
    OK(!selection_make(&selection, summary, &options, &error) && strstr(error.text, "stepp"),
       "a phase that is not there");
    options = everything();
    options.phases[options.phase_count++] = "setup";
    OK(!selection_make(&selection, summary, &options, &error) && strstr(error.text, "setup"),
       "a phase that was summed");
    options = everything();
    options.metrics[options.metric_count++] = "tims";
    OK(!selection_make(&selection, summary, &options, &error) && strstr(error.text, "tims"),
       "a metric that is not there");
    options = everything();
    options.ranks = (struct range){2, 9};
    OK(!selection_make(&selection, summary, &options, &error), "ranks that are not there");
    options.ranks = (struct range){1, 9};
    OK(selection_make(&selection, summary, &options, &error) && selection.rank_count == 1,
       "a range that is there in part");
    selection_free(&selection);
    options = everything();
    options.threads = (struct range){2, 9};
    OK(!selection_make(&selection, summary, &options, &error) &&
           strstr(error.text, "no thread from 2 on; the last is 1"),
       "threads that are not there");
    options.ranks = (struct range){0, 0};
    options.threads = (struct range){1, 1};
    OK(!selection_make(&selection, summary, &options, &error) &&
           strstr(error.text, "no thread from 1 on; the last is 0"),
       "threads that another rank has");
    options = everything();
    options.iterations = (struct range){6, 9};
    OK(!selection_make(&selection, summary, &options, &error), "iterations that are not there");
    summary_free(summary);
}

static void check_waits(const struct wait_table *waits, const char *what)
{
    if (!OK(waits->pair_count == 1 && waits->longest_count == 1, "%s: a pair and a wait", what))
        return;
    const struct wait_pair *pair = &waits->pairs[0];
    const struct long_wait *wait = &waits->longest[0];
    OK(pair->location == 0 && pair->metric == METRIC_mpi_collective &&
           pair->node == NODE_allreduce_1 && pair->cause == 1,
       "%s: who waits for whom", what);
    OK(pair->count == 2 && pair->ns == 3000 && pair->longest_ns == 2000, "%s: how long", what);
    OK(pair->reason_count == 2 && !pair->reasons[0].is_indirect &&
           pair->reasons[0].ns == 2000 && pair->reasons[1].is_indirect &&
           pair->reasons[1].node == NODE_allreduce_2,
       "%s: why", what);
    OK(wait->phase == 1 && wait->iteration == 3 && wait->begin_ns == 7000000 &&
           wait->ns == 2000 && wait->cause == 1 && wait->cause_node == NODE_allreduce_2 &&
           wait->cause_ns == 7002000,
       "%s: the longest", what);
}

static void test_who_waits_for_whom_comes_back(void)
{
    struct summary *summary = read_made(maker_waits), *again = NULL;
    struct error error = {""};
    char path[80];
    snprintf(path, sizeof path, "%s/waits", reading_directory);
    check_waits(&summary->waits, "read");
    if (OK(summary_create(summary, path, &error), "it can be written: %s", error.text))
        again = summary_read(path, &error);
    if (OK(again, "and read again: %s", error.text))
        check_waits(&again->waits, "read again");
    unlink(path);
    summary_free(again);
    summary_free(summary);
}

static void test_locations_are_selected(void)
{
    struct summary *summary = read_made(maker_threads);
    struct options options = everything();
    options.threads = (struct range){1, 1};
    struct selection threads = select_with(summary, &options);
    for (uint32_t i = 0; i < summary->location_count; i++)
        EQ_INT(selection_has(&threads, i), summary->locations[i].thread == 1,
               "location %u, if it is a second thread", i);
    OK(!selection_has(&threads, summary->location_count), "none after the last");
    selection_free(&threads);
    summary_free(summary);
}

int main(void)
{
    if (!reading_start())
        return 1;
    test_the_example_comes_back();
    test_promises_hold_in_the_example();
    test_one_nanosecond_too_much_is_found();
    test_one_cell_of_difference_is_found();
    test_nested_series_do_not_count_twice();
    test_paths_of_the_same_names_are_joined();
    test_iterations_are_the_means_of_their_clusters();
    test_iterations_by_call_path_add_up_to_their_totals();
    test_the_view_knows_maximum_mean_and_slowest();
    test_threads_add_up_where_they_were_there();
    test_chosen_threads_are_alone();
    test_the_marking_thread_stands_for_its_rank();
    test_means_of_threads_stay_whole();
    test_slow_iterations_are_one_if_all_threads_say_so();
    test_selections_name_what_does_not_exist();
    test_who_waits_for_whom_comes_back();
    test_locations_are_selected();
    reading_stop();
    return tap_done();
}
