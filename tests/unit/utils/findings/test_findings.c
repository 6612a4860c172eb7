/* What stands out in iterations: found where it was put, and nothing in noise. */
#include "report/report.h"
#include "tap.h"
#include "tests/unit/utils/findings/findings_checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double noise;

static struct made_iteration normal(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    (void)rank, (void)iteration;
    return (struct made_iteration){.solve = 10 * MS * (1 + noise * random_normal(random)),
                                   .send = MS * (1 + noise * random_normal(random))};
}

/* Never less than something, sometimes much more. */
static struct made_iteration skewed(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    (void)rank, (void)iteration;
    return (struct made_iteration){.solve = 10 * MS * exp(noise * random_normal(random)),
                                   .send = MS};
}

static struct made_iteration uniform(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    (void)rank, (void)iteration;
    double share = 0.5 * erfc(random_normal(random) / sqrt(2));
    return (struct made_iteration){.solve = 10 * MS * (1 + 4 * noise * share), .send = MS};
}

static struct made_iteration constant(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    (void)rank, (void)iteration, (void)random;
    return (struct made_iteration){.solve = 10 * MS, .send = MS};
}

static struct made_iteration computing(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    (void)rank, (void)iteration, (void)random;
    return (struct made_iteration){.solve = 10 * MS};
}

static unsigned count_findings(made_rule *rule, uint32_t ranks, uint64_t iterations)
{
    unsigned count = 0;
    for (uint64_t seed = 1; seed <= 12; seed += tap_stride()) {
        struct found found = found_made(ranks, iterations, rule, seed);
        count += found.findings->count > 0;
        found_show(&found);
        found_forget(&found);
    }
    return count;
}

static void test_noise_has_no_findings(void)
{
    static made_rule *const rules[] = {normal, skewed, uniform};
    static const char *const names[] = {"normal", "skewed", "uniform"};
    static const uint32_t ranks[] = {1, 2, 3, 4, 16};
    static const uint64_t iterations[] = {9, 20, 60, 200, 700};
    for (size_t n = 0; n < 3; n++)
        for (size_t r = 0; r < 5; r++)
            for (size_t i = 0; i < 5; i++) {
                noise = i % 2 ? 0.05 : 0.02;
                EQ_INT(count_findings(rules[n], ranks[r], iterations[i]), 0,
                       "%s noise, %u ranks, %ju iterations", names[n], ranks[r],
                       (uintmax_t)iterations[i]);
            }
    EQ_INT(count_findings(constant, 4, 100), 0, "iterations that are all the same");
}

/* What PART of the report says; for text_free. */
static struct text told(const struct found *found, void (*part)(struct report *report))
{
    struct report report = {.summary = &found->made->summary,
                            .selection = &found->selection,
                            .tree = found->tree,
                            .scope = {.selection = &found->selection,
                                      .phase = SUMMARY_NONE,
                                      .count = 1,
                                      .divisor = 1},
                            .palette = palette_for("never"),
                            .metric = summary_metric(&found->made->summary, "time"),
                            .is_time = true,
                            .columns = 80};
    part(&report);
    report_more_findings(&report);
    return report.text;
}

static struct made_iteration outlier(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    struct made_iteration made = flat(random);
    made.solve *= iteration == 57 && rank == 3 ? 3 : 1;
    return made;
}

static void test_a_slow_iteration(void)
{
    struct found found = found_made(8, 300, outlier, 1);
    const struct finding *finding =
        found_only(&found, FINDING_SLOW_ITERATIONS, "one iteration");
    if (finding) {
        OK(finding->range_count == 1 && is_range(&finding->iterations[0], 57, 57), "which one");
        OK(is_on(finding, 3), "on which rank");
        OK(has_cause(&found, finding, "computation", "solve", 20), "why");
        OK(is_about(finding->value, 0.0305, 0.05) && is_about(finding->usual, 0.0105, 0.05),
           "how long it takes, and its neighbours");
        OK(is_about(finding->excess, 0.02, 0.05) && is_about(finding->share, 0.02 / 3.17, 0.05),
           "how much more it is");
        OK(says(finding, "Iteration 57 takes 2.9 times as long as its neighbours (") &&
               says(finding, " more computation in solve (solve.c:42) on rank 3"),
           "in words");
    }
    found_forget(&found);
}

static void test_the_report_names_the_rank_that_others_wait_for(void)
{
    struct found found = found_made(8, 300, outlier, 1);
    struct text text = told(&found, report_iterations);
    OK(strstr(text_string(&text), "ms computation on rank 3 in main > step > solve\n") &&
           !strstr(text_string(&text), "mpi_collective in"),
       "the slowest iteration's cause is on another rank than the slowest:\n%s",
       text_string(&text));
    text_free(&text);
    text = told(&found, report_findings);
    OK(strstr(text_string(&text),
              "\nWhat stands out\n  • Iteration 57 takes 2.9 times as long as "
              "its neighbours"),
       "what stands out is in the report");
    text_free(&text);
    found_forget(&found);
}

static struct made_iteration slow_message(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    (void)rank;
    struct made_iteration made = flat(random);
    made.send += iteration == 80 || iteration == 131 ? 15 * MS : 0;
    return made;
}

static void test_slow_messages_are_on_no_rank(void)
{
    struct found found = found_made(4, 200, slow_message, 1);
    const struct finding *finding =
        found_only(&found, FINDING_SLOW_ITERATIONS, "two iterations");
    if (finding) {
        OK(finding->range_count == 2 && is_range(&finding->iterations[0], 80, 80) &&
               is_range(&finding->iterations[1], 131, 131),
           "which");
        EQ_INT(finding->rank_count, 0, "no rank is to blame");
        OK(has_cause(&found, finding, "mpi_collective", "MPI_Allreduce", 15), "why");
    }
    found_forget(&found);
}

static struct made_iteration two_causes(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    struct made_iteration made = outlier(rank, iteration, random);
    made.write += iteration == 200 && rank == 1 ? 40 * MS : 0;
    return made;
}

/* In the same iteration two ranks take longer in one function, and another one in another. */
static struct made_iteration two_causes_at_once(uint32_t rank, uint64_t iteration,
                                                uint64_t *random)
{
    struct made_iteration made = outlier(rank, iteration, random);
    if (iteration == 57) {
        made.solve += rank == 6 ? 18 * MS : 0;
        made.write += rank == 5 ? 16 * MS : 0;
    }
    return made;
}

static void test_ranks_with_another_cause_are_not_named(void)
{
    struct found found = found_made(8, 300, two_causes_at_once, 1);
    const struct finding *finding =
        found_only(&found, FINDING_SLOW_ITERATIONS, "two causes at once");
    if (finding) {
        OK(has_cause(&found, finding, "computation", "solve", 20), "the larger one");
        OK(finding->rank_count == 2 && finding->ranks[0] == 3 && finding->ranks[1] == 6,
           "and the ranks that have that one");
    }
    found_forget(&found);
}

/* Another rank takes longer, too, and then waits for the one that takes longest. */
static struct made_iteration a_little_less(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    struct made_iteration made = outlier(rank, iteration, random);
    made.solve += iteration == 57 && rank == 6 ? 12 * MS : 0;
    return made;
}

static void test_ranks_that_also_wait_are_named(void)
{
    struct found found = found_made(8, 300, a_little_less, 1);
    const struct finding *finding =
        found_only(&found, FINDING_SLOW_ITERATIONS, "the same on two ranks");
    if (finding)
        OK(finding->rank_count == 2 && finding->ranks[0] == 3 && finding->ranks[1] == 6,
           "both are named");
    found_forget(&found);
}

static void test_causes_are_told_apart(void)
{
    struct found found = found_made(8, 300, two_causes, 1);
    EQ_INT(found.findings->count, 2, "two iterations, two causes");
    found_show(&found);
    if (found.findings->count == 2) {
        const struct finding *list = found.findings->list;
        OK(is_on(&list[0], 1) && has_cause(&found, &list[0], "computation", "write<int>", 40),
           "the larger one first");
        OK(is_on(&list[1], 3) && has_cause(&found, &list[1], "computation", "solve", 20),
           "then the other");
    }
    found_forget(&found);
}

static struct made_iteration checkpoint(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    struct made_iteration made = flat(random);
    made.write += iteration % 100 == 99 && rank == 0 ? 25 * MS : 0;
    return made;
}

static void test_every_hundredth_iteration(void)
{
    struct found found = found_made(4, 1000, checkpoint, 1);
    const struct finding *finding = found_only(&found, FINDING_PERIOD, "every 100th iteration");
    if (finding) {
        EQ_INT(finding->period, 100, "how often");
        EQ_INT(finding->iteration_count, 10, "all of them");
        OK(finding->range_count == 10 && is_range(&finding->iterations[9], 999, 999), "which");
        OK(is_on(finding, 0) && has_cause(&found, finding, "computation", "write<int>", 25),
           "why");
        OK(is_about(finding->excess, 0.25, 0.05), "how much it is in all");
        OK(says(finding,
                "Every 100th iteration (99, 199, 299, 399 and 6 more) takes 3.3 times"),
           "in words");
    }
    found_forget(&found);
}

static struct made_iteration nested_periods(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    struct made_iteration made = flat(random);
    made.write += iteration % 10 == 0 && rank == 0 ? 8 * MS : 0;
    made.send += iteration % 90 == 45 ? 30 * MS : 0;
    return made;
}

static void test_two_periods(void)
{
    struct found found = found_made(4, 900, nested_periods, 1);
    const struct finding *whole[2];
    size_t count = 0;
    found_show(&found);
    /* Of iterations, not of the call path that they have it in. */
    for (size_t i = 0; i < found.findings->count; i++)
        if (found.findings->list[i].path == SUMMARY_NONE && count++ < 2)
            whole[count - 1] = &found.findings->list[i];
    EQ_INT(count, 2, "two periods");
    if (count == 2) {
        EQ_INT(whole[0]->period, 10, "the one with more in all");
        OK(is_on(whole[0], 0) && has_cause(&found, whole[0], "computation", "write<int>", 8),
           "why");
        EQ_INT(whole[1]->period, 90, "the one with more at once");
        OK(has_cause(&found, whole[1], "mpi_collective", "MPI_Allreduce", 30), "why");
        EQ_INT(whole[1]->iterations[0].first, 45, "where it begins");
    }
    found_forget(&found);
}

static struct made_iteration alternating(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    (void)rank;
    struct made_iteration made = flat(random);
    made.solve *= iteration % 3 == 1 ? 1.4 : 1;
    return made;
}

static void test_alternating_iterations(void)
{
    struct found found = found_made(4, 200, alternating, 1);
    const struct finding *finding = found_only(&found, FINDING_PERIOD, "every third iteration");
    if (finding) {
        EQ_INT(finding->period, 3, "how often");
        EQ_INT(finding->iterations[0].first, 1, "from which on");
        EQ_INT(finding->rank_count, 0, "on all ranks");
        OK(is_about(finding->value, 1.4 * finding->usual, 0.05), "by how much");
        OK(has_cause(&found, finding, "computation", "solve", 4), "why");
        OK(says(finding, "Every 3rd iteration (1, 4, 7, 10 and 63 more) takes 3"), "in words");
    }
    found_forget(&found);
}

/* As noisy as half of the variance allows. */
static struct made_iteration every_other(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    (void)rank;
    double more = iteration % 2 ? 2 : 0;
    return (struct made_iteration){.solve = MS * (10 + more + 0.85 * random_normal(random)),
                                   .send = MS};
}

static void test_every_other_iteration(void)
{
    unsigned found_it = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct found found = found_made(1, 400, every_other, seed);
        found_it += found.findings->count == 1 && found.findings->list[0].period == 2;
        found_show(&found);
        found_forget(&found);
    }
    EQ_INT(found_it, 10, "every other iteration, in noise");
}

/* A third of the run hardly has what comes every 37 iterations later. */
static struct made_iteration late_period(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    (void)rank;
    struct made_iteration made = flat(random);
    bool is_on = iteration % 37 < 13;
    made.solve *= is_on ? (iteration < 148 ? 1.1 : 2) : 1;
    return made;
}

static void test_a_period_holds_throughout(void)
{
    struct found found = found_made(2, 444, late_period, 1);
    for (size_t i = 0; i < found.findings->count; i++)
        OK(found.findings->list[i].kind != FINDING_PERIOD ||
               found.findings->list[i].period != 37,
           "what comes in a part of the run only is no period");
    OK(found.findings->count > 0, "but something");
    found_show(&found);
    found_forget(&found);
}

static struct made_iteration step(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    struct made_iteration made = flat(random);
    made.solve *= iteration >= 400 && rank == 2 ? 1.5 : 1;
    return made;
}

static void test_a_step(void)
{
    const struct finding *finding;
    struct found found = found_made(4, 1000, step, 1);
    EQ_INT(found.findings->count, 2, "the iterations and the rank");
    found_show(&found);
    if (found_kind(&found, FINDING_STEP, &finding)) {
        OK(finding->range_count == 1 && is_range(&finding->iterations[0], 400, 999), "where");
        OK(is_on(finding, 2) && has_cause(&found, finding, "computation", "solve", 5), "why");
        OK(is_about(finding->excess, 600 * 0.005, 0.1), "how much it is in all");
        OK(says(finding, "From iteration 400 on each takes 4"), "in words");
    }
    if (found_kind(&found, FINDING_SLOW_RANKS, &finding))
        OK(is_on(finding, 2) && is_range(&finding->iterations[0], 400, 999),
           "the rank, since when");
    found_forget(&found);
}

static struct made_iteration for_a_while(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    (void)rank;
    struct made_iteration made = flat(random);
    made.solve *= iteration >= 300 && iteration < 420 ? 2 : 1;
    return made;
}

/* Iterations differ by a fifth, a step is twice that. */
static struct made_iteration step_in_noise(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    (void)rank;
    const double level = iteration >= 120 ? 14 : 10;
    return (struct made_iteration){.solve = MS * (level + 2 * random_normal(random)),
                                   .send = 0.5 * MS};
}

static struct made_iteration drift_in_noise(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    (void)rank;
    const double level = 10 + 8 * (double)iteration / 500;
    return (struct made_iteration){.solve = MS * (level + 2 * random_normal(random)),
                                   .send = 0.5 * MS};
}

/* How many of ten runs have a finding of KIND that begins about FIRST, and no other. */
static unsigned count_in_noise(made_rule *rule, uint64_t iterations, enum finding_kind kind,
                               uint64_t first)
{
    unsigned right = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct found found = found_made(1, iterations, rule, seed);
        const struct finding *finding = found.findings->list;
        right += found.findings->count == 1 && finding->kind == kind &&
                 finding->iterations[0].first + 12 >= first &&
                 finding->iterations[0].first <= first + 12;
        found_show(&found);
        found_forget(&found);
    }
    return right;
}

static void test_what_noise_does_not_hide(void)
{
    const unsigned steps = count_in_noise(step_in_noise, 300, FINDING_STEP, 120),
                   drifts = count_in_noise(drift_in_noise, 500, FINDING_DRIFT, 0);
    OK(steps >= 9, "a step by twice what iterations differ by, %u times of 10", steps);
    OK(drifts >= 9, "a drift in as much noise, %u times of 10", drifts);
}

/* Longer by 7 % for a while, then by 3 %: in the mean that is no step. */
static struct made_iteration little_by_little(uint32_t rank, uint64_t iteration,
                                              uint64_t *random)
{
    (void)rank;
    struct made_iteration made = flat(random);
    made.solve *= iteration < 100 ? 1 : iteration < 140 ? 1.07 : 1.03;
    return made;
}

static void test_no_small_step(void)
{
    unsigned small = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct found found = found_made(1, 240, little_by_little, seed);
        for (size_t i = 0; i < found.findings->count; i++) {
            const struct finding *finding = &found.findings->list[i];
            small += finding->kind == FINDING_STEP &&
                     fabs(finding->value - finding->usual) < 0.05 * finding->usual;
        }
        found_show(&found);
        found_forget(&found);
    }
    EQ_INT(small, 0, "no step by less than a twentieth is told");
}

static void test_a_slow_range(void)
{
    struct found found = found_made(4, 1000, for_a_while, 1);
    const struct finding *finding = found_only(&found, FINDING_RANGE, "120 slow iterations");
    if (finding) {
        OK(finding->range_count == 1 && is_range(&finding->iterations[0], 300, 419), "which");
        OK(is_about(finding->excess, 120 * 0.01, 0.1), "how much it is in all");
        EQ_INT(finding->rank_count, 0, "on all ranks");
    }
    found_forget(&found);
}

/* Half in solve, half in MPI: no part of it is most. */
static struct made_iteration of_two_parts(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    struct made_iteration made = flat(random);
    (void)rank;
    made.solve += iteration < 30 ? 5 * MS : 0;
    made.message += iteration < 30 ? 5 * MS : 0;
    return made;
}

/* That what takes longer takes more time is no reason. */
static void test_no_single_cause(void)
{
    struct found found = found_made(4, 200, of_two_parts, 1);
    const struct finding *finding = found.findings->count ? &found.findings->list[0] : NULL;
    OK(finding && finding->kind == FINDING_STEP && says(finding, " ms); ") &&
           !says(finding, "more time") && !says(finding, "before"),
       "no cause is told: %s", finding ? finding->sentence : "nothing");
    found_forget(&found);
}

static struct made_iteration faster(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    (void)rank;
    struct made_iteration made = flat(random);
    made.solve *= iteration < 30 ? 2 : 1;
    return made;
}

static void test_a_step_down(void)
{
    struct found found = found_made(4, 200, faster, 1);
    const struct finding *finding = found_only(&found, FINDING_STEP, "it gets faster");
    if (finding) {
        OK(is_range(&finding->iterations[0], 30, 199), "from when on");
        OK(is_about(finding->excess, 30 * 0.01, 0.1), "what it cost before");
        OK(has_cause(&found, finding, "computation", "solve", 10), "what it was");
    }
    found_forget(&found);
}

static struct made_iteration drifting(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    (void)rank;
    struct made_iteration made = flat(random);
    made.solve *= 1 + 0.6 * (double)iteration / 500;
    return made;
}

static void test_a_drift(void)
{
    struct found found = found_made(4, 500, drifting, 1);
    const struct finding *finding = found_only(&found, FINDING_DRIFT, "longer and longer");
    if (finding) {
        OK(is_range(&finding->iterations[0], 0, 499), "where");
        OK(is_about(finding->usual, 0.0108, 0.05) && is_about(finding->value, 0.0162, 0.05),
           "from and to");
        OK(has_cause(&found, finding, "computation", "solve", 5.4), "why");
        OK(says(finding, "Time per iteration grows from 10."), "in words");
    }
    found_forget(&found);
}

static void test_a_counted_metric(void)
{
    struct found found = found_make(2, 100, constant, 1);
    found.made->summary.locations[1].series->clusters[40].sums.cells[0].value = 9;
    found_in(&found, "visits");
    const struct finding *finding = found_only(&found, FINDING_SLOW_ITERATIONS, "visits");
    if (finding)
        OK(says(
               finding,
               "Iteration 40 has 9.0 times as many visits as its neighbours (9 rather than 1)"),
           "in words");
    found_forget(&found);
}

static void test_what_ceases(void)
{
    struct found found = found_make(1, 100, constant, 1);
    for (size_t i = 50; i < 100; i++)
        found.made->summary.locations[0].series->clusters[i].sums.cells[0].value = 0;
    found_in(&found, "visits");
    const struct finding *finding = found_only(&found, FINDING_STEP, "no visits any more");
    if (finding)
        OK(says(finding, "From iteration 50 on each has 100 % fewer visits (0 rather than 1)"),
           "in words");
    found_forget(&found);
}

/* From the middle on most have 1, though not all: what they have in all is no more than that.
 */
static void test_a_level_of_unequal_values(void)
{
    struct found found = found_make(1, 200, constant, 1);
    uint64_t random = 7;
    double sum = 0;
    for (size_t i = 0; i < 200; i++) {
        bool has = i >= 100 && random_normal(&random) < 0.7;
        found.made->summary.locations[0].series->clusters[i].sums.cells[0].value = has;
        sum += has;
    }
    found_in(&found, "visits");
    const struct finding *finding;
    found_show(&found);
    if (found_kind(&found, FINDING_STEP, &finding))
        OK(is_about(finding->excess, sum, 0.03) && finding->share <= 1,
           "what it comes to is what there is");
    found_forget(&found);
}

static void test_iterations_that_are_not_there(void)
{
    struct found found = found_make(3, 300, outlier, 1);
    struct series *series = found.made->summary.locations[1].series;
    for (size_t i = 0; i < 100; i++)
        series->runs[i].cluster = SUMMARY_NONE;
    found.made->summary.locations[2].series_count = 0;
    found_in(&found, "time");
    EQ_INT(found.findings->count, 0, "gaps are no findings");
    found_show(&found);
    found_forget(&found);
    found = found_made(2, 7, outlier, 1);
    EQ_INT(found.findings->count, 0, "nor are few iterations");
    found_forget(&found);
}

/* One long run after another, as many iterations as a summary can have. */
static void test_very_many_iterations(void)
{
    struct found found = found_make(2, 8, constant, 1);
    for (uint32_t r = 0; r < 2; r++) {
        struct series *series = found.made->summary.locations[r].series;
        series->iterations = SUMMARY_MAX_ITERATIONS;
        series->run_count = 3;
        series->runs[0] = (struct run){0, 1000000, 0, false};
        series->runs[1] = (struct run){1000000, 1, 1, false};
        series->runs[2] = (struct run){1000001, SUMMARY_MAX_ITERATIONS - 1000001, 2, false};
        series->clusters[1].sums.cells[1].value *= 5;
    }
    found_in(&found, "time");
    const struct finding *finding = found_only(&found, FINDING_SLOW_ITERATIONS, "one of 2^32");
    if (finding)
        OK(finding->iterations[0].first <= 1000000 && finding->iterations[0].last >= 1000000 &&
               finding->iteration_count <= 4096,
           "nearly which");
    found_forget(&found);
}

static void test_values_below_zero(void)
{
    struct found found = found_make(4, 100, outlier, 1);
    for (uint32_t r = 0; r < 4; r++)
        for (size_t i = 0; i < 100; i++)
            for (size_t c = 0; c < 4; c++)
                found.made->summary.locations[r].series->clusters[i].sums.cells[c].value *= -1;
    found_in(&found, "time");
    EQ_INT(found.findings->count, 0, "differences below zero are not looked at");
    found_show(&found);
    found_forget(&found);
}

static void test_json(void)
{
    struct found found = found_made(4, 1000, checkpoint, 1);
    char *bytes = found_json(&found);
    static const char *const wanted[] = {
        "{\"kind\":\"period\",\"phase\":\"step\",\"metric\":\"time\",\"iterations\":[[99,99],"
        "[199,199],",
        "\"iteration_count\":10,\"period\":100,\"ranks\":[0],\"parts\":[],\"unit\":\"s\",",
        "\"excess_ns\":",
        "\"cause\":{\"metric\":\"computation\",\"callpath\":[\"main\",\"step\","
        "\"write\\u003cint\\u003e\"],\"file\":\"/src/io.c\",\"line\":7,",
        "\"text\":\"Every 100th iteration (",
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        OK(strstr(bytes, wanted[i]), "JSON has: %s", wanted[i]);
    OK(!strchr(bytes, '<'), "nothing that HTML would obey");
    printf("# %s\n", found.findings->count ? "" : bytes);
    free(bytes);
    found_forget(&found);
    found = found_made(2, 100, computing, 1);
    bytes = found_json(&found);
    OK(strcmp(bytes, "[\n]") == 0, "no findings: an empty array");
    free(bytes);
    found_forget(&found);
}

int main(void)
{
    test_noise_has_no_findings();
    test_a_slow_iteration();
    test_the_report_names_the_rank_that_others_wait_for();
    test_slow_messages_are_on_no_rank();
    test_causes_are_told_apart();
    test_ranks_with_another_cause_are_not_named();
    test_ranks_that_also_wait_are_named();
    test_every_hundredth_iteration();
    test_two_periods();
    test_alternating_iterations();
    test_every_other_iteration();
    test_a_period_holds_throughout();
    test_a_step();
    test_what_noise_does_not_hide();
    test_no_small_step();
    test_a_slow_range();
    test_a_step_down();
    test_no_single_cause();
    test_a_drift();
    test_a_counted_metric();
    test_what_ceases();
    test_a_level_of_unequal_values();
    test_iterations_that_are_not_there();
    test_very_many_iterations();
    test_values_below_zero();
    test_json();
    return tap_done();
}
