/*
 * Reading summaries: the example comes back, its promises are checked exactly, and no file,
 * however damaged, does more than fail with a message.
 */
#include "summary.h"

#include "checks.h"
#include "iterations.h"
#include "paths.h"
#include "quality.h"
#include "report.h"
#include "select.h"
#include "summary_maker.h"
#include "sums.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/tsprof-test-XXXXXX";
static char path[64];

/* Reads BYTES as a file; NULL and a message if that fails. */
static struct summary *read_bytes(const void *bytes, size_t size, struct error *error)
{
    error->text[0] = '\0';
    if (!maker_save(path, bytes, size))
        return NULL;
    return summary_read(path, error);
}

static struct summary *read_maker(const struct maker *maker, struct error *error)
{
    struct encoder file = {0};
    maker_write(maker, &file);
    struct summary *summary = read_bytes(file.bytes, file.size, error);
    encoder_free(&file);
    return summary;
}

static struct summary *read_made(void (*make)(struct maker *maker))
{
    struct maker maker;
    struct error error;
    make(&maker);
    struct summary *summary = read_maker(&maker, &error);
    if (!summary)
        printf("# %s\n", error.text);
    maker_free(&maker);
    return summary;
}

static struct summary *read_example(void)
{
    return read_made(maker_example);
}

static struct selection select_with(const struct summary *summary,
                                    const struct options *options)
{
    struct selection selection;
    struct error error;
    if (!selection_make(&selection, summary, options, &error))
        printf("# %s\n", error.text);
    return selection;
}

static struct options everything(void)
{
    return (struct options){
        .iterations = {0, UINT64_MAX}, .ranks = {0, UINT64_MAX}, .threads = {0, UINT64_MAX}};
}

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
    OK(says(&text, "6.00 ms         2       0  2\n"), "iteration 2, with three threads");
    OK(says(&text, "5.00 ms     1.667       0  5\n"), "is not iteration 5, with two");
    OK(says(&text, "in 1 to 2 clusters per thread"), "clusters are counted by thread");
    text_free(&text);
    options.threads.last = 0;
    text = iterations_report(summary, &options);
    OK(says(&text, "4.00 ms     1.333       0  2, 5\n"), "thread 0 alone cannot tell them");
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

static void report_everything(const struct summary *summary, const struct selection *all,
                              const struct path_tree *tree)
{
    struct options options = everything();
    struct error error;
    struct report report = {.summary = summary,
                            .selection = all,
                            .tree = tree,
                            .metric = summary_metric(summary, "time"),
                            .palette = palette_for("never"),
                            .is_time = true,
                            .columns = 80};
    if (report.metric == SUMMARY_NONE || !scope_make(&report.scope, all, &options, &error))
        return;
    report_findings(&report);
    report_metrics(&report);
    report_iterations(&report);
    report_paths(&report);
    report_samples(&report);
    report_trust(&report);
    text_free(&report.text);
}

/* Does with a summary what the commands do, for the sanitizers to watch. */
static void exercise(const struct summary *summary)
{
    struct options options = everything();
    struct selection all = select_with(summary, &options);
    struct check accounting = check_accounting(summary), totals = check_totals(summary);
    struct path_tree *tree = path_tree_build(summary);
    struct path_values *values = path_values_create(tree);
    free(metrics_in_use(summary));
    for (uint32_t p = 0; p < summary->phase_count; p++)
        for (size_t r = 0; r < all.rank_count; r++)
            for (uint64_t i = 0; i < 8; i++)
                iteration_paths(&all.ranks[r], p, i, METRICS_INCLUSIVE, values);
    if (summary->metric_count > 0 && summary->phase_count > 1)
        iteration_view_free(iteration_view_create(&all, 1, 0));
    if (summary->metric_count > 0)
        report_everything(summary, &all, tree);
    for (uint32_t p = 0; p < summary->phase_count; p++) {
        struct quality *quality = quality_create(&all, p);
        quality_verdict(quality);
        free(quality_doubtful(quality).ranges);
        quality_free(quality);
    }
    path_values_free(values);
    path_tree_free(tree);
    text_free(&accounting.first);
    text_free(&totals.first);
    selection_free(&all);
}

/* True if BYTES were read, or refused with a message that names the file. */
static bool survives(const void *bytes, size_t size)
{
    struct error error;
    struct summary *summary = read_bytes(bytes, size, &error);
    if (summary)
        exercise(summary);
    summary_free(summary);
    return summary || (strncmp(error.text, path, strlen(path)) == 0 &&
                       strlen(error.text) > strlen(path) + 2);
}

/* True if the file of MAKER, which is freed, is refused with a message that has WORDS. */
static bool is_refused(struct maker *maker, const char *words)
{
    struct error error;
    struct summary *summary = read_maker(maker, &error);
    bool refused = !summary && strstr(error.text, words);
    if (!refused)
        printf("# %s\n", summary ? "it was read" : error.text);
    summary_free(summary);
    maker_free(maker);
    return refused;
}

/* The section of KIND, empty but for a count. */
static struct encoder *replace_section(struct maker *maker, enum format_section kind,
                                       unsigned count)
{
    struct encoder *section = &maker->sections[kind];
    encoder_free(section);
    encode_varint(section, count);
    return section;
}

static void test_more_than_any_file_has_is_refused(void)
{
    static const struct {
        enum format_section kind;
        unsigned most, item_bytes;
    } limits[] = {{SECTION_METRICS, FORMAT_METRICS_MOST, 6},
                  {SECTION_RUN, FORMAT_FACTS_MOST, 2},
                  {SECTION_PHASES, FORMAT_PHASES_MOST, 3}};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        struct maker maker;
        maker_example(&maker);
        struct encoder *section = replace_section(&maker, limits[i].kind, limits[i].most + 1);
        for (unsigned k = 0; k < (limits[i].most + 1) * limits[i].item_bytes; k++)
            encode_varint(section, 0);
        OK(is_refused(&maker, "is one too many"), "%u of kind %d", limits[i].most + 1,
           (int)limits[i].kind);
    }
}

static void test_more_series_than_any_location_has_are_refused(void)
{
    enum { BEFORE_SERIES = 10, SERIES_BYTES = 10 };
    struct maker maker;
    maker_example(&maker);
    struct encoder *location = &maker.locations[0];
    encoder_free(location);
    for (unsigned i = 0; i < BEFORE_SERIES; i++)
        encode_varint(location, 0);
    encode_varint(location, FORMAT_SERIES_MOST + 1);
    for (unsigned i = 0; i < (FORMAT_SERIES_MOST + 1) * SERIES_BYTES; i++)
        encode_varint(location, 0);
    OK(is_refused(&maker, "is one too many"), "%u series", FORMAT_SERIES_MOST + 1);
}

/* One function that calls itself DEPTH times; a path of so many names is DEPTH times as long.
 */
static void make_deep(struct maker *maker, unsigned depth, size_t name_bytes)
{
    char *name = allocate(name_bytes + 1, 1);
    memset(name, 'f', name_bytes);
    maker_example(maker);
    struct encoder *regions = &maker->sections[SECTION_REGIONS];
    encoder_free(regions);
    encode_varint(regions, 30);
    for (unsigned i = 0; i < 30; i++) {
        encode_string(regions, i ? name : "program");
        encode_bytes(regions, "\0\0\0\0\0\0", 6);
    }
    struct encoder *tree = replace_section(maker, SECTION_CALLTREE, depth);
    for (unsigned i = 0; i < depth; i++) {
        encode_varint(tree, i);
        encode_varint(tree, i > 0);
        encode_varint(tree, 0);
    }
    free(name);
}

static void test_call_paths_have_bounded_names(void)
{
    struct maker maker;
    struct error error;
    make_deep(&maker, 1025, (1 << 16) - 1);
    OK(is_refused(&maker, "too long names"), "64 MiB and some bytes are refused");
    make_deep(&maker, 1024, (1 << 16) - 1);
    struct summary *summary = read_maker(&maker, &error);
    OK(summary, "64 MiB are not%s%s", summary ? "" : ": ", summary ? "" : error.text);
    summary_free(summary);
    maker_free(&maker);
}

static void test_a_file_cut_anywhere_is_refused(void)
{
    struct maker maker;
    struct encoder file = {0};
    struct error error;
    unsigned read = 0, silent = 0;
    maker_example(&maker);
    maker_write(&maker, &file);
    for (size_t size = 0; size < file.size; size++) {
        struct summary *summary = read_bytes(file.bytes, size, &error);
        read += summary != NULL;
        silent += !summary && !error.text[0];
        summary_free(summary);
    }
    EQ_INT(read, 0, "none of %zu beginnings is taken for a summary", file.size);
    EQ_INT(silent, 0, "each gives a message");
    encoder_free(&file);
    maker_free(&maker);
}

static void test_a_changed_byte_anywhere_is_found(void)
{
    struct maker maker;
    struct encoder file = {0};
    struct error error;
    unsigned read = 0;
    maker_example(&maker);
    maker_write(&maker, &file);
    for (size_t i = 0; i < file.size; i++) {
        file.bytes[i] ^= 0xff;
        struct summary *summary = read_bytes(file.bytes, file.size, &error);
        read += summary != NULL;
        summary_free(summary);
        file.bytes[i] ^= 0xff;
    }
    EQ_INT(read, 0, "none of %zu changed files is read", file.size);
    encoder_free(&file);
    maker_free(&maker);
}

/* Changes each byte of CONTENT in turn; how many of the files were not survived. */
static unsigned change_bytes(const struct maker *maker, struct encoder *content,
                             unsigned char mask)
{
    unsigned lost = 0;
    for (size_t i = 0; i < content->size; i++) {
        struct encoder file = {0};
        content->bytes[i] ^= mask;
        maker_write(maker, &file);
        lost += !survives(file.bytes, file.size);
        content->bytes[i] ^= mask;
        encoder_free(&file);
    }
    return lost;
}

static void test_wrong_content_with_right_checksums_is_survived(void)
{
    static const unsigned char masks[] = {0xff, 0x01};
    struct maker maker;
    maker_example(&maker);
    for (size_t m = 0; m < sizeof masks; m++) {
        unsigned lost = 0;
        for (size_t kind = SECTION_RUN; kind < SECTION_LOCATION; kind++)
            lost += change_bytes(&maker, &maker.sections[kind], masks[m]);
        for (uint32_t i = 0; i < maker.location_count; i++)
            lost += change_bytes(&maker, &maker.locations[i], masks[m]);
        EQ_INT(lost, 0, "every byte of content changed by 0x%02x", masks[m]);
    }
    maker_free(&maker);
}

static void test_content_cut_anywhere_with_right_checksums_is_refused(void)
{
    struct maker maker;
    struct error error;
    unsigned read = 0;
    maker_example(&maker);
    for (size_t kind = SECTION_RUN; kind < SECTION_LOCATION + maker.location_count; kind++) {
        struct encoder *content = kind < SECTION_LOCATION
                                      ? &maker.sections[kind]
                                      : &maker.locations[kind - SECTION_LOCATION];
        size_t whole = content->size;
        for (content->size = 0; content->size < whole; content->size++) {
            struct summary *summary = read_maker(&maker, &error);
            read += summary != NULL;
            summary_free(summary);
        }
    }
    EQ_INT(read, 0, "no section may end early");
    maker_free(&maker);
}

/* Replaces CONTENT by varints and reads; true if that is refused with a message with WORDS. */
static bool refuses(struct maker *maker, struct encoder *content, const uint64_t *numbers,
                    size_t count, const char *words)
{
    struct error error;
    encoder_free(content);
    for (size_t i = 0; i < count; i++)
        encode_varint(content, numbers[i]);
    struct summary *summary = read_maker(maker, &error);
    if (summary || !strstr(error.text, words))
        printf("# %s\n", summary ? "was read" : error.text);
    bool refused = !summary && strstr(error.text, words);
    summary_free(summary);
    return refused;
}

#define REFUSES(section, words, what, ...)                                                     \
    do {                                                                                       \
        struct maker maker;                                                                    \
        const uint64_t numbers[] = {__VA_ARGS__};                                              \
        maker_example(&maker);                                                                 \
        OK(refuses(&maker, &maker.section, numbers, sizeof numbers / sizeof numbers[0],        \
                   words),                                                                     \
           what);                                                                              \
        maker_free(&maker);                                                                    \
    } while (0)

/* Rank 0, thread 0, on no host, process 5, which has ended in order. */
#define PLACE 0, 0, 0, 5, 0

/* A location without any numbers. */
#define NOTHING 1, 1, 0, 0, 0, 0, 0

/* A location with one series, up to the clusters that were asked for. */
#define SERIES(asked) PLACE, 1, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 's', asked

/* Doubles whose last two bytes are those of one varint. */
#define A_HALF          0, 0, 0, 0, 0, 0, 8160
#define NOT_A_NUMBER    0, 0, 0, 0, 0, 0, 16376
#define INFINITE        0, 0, 0, 0, 0, 0, 16368
#define MINUS_ONE_AND_1 0, 0, 0, 0, 0, 0, 24560  /* followed by a 1 */
#define MINUS_0_AND_1   0, 0, 0, 0, 0, 0, 0, 128 /* likewise */

static void test_impossible_errors_are_named(void)
{
    REFUSES(locations[0], "unnamed", "a method without a name", PLACE, 1, 1, 0, 0, 0, 1, 1, 0,
            1, 1, 0, 2, 0, 0, 0, 0, 0, 0);
    REFUSES(locations[0], "maxima", "a maximum of no metric", SERIES(2), 1, 99, 1, 0, 0, 0);
    REFUSES(locations[0], "maxima", "two maxima of one metric", SERIES(2), 2, 3, 1, 0, 1, 0, 0,
            0);
    REFUSES(locations[0], "maxima is 0", "a maximum of 0", SERIES(2), 1, 3, 0, 0, 0, 0);
    REFUSES(locations[0], "ends before", "more maxima than bytes", SERIES(2), UINT64_MAX, 1, 1,
            1);
    REFUSES(locations[0], "spreads", "a spread that is no number", SERIES(2), 1, 3, 7, 0, 1, 2,
            0, 0, 0, NOT_A_NUMBER, 1, 2, 1, 0);
    REFUSES(locations[0], "spreads", "an infinite spread", SERIES(2), 1, 3, 7, 0, 1, 2, 0, 0, 0,
            INFINITE, 1, 2, 1, 0);
    REFUSES(locations[0], "spreads", "a negative spread", SERIES(2), 1, 3, 7, 0, 1, 2, 0, 0, 0,
            MINUS_ONE_AND_1, 2, 1, 0);
    REFUSES(locations[0], "spreads", "a negative zero", SERIES(2), 1, 3, 7, 0, 1, 2, 0, 0, 0,
            MINUS_0_AND_1, 2, 1, 0);
    REFUSES(locations[0], "another size", "but half a nanosecond squared is fine", SERIES(2), 1,
            3, 7, 0, 1, 2, 0, 0, 0, A_HALF, 1, 3, 1, 0);
    REFUSES(locations[0], "ends before", "a cluster without its spreads", SERIES(2), 1, 3, 7, 0,
            1, 2, 0, 0, 0, 1, 2, 1, 0);
    REFUSES(locations[0], "sketches", "sketches of clusters", SERIES(2), 0, 1, 1, 1, 0, 0, 0, 5,
            1, 1, 1, 0);
    REFUSES(locations[0], "sketches", "sketches that nobody can count", SERIES(0), 0,
            UINT64_MAX, 0, 0, 0);
    REFUSES(locations[0], "ends before", "sketches larger than the file", SERIES(0), 0, 1 << 30,
            1, 1, 0, 0, 0, 1, 1, 1, 0);
    REFUSES(locations[0], "another size", "but a sketch of three is fine", SERIES(0), 0, 3, 1,
            1, 0, 0, 0, 1, 2, 3, 4, 1, 7, 1, 0);
}

static void test_what_is_out_of_range_is_named(void)
{
    REFUSES(sections[SECTION_CALLTREE], "CALLTREE", "a tree without a root", 0);
    REFUSES(sections[SECTION_CALLTREE], "parent", "a node that is its own parent", 1, 1, 0, 0);
    REFUSES(sections[SECTION_CALLTREE], "second root", "two roots", 2, 0, 0, 0, 0, 0, 0);
    REFUSES(sections[SECTION_CALLTREE], "region", "a node of no region", 1, 0, 99, 0);
    REFUSES(sections[SECTION_CALLTREE], "ends before", "more nodes than bytes", UINT64_MAX, 0);
    REFUSES(sections[SECTION_CALLTREE], "belong to nothing", "bytes left over", 1, 0, 0, 0, 7);
    REFUSES(sections[SECTION_SYSTEM], "ends before", "a host of more facts than bytes", 1, 1,
            'h', 99, 0, 0);
    REFUSES(sections[SECTION_SYSTEM], "belong to nothing", "a host too many", 0, 1, 'h', 0);
    REFUSES(locations[0], "host", "a host that is not there", 0, 0, 5, 5, 0, NOTHING);
    REFUSES(locations[0], "rank", "a rank of no number", UINT64_MAX, 0, 0, 5, 0, NOTHING);
    REFUSES(locations[0], "ends before", "an ending that does not end", 0, 0, 0, 5, 99,
            NOTHING);
    REFUSES(locations[1], "out of order", "a rank and thread twice", PLACE, NOTHING);
    REFUSES(locations[0], "out of order", "a rank after a higher one", 7, 0, 0, 5, 0, NOTHING);
    REFUSES(locations[0], "call path", "a cell of no node", PLACE, 1, 1, 0, 1, 99, 0, 2);
    REFUSES(locations[0], "metric", "a cell of no metric", PLACE, 1, 1, 0, 1, 0, 99, 2);
    REFUSES(locations[0], "out of order", "the same cell twice", PLACE, 1, 1, 0, 2, 0, 2, 2, 0,
            2, 2, 0);
    REFUSES(locations[0], "without iterations", "an empty cluster", SERIES(2), 0, 0, 1, 0, 0, 0,
            0);
    REFUSES(locations[0], "another size", "a cluster larger than the map", SERIES(2), 0, 0, 1,
            9, 0, 0, 0, 1, 1, 1, 0);
    REFUSES(locations[0], "length", "a map longer than any run", SERIES(2), 0, 0, 1, 9, 0, 0, 0,
            1, UINT64_MAX, 1, 0);
    REFUSES(locations[0], "cluster", "a map into no cluster", SERIES(2), 0, 0, 1, 9, 0, 0, 0, 1,
            9, 3, 0);
    REFUSES(locations[0], "another size",
            "an iteration of a cluster that is nowhere in the map", SERIES(2), 0, 0, 1, 9, 0, 0,
            0, 2, 1, 1, 7, 2, 0);
    REFUSES(locations[0], "equivalence", "an unknown equivalence", PLACE, 1, 1, 0, 0, 0, 1, 1,
            0, 9, 1, 1, 's', 2, 0, 0, 0, 0, 0);
    REFUSES(locations[0], "duration", "a wall time of centuries", PLACE, UINT64_MAX, 1);
}

static void test_other_files_are_told_apart(void)
{
    struct maker maker;
    struct error error;
    maker_example(&maker);
    maker.version = 3;
    OK(!read_maker(&maker, &error) && strstr(error.text, "version 3") &&
           strstr(error.text, "later one"),
       "a later version");
    maker.version = 1;
    OK(!read_maker(&maker, &error) && strstr(error.text, "version 1") &&
           strstr(error.text, "wrote it"),
       "an earlier version");
    maker.version = FORMAT_VERSION;
    maker.version_more = 2;
    OK(!read_maker(&maker, &error) && strstr(error.text, "version 3"), "a later section");
    maker.version_more = 0;
    maker.encoding = 2;
    OK(!read_maker(&maker, &error) && strstr(error.text, "encoding 2"), "another encoding");
    maker.encoding = 1;
    OK(!read_maker(&maker, &error) && strstr(error.text, "decompressed"), "what is no frame");
    maker.encoding = 0;
    maker.state = 0;
    OK(!read_maker(&maker, &error) && strstr(error.text, "never finished"),
       "an unfinished one");
    maker.state = 7;
    OK(!read_maker(&maker, &error) && strstr(error.text, "state 7"), "an unknown state");
    maker_free(&maker);
    OK(!read_bytes("", 0, &error) && strstr(error.text, "empty"), "an empty file");
    OK(!read_bytes("\x7f"
                   "ELF",
                   4, &error) &&
           strstr(error.text, "not a tsprof"),
       "another kind");
    OK(!read_bytes("TSPROF\n", 7, &error) && strstr(error.text, "text"),
       "a text-mode transfer");
    OK(!summary_read(directory, &error) && strstr(error.text, "regular"), "a directory");
    OK(!summary_read("/no/such/file", &error) && strstr(error.text, "No such"), "no file");
    char fifo[80];
    snprintf(fifo, sizeof fifo, "%s/fifo", directory);
    OK(mkfifo(fifo, 0600) == 0 && !summary_read(fifo, &error) && strstr(error.text, "regular"),
       "a pipe, without waiting for a writer");
    unlink(fifo);
}

static void test_a_partial_file_is_read(void)
{
    struct maker maker;
    struct error error;
    maker_example(&maker);
    maker.state = FORMAT_PARTIAL;
    struct summary *summary = read_maker(&maker, &error);
    OK(summary && summary->state == FORMAT_PARTIAL, "and known to be partial");
    summary_free(summary);
    maker_free(&maker);
}

static void test_a_huge_sparse_file_is_refused_at_once(void)
{
    struct error error;
    maker_save(path, FORMAT_MAGIC, FORMAT_MAGIC_BYTES);
    if (truncate(path, (off_t)1 << 40) != 0) {
        OK(true, "# SKIP no files of 1 TiB here");
        return;
    }
    OK(!summary_read(path, &error), "1 TiB of nothing: %s", error.text);
}

int main(void)
{
    /* Files in memory: there are tens of thousands of them. */
    int memory = memfd_create("example", 0);
    if (memory < 0 || !mkdtemp(directory))
        return 1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
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
    test_more_than_any_file_has_is_refused();
    test_more_series_than_any_location_has_are_refused();
    test_call_paths_have_bounded_names();
    test_a_file_cut_anywhere_is_refused();
    test_a_changed_byte_anywhere_is_found();
    test_wrong_content_with_right_checksums_is_survived();
    test_content_cut_anywhere_with_right_checksums_is_refused();
    test_what_is_out_of_range_is_named();
    test_impossible_errors_are_named();
    test_other_files_are_told_apart();
    test_a_partial_file_is_read();
    test_a_huge_sparse_file_is_refused_at_once();
    close(memory);
    rmdir(directory);
    return tap_done();
}
