/*
 * What the command says about the measurement itself: what it cost, how exact sampled times
 * are, what is only a bound, where unwinding failed.
 */
#include "accuracy/costs.h"
#include "accuracy/failures.h"
#include "accuracy/sampling.h"
#include "report/report.h"
#include "tap.h"
#include "tests/unit/utils/summary_maker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A summary from MAKE, and a selection of its ranks and threads. */
struct example {
    struct summary *summary;
    struct selection selection;
};

static struct summary *read_made(void (*make)(struct maker *maker))
{
    struct maker maker;
    struct encoder file = {0};
    struct error error;
    char path[64];
    int memory = memfd_create("figures", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
    make(&maker);
    maker_write(&maker, &file);
    maker_save(path, file.bytes, file.size);
    struct summary *summary = summary_read(path, &error);
    encoder_free(&file);
    maker_free(&maker);
    close(memory);
    return summary;
}

static void select_again(struct example *example, struct range ranks, struct range threads)
{
    struct options options = {
        .iterations = {0, UINT64_MAX}, .ranks = ranks, .threads = threads};
    struct error error;
    if (example->selection.summary)
        selection_free(&example->selection);
    if (!selection_make(&example->selection, example->summary, &options, &error))
        printf("# %s\n", error.text);
}

static struct example open_example(void (*make)(struct maker *maker))
{
    struct example example = {.summary = read_made(make)};
    select_again(&example, (struct range){0, UINT64_MAX}, (struct range){0, UINT64_MAX});
    return example;
}

static void close_example(struct example *example)
{
    selection_free(&example->selection);
    summary_free(example->summary);
}

static bool near(long double a, long double b)
{
    return fabsl(a - b) <= 1e-12L * fabsl(b);
}

static void test_costs_are_split_by_what_was_measured(void)
{
    struct example example = open_example(maker_threads);
    select_again(&example, (struct range){0, 0}, (struct range){0, 0});
    struct costs costs = costs_of(&example.selection);
    OK(near(costs.overhead_s, 1.06e-3L), "1.06 ms of overhead");
    OK(near(costs.samples.seconds, 8e-6L) && costs.samples.count == 6,
       "8 µs are the handler's, in 6 interrupts");
    EQ_INT(costs.unused_samples, 1, "one of which was of no use");
    OK(near(costs.markers.seconds, 52e-6L) && costs.markers.count == 12,
       "52 µs those of 12 markers");
    OK(near(costs.calls.seconds, 1e-3L) && costs.calls.count == 20, "and 1 ms of 20 calls");
    EQ_INT(costs.period_ns, 10000000, "the mean period is told");
    EQ_INT(costs.memory_bytes, 1000000, "and the memory");
    EQ_INT(costs.resident_most_bytes, 64000000, "and what the process had of it at most");
    EQ_INT(costs.resident_mean_bytes, 64000000, "as all others");
    close_example(&example);
}

static void test_memory_is_that_of_all_threads_of_a_process(void)
{
    struct example example = open_example(maker_threads);
    struct costs costs = costs_of(&example.selection);
    EQ_INT(costs.memory_bytes, 3000000, "three threads, not the two of the other process");
    EQ_INT(costs.calls.count, 100, "calls are those of all locations");
    close_example(&example);
}

/* Gives a fact of all locations another name. */
static void forget(struct summary *summary, const char *key)
{
    for (size_t l = 0; l < summary->location_count; l++)
        for (size_t i = 0; i < summary->locations[l].cost_count; i++)
            if (strcmp(summary->locations[l].costs[i].key, key) == 0)
                summary->locations[l].costs[i].key = "something else";
}

static void test_facts_that_are_not_there_leave_their_part_in_the_calls(void)
{
    struct example example = open_example(maker_example);
    select_again(&example, (struct range){0, 0}, (struct range){0, 0});
    forget(example.summary, "marker_ns");
    struct costs costs = costs_of(&example.selection);
    OK(!costs.markers.known && costs.samples.known, "markers are not known apart");
    OK(near(costs.calls.seconds, 1.052e-3L), "calls have their time");
    forget(example.summary, "handler_ns");
    costs = costs_of(&example.selection);
    OK(!costs.samples.known && near(costs.calls.seconds, 1.06e-3L), "and that of samples");
    for (size_t l = 0; l < example.summary->location_count; l++)
        example.summary->locations[l].cost_count = 0;
    costs = costs_of(&example.selection);
    OK(costs.calls.count == 0 && near(costs.calls.seconds, 1.06e-3L), "without any fact");
    close_example(&example);
}

static void test_parts_larger_than_the_whole_are_survived(void)
{
    struct example example = open_example(maker_example);
    struct location *location = &example.summary->locations[0];
    for (size_t i = 0; i < location->cost_count; i++)
        location->costs[i].value = UINT64_MAX;
    struct costs costs = costs_of(&example.selection);
    OK(costs.calls.seconds == 0, "nothing is left for calls, and not less");
    close_example(&example);
}

static void test_the_sampling_error_is_that_of_a_poisson_process(void)
{
    OK(near(sampling_error(10, 5, 199), 10 * sqrtl(2 * 0.25L / 200)), "half of the time");
    long double rare = sampling_error(1, 0.0001L, 999999);
    OK(fabsl(rare / (0.0001L * sqrtl(2 / 100.0L)) - 1) < 1e-3L,
       "a small share is known to sqrt(2/m) of itself");
    OK(sampling_error(1, 1, 100) == 0, "all of the time is exact");
    OK(sampling_error(1, 0, 100) == 0 && sampling_error(0, 0, 0) == 0, "so is nothing");
    OK(sampling_error(1, 2, 100) == 0 && sampling_error(1, 0.5L, -3) == 0,
       "damaged numbers have no error");
    OK(near(sampling_error(1, 0.5L, 0), sqrtl(0.5L)), "no samples tell nothing");
}

/* A linear congruential generator: the same numbers everywhere. */
static double random_unit(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
}

/* Samples a run of TOTAL seconds at 1 a second; the estimate of a path with SHARE of it. */
static double sampled(double total, double share, uint64_t *state, uint64_t *samples)
{
    double estimate = 0, now = 0;
    for (;;) {
        double interval = -log(random_unit(state));
        bool hit = random_unit(state) < share;
        /* What follows the last sample stays with that sample's path. */
        if (now + interval > total)
            return hit ? estimate + total - now : estimate;
        estimate += hit ? interval : 0;
        now += interval;
        ++*samples;
    }
}

static void test_the_formula_is_what_sampling_does(void)
{
    static const double shares[] = {0.01, 0.1, 0.5, 0.9};
    const double total = 200;
    const int runs = 4000;
    uint64_t state = 1;
    for (size_t s = 0; s < 4; s++) {
        double squares = 0, wanted = total * shares[s];
        uint64_t samples = 0;
        for (int i = 0; i < runs; i++) {
            double error = sampled(total, shares[s], &state, &samples) - wanted;
            squares += error * error;
        }
        double found = sqrt(squares / runs);
        double said = (double)sampling_error(total, wanted, (long double)samples / runs);
        OK(fabs(found / said - 1) < 0.1, "share %g: error %.3f, said %.3f", shares[s], found,
           said);
    }
}

static void test_failures_are_found_by_place(void)
{
    struct example example = open_example(maker_example);
    struct failures failures = failures_find(&example.selection);
    EQ_INT(failures.samples, 10, "5 samples of each process");
    EQ_INT(failures.failed, 4, "2 of which failed");
    EQ_INT(failures.count, 1, "at one place, whatever was called there");
    struct text text = {0};
    failure_add_place(&text, example.summary, &failures.list[0]);
    OK(strcmp(text_string(&text), "spin in libmpi.so.12") == 0, "%s", text_string(&text));
    text_clear(&text);
    failures.list[0].region = SUMMARY_NONE;
    failure_add_place(&text, example.summary, &failures.list[0]);
    OK(strcmp(text_string(&text), "[stopped]") == 0, "without a frame the reason stands there");
    text_free(&text);
    failures_free(&failures);
    select_again(&example, (struct range){1, 1}, (struct range){1, 1});
    failures = failures_find(&example.selection);
    EQ_INT(failures.failed, 0, "none on a thread without samples");
    failures_free(&failures);
    close_example(&example);
}

/* Moves a failed sample to another node. */
static void move_failed(struct summary *summary, uint32_t from, uint32_t to)
{
    struct profile *whole = &summary->locations[0].whole;
    uint32_t failed = summary_metric(summary, "samples_failed");
    for (size_t i = 0; i < whole->count; i++)
        if (whole->cells[i].node == from && whole->cells[i].metric == failed)
            whole->cells[i].node = to;
}

static void test_failures_are_told_apart_and_ordered(void)
{
    struct example example = open_example(maker_example);
    select_again(&example, (struct range){0, 0}, (struct range){0, 0});
    struct profile *whole = &example.summary->locations[0].whole;
    move_failed(example.summary, NODE_spin, NODE_stopped);
    whole->cells[whole->count - 1].value = 7;
    struct failures failures = failures_find(&example.selection);
    EQ_INT(failures.count, 2, "two places");
    OK(failures.list[0].samples == 7 && failures.list[1].samples == 1, "most first");
    EQ_INT(failures.list[1].region, SUMMARY_NONE, "where no frame was reached");
    failures_free(&failures);
    move_failed(example.summary, NODE_stopped, NODE_main);
    failures = failures_find(&example.selection);
    EQ_INT(failures.failed, 8, "failures without a reason count too");
    struct text text = {0};
    failure_add_place(&text, example.summary, &failures.list[1]);
    OK(strcmp(text_string(&text), "[unknown]") == 0, "their place is unknown");
    text_free(&text);
    failures_free(&failures);
    close_example(&example);
}

/* What PART of the report says in COLUMNS, looking at METRIC; for text_free. */
static struct text report_part_in(const struct example *example, const char *metric,
                                  void (*part)(struct report *report), size_t columns)
{
    struct path_tree *tree = path_tree_build(example->summary);
    struct report report = {.summary = example->summary,
                            .selection = &example->selection,
                            .scope = {.selection = &example->selection,
                                      .phase = SUMMARY_NONE,
                                      .count = 1,
                                      .divisor = 1},
                            .tree = tree,
                            .palette = palette_for("never"),
                            .metric = summary_metric(example->summary, metric),
                            .is_time = strcmp(metric, "time") == 0,
                            .columns = columns};
    report_measure(&report);
    part(&report);
    path_tree_free(tree);
    return report.text;
}

static struct text report_part(const struct example *example, const char *metric,
                               void (*part)(struct report *report))
{
    return report_part_in(example, metric, part, 80);
}

static void says(struct text text, const char *words, bool wanted)
{
    if (!OK(!strstr(text_string(&text), words) != wanted, "%s: %s", wanted ? "says" : "not",
            words))
        printf("%s\n", text_string(&text));
    text_free(&text);
}

static void test_the_report_shows_errors_of_what_was_sampled(void)
{
    struct example example = open_example(maker_example);
    select_again(&example, (struct range){0, 0}, (struct range){0, 0});
    /* Rank 0 computes 17 ms, 3 of them in assemble, in 27 ms; 5 samples. */
    says(report_part(&example, "time", report_paths),
         "   3.00 ms    11.1   13.9         -  grid::assemble", true);
    says(report_part(&example, "time", report_paths), "      -      ≥ 18  (not sampled)", true);
    says(report_part(&example, "computation", report_paths), "+/-", true);
    says(report_part(&example, "mpi", report_paths), "+/-", false);
    select_again(&example, (struct range){1, 1}, (struct range){1, 1});
    says(report_part(&example, "time", report_paths), "+/-", false);
    close_example(&example);
}

static void test_errors_of_threads_add_up_as_squares(void)
{
    struct example example = open_example(maker_threads);
    /* 9 and 8 ms of computation with 4 and 3 samples: 4 and 3 ms of that in solve. */
    select_again(&example, (struct range){0, 0}, (struct range){1, 2});
    long double first = sampling_error(9, 4, 4), second = sampling_error(8, 3, 3);
    char wanted[64];
    snprintf(wanted, sizeof wanted, "7.00 ms    41.2   %.1Lf       ≥ 7  solve",
             100 * sqrtl(first * first + second * second) / 17);
    says(report_part(&example, "computation", report_paths), wanted, true);
    close_example(&example);
}

static void test_visits_outside_mpi_are_bounds(void)
{
    struct example example = open_example(maker_example);
    select_again(&example, (struct range){0, 0}, (struct range){0, 0});
    says(report_part(&example, "time", report_paths), "        18  MPI_Allreduce", true);
    says(report_part(&example, "time", report_paths), "≥ 18  MPI_Allreduce", false);
    says(report_part(&example, "visits", report_paths), "      ≥ 18    42.9      ≥ 18  solve",
         true);
    says(report_part(&example, "visits", report_paths), "        18    42.9        18  MPI_",
         true);
    says(report_part(&example, "visits", report_metrics),
         "\nvisits                              ≥ 42\n", true);
    close_example(&example);
}

static void test_narrow_terminals_are_kept_to(void)
{
    struct example example = open_example(maker_example);
    example.summary->regions[6].file = "/src/a_file_of_a_rather_long_name.cc";
    struct text text = report_part_in(&example, "time", report_paths, 60);
    size_t widest = 0;
    for (char *line = strtok(text.bytes, "\n"); line; line = strtok(NULL, "\n"))
        if (line[0] == ' ' && text_columns(line) > widest)
            widest = text_columns(line);
    OK(widest > 40 && widest <= 60, "a terminal of 60 columns: no path is wider, %zu", widest);
    text_free(&text);
    close_example(&example);
}

static void test_the_report_lists_failed_walks(void)
{
    struct example example = open_example(maker_example);
    says(report_part(&example, "time", report_samples),
         "Samples not followed to the root: 4 of 10, 40.0 %\n"
         "   samples       %  where the walk stopped\n"
         "         4    40.0  spin in libmpi.so.12\n",
         true);
    select_again(&example, (struct range){1, 1}, (struct range){1, 1});
    says(report_part(&example, "time", report_samples), "walk", false);
    close_example(&example);
}

int main(void)
{
    test_costs_are_split_by_what_was_measured();
    test_memory_is_that_of_all_threads_of_a_process();
    test_facts_that_are_not_there_leave_their_part_in_the_calls();
    test_parts_larger_than_the_whole_are_survived();
    test_the_sampling_error_is_that_of_a_poisson_process();
    test_the_formula_is_what_sampling_does();
    test_failures_are_found_by_place();
    test_failures_are_told_apart_and_ordered();
    test_the_report_shows_errors_of_what_was_sampled();
    test_errors_of_threads_add_up_as_squares();
    test_visits_outside_mpi_are_bounds();
    test_narrow_terminals_are_kept_to();
    test_the_report_lists_failed_walks();
    return tap_done();
}
