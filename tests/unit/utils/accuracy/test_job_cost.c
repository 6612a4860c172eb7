/*
 * What measuring cost a job whose ranks wait for each other: the expected loss of the slowest
 * rank, against probabilities that can be written down and a simulation of every rank; and what
 * a summary has to say of it.
 */
#include "accuracy/job_cost.h"
#include "accuracy/slowest_rank.h"
#include "file/file.h"
#include "tap.h"
#include "tests/unit/utils/summary_maker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MICROSECOND 1e-6

/* The model */

static bool within(double found, double wanted, double tolerance)
{
    return fabs(found - wanted) <= tolerance * fabs(wanted);
}

/* E max over RANKS of the number of stalls, of which a rank expects MEAN: the sum over k of the
 * probability that some rank has k or more. */
static double expected_most(double mean, double ranks)
{
    double term = exp(-mean), below = term, sum = 0;
    for (int k = 1; k < 200; k++) {
        sum += 1 - pow(below, ranks);
        term *= mean / k;
        below += term;
    }
    return sum;
}

static void test_stalls_of_one_length_are_counted(void)
{
    static const struct {
        double length, per_second, duration;
        uint64_t ranks;
    } cases[] = {{50e-6, 1, 1e-3, 2},       {50e-6, 1, 1e-3, 1000}, {50e-6, 1, 1e-3, 100000},
                 {5e-6, 100, 10e-3, 64},    {5e-3, 1, 100e-6, 16},  {20e-6, 1000, 20e-3, 10000},
                 {3e-6, 2000, 1e-3, 100000}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct stall_rate rate = {cases[i].length, cases[i].per_second};
        double wanted = cases[i].length * expected_most(cases[i].per_second * cases[i].duration,
                                                        (double)cases[i].ranks);
        double found = slowest_rank_loss(&rate, 1, cases[i].duration, cases[i].ranks);
        OK(within(found, wanted, 0.01), "%g of %g µs in %g ms on %llu ranks: %g µs, not %g",
           cases[i].per_second, cases[i].length / MICROSECOND, 1e3 * cases[i].duration,
           (unsigned long long)cases[i].ranks, found / MICROSECOND, wanted / MICROSECOND);
    }
}

static void test_one_rank_loses_the_mean(void)
{
    static const struct stall_rate rates[] = {{3e-6, 900}, {40e-6, 12}, {1.1e-3, 1}};
    double mean = 0;
    for (size_t i = 0; i < 3; i++)
        mean += rates[i].seconds * rates[i].per_second;
    static const double durations[] = {1e-4, 1e-2, 1, 100};
    for (size_t i = 0; i < 4; i++) {
        double found = slowest_rank_loss(rates, 3, durations[i], 1);
        OK(within(found, mean * durations[i], 1e-3), "in %g s: %g of them, mean %g",
           durations[i], found / durations[i], mean);
    }
}

static void test_many_stalls_are_normally_distributed(void)
{
    static const struct stall_rate rate = {10e-6, 1000};
    /* Of 16 normally distributed numbers the largest is expected 1.766 deviations above. */
    double wanted = 1e-6 * 10 * (1e5 + 1.766 * sqrt(1e5));
    double found = slowest_rank_loss(&rate, 1, 100, 16);
    OK(within(found, wanted, 2e-3), "10^5 stalls in 100 s: %g s, not %g", found, wanted);
}

/* A linear congruential generator: the same numbers everywhere. */
static double random_unit(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
}

static double drawn_loss(const struct stall_rate *rates, size_t count, double duration,
                         uint64_t *state)
{
    double loss = 0;
    for (size_t i = 0; i < count; i++)
        for (double at = -log(random_unit(state)) / rates[i].per_second; at < duration;
             at -= log(random_unit(state)) / rates[i].per_second)
            loss += rates[i].seconds;
    return loss;
}

static void test_the_formula_is_what_a_simulation_finds(void)
{
    static const struct stall_rate rates[] = {{3e-6, 900}, {40e-6, 12}, {300e-6, 1}};
    static const uint64_t ranks[] = {4, 64};
    const double duration = 10e-3;
    uint64_t state = 1;
    for (size_t i = 0; i < 2; i++) {
        const int steps = 200000 / (int)ranks[i];
        double sum = 0;
        for (int step = 0; step < steps; step++) {
            double most = 0;
            for (uint64_t r = 0; r < ranks[i]; r++)
                most = fmax(most, drawn_loss(rates, 3, duration, &state));
            sum += most;
        }
        double found = slowest_rank_loss(rates, 3, duration, ranks[i]), drawn = sum / steps;
        OK(within(found, drawn, 0.03), "%d ranks: %g µs, simulated %g", (int)ranks[i],
           found / MICROSECOND, drawn / MICROSECOND);
    }
}

static void test_stalls_at_the_same_time_cost_the_longest(void)
{
    /* Of 3 ranks one has 10 µs with 1 - 0.75^3; all have 2. */
    static const struct stall_rate rates[] = {{2e-6, 300}, {10e-6, 100}};
    double wanted = 400 * (2e-6 + 8e-6 * (1 - 0.75 * 0.75 * 0.75));
    OK(within(slowest_rank_loss_together(rates, 2, 0.5, 3), 0.5 * wanted, 1e-9),
       "three ranks in half a second");
    OK(within(slowest_rank_loss_together(rates, 2, 1, 1), 1.6e-3, 1e-9), "one rank: the mean");
    OK(within(slowest_rank_loss_together(rates, 2, 1, 1000000), 4e-3, 1e-9),
       "a million ranks: always the longest");
    OK(slowest_rank_loss_together(rates, 0, 1, 3) == 0, "none");
}

static void test_what_means_nothing_costs_nothing(void)
{
    const struct stall_rate odd[] = {{0, 1},   {1, 0},   {-1, 1},       {1, -1},
                                     {NAN, 1}, {1, NAN}, {INFINITY, 1}, {1, INFINITY}};
    OK(slowest_rank_loss(odd, 8, 1, 10) == 0 && slowest_rank_loss_together(odd, 8, 1, 10) == 0,
       "neither lengths nor rates");
    OK(slowest_rank_loss(NULL, 0, 1, 10) == 0, "no stalls");
    struct stall_rate rate = {1e-6, 10};
    OK(slowest_rank_loss(&rate, 1, 0, 10) == 0 && slowest_rank_loss(&rate, 1, NAN, 10) == 0,
       "no time");
    OK(slowest_rank_loss(&rate, 1, 1, 0) == 0, "no ranks");
    rate = (struct stall_rate){1e18, 1e19};
    double found = slowest_rank_loss(&rate, 1, 1e10, UINT64_MAX);
    OK(isfinite(found) && found >= 0, "numbers of damaged files: %g", found);
}

/* Summaries */

struct example {
    struct summary *summary;
    struct selection selection;
};

static struct example open_example(void (*make)(struct maker *maker), uint64_t last_rank)
{
    struct maker maker;
    struct encoder file = {0};
    struct error error;
    struct example example;
    char path[64];
    int memory = memfd_create("job_cost", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
    make(&maker);
    maker_write(&maker, &file);
    maker_save(path, file.bytes, file.size);
    example.summary = summary_read(path, &error);
    encoder_free(&file);
    maker_free(&maker);
    close(memory);
    struct options options = {
        .iterations = {0, UINT64_MAX}, .ranks = {0, last_rank}, .threads = {0, UINT64_MAX}};
    selection_make(&example.selection, example.summary, &options, &error);
    return example;
}

static void close_example(struct example *example)
{
    selection_free(&example->selection);
    summary_free(example->summary);
}

/* Gives every location 3 stalls of 65,536 ns for doing WHAT. */
static void stall(struct summary *summary, const char *what)
{
    static char counted[32], longest[32];
    static struct cost_fact facts[2] = {{counted, 3}, {longest, 65536}};
    snprintf(counted, sizeof counted, "stall.%s.16", what);
    snprintf(longest, sizeof longest, "stall.%s.longest_ns", what);
    for (size_t l = 0; l < summary->location_count; l++) {
        summary->locations[l].costs = facts;
        summary->locations[l].cost_count = 2;
    }
}

/* Of maker_kept, sums over two ranks: iterations of 2, 3, 4 and 5 ms on rank 0, a millisecond
 * longer on rank 1, and 11 ms outside on each; 10 µs of overhead in each, and a millisecond. */
static const double loop_s = 32e-3, wall_s = 54e-3, step_s = 32e-3 / 24;
static const double stall_s = 65536e-9, stalled = 6 * 65536e-9 / 54e-3;
static const double unstalled = (2 * (1e-3 + 4 * 10e-6) - 6 * 65536e-9) / 54e-3;

static void test_ranks_that_meet_pay_for_the_slowest(void)
{
    struct example example = open_example(maker_kept, UINT64_MAX);
    stall(example.summary, "sample");
    struct job_cost cost = job_cost_of(&example.selection);
    OK(cost.known && cost.ranks == 2, "known for two ranks");
    EQ_INT(cost.iterations, 4, "four iterations");
    EQ_INT(cost.steps, 12, "with three collective operations each");
    double lost = stall_s * expected_most(6 / wall_s * step_s, 2) / step_s;
    double wanted = unstalled + stalled * (1 - loop_s / wall_s) + loop_s / wall_s * lost;
    OK(within((double)cost.share, wanted, 1e-3), "%Lg of the run, not %g", cost.share, wanted);
    struct text text = {0};
    job_cost_add_reason(&text, example.summary, &cost);
    OK(strcmp(text_string(&text),
              "2 ranks wait for each other 3 times in each of 4 iterations of step") == 0,
       "%s", text_string(&text));
    text_free(&text);
    close_example(&example);
}

static void test_what_all_ranks_do_at_the_same_time(void)
{
    static const char *const together[] = {"clustering", "loops", "marker", "save"};
    for (size_t i = 0; i < sizeof together / sizeof together[0]; i++) {
        struct example example = open_example(maker_kept, UINT64_MAX);
        stall(example.summary, together[i]);
        struct job_cost cost = job_cost_of(&example.selection);
        OK(within((double)cost.share, unstalled + stalled, 1e-9),
           "%s: stalls of one length cost no more than on one rank: %Lg", together[i],
           cost.share);
        close_example(&example);
    }
}

static void test_without_stalls_nothing_is_known(void)
{
    struct example example = open_example(maker_kept, UINT64_MAX);
    OK(!job_cost_of(&example.selection).known, "older summaries do not tell of stalls");
    close_example(&example);
}

static void test_a_rank_alone_waits_for_nobody(void)
{
    struct example example = open_example(maker_kept, 0);
    stall(example.summary, "sample");
    OK(!job_cost_of(&example.selection).known, "one rank");
    close_example(&example);
}

/* Takes METRIC away from the first iterations of a rank. */
static void forget(struct summary *summary, size_t location, const char *metric)
{
    struct profile *sums = &summary->locations[location].series[0].clusters[0].sums;
    for (size_t i = 0; i < sums->count; i++)
        if (sums->cells[i].metric == summary_metric(summary, metric))
            sums->cells[i].value = 0;
}

static void test_iterations_without_a_collective_do_not_end_together(void)
{
    struct example example = open_example(maker_kept, UINT64_MAX);
    stall(example.summary, "sample");
    forget(example.summary, 1, "visits");
    OK(job_cost_of(&example.selection).known, "visits do not matter");
    forget(example.summary, 1, "comms_coll");
    OK(!job_cost_of(&example.selection).known, "one iteration of one rank has none");
    close_example(&example);
}

static void test_every_rank_must_have_the_iterations(void)
{
    struct example example = open_example(maker_kept, UINT64_MAX);
    stall(example.summary, "sample");
    example.summary->locations[1].series_count = 0;
    OK(!job_cost_of(&example.selection).known, "one rank has none");
    close_example(&example);
    example = open_example(maker_kept, UINT64_MAX);
    stall(example.summary, "sample");
    example.summary->locations[1].series[0].lost = 1;
    OK(!job_cost_of(&example.selection).known, "or lacks one");
    close_example(&example);
}

static void test_ranks_with_different_numbers_of_iterations(void)
{
    struct example example = open_example(maker_example, UINT64_MAX);
    stall(example.summary, "sample");
    struct job_cost cost = job_cost_of(&example.selection);
    OK(cost.known && cost.iterations == 5 && cost.steps == 15, "the fewest count");
    close_example(&example);
}

int main(void)
{
    test_stalls_of_one_length_are_counted();
    test_one_rank_loses_the_mean();
    test_many_stalls_are_normally_distributed();
    test_the_formula_is_what_a_simulation_finds();
    test_stalls_at_the_same_time_cost_the_longest();
    test_what_means_nothing_costs_nothing();
    test_ranks_that_meet_pay_for_the_slowest();
    test_what_all_ranks_do_at_the_same_time();
    test_without_stalls_nothing_is_known();
    test_a_rank_alone_waits_for_nobody();
    test_iterations_without_a_collective_do_not_end_together();
    test_every_rank_must_have_the_iterations();
    test_ranks_with_different_numbers_of_iterations();
    return tap_done();
}
