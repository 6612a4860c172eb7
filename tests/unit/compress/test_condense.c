/* Proves that condensed profiles are inclusive, complete, and free of what measuring adds. */
#include "compress/condense.h"

#include <string.h>

#include "tap.h"

/* A different value for every measured metric, so that no sum is right by accident. */
static void fill(int64_t values[METRIC_COUNT])
{
    for (int m = 0; m < METRIC_COUNT; m++)
        values[m] = metric_table[m].measured ? (int64_t)1 << m : 0;
}

static bool ignored(int metric)
{
    return metric == METRIC_overhead || metric == METRIC_preempted ||
           metric == METRIC_samples || metric == METRIC_samples_failed;
}

static bool is_part_of(int metric, int whole)
{
    for (; metric != METRIC_none; metric = metric_table[metric].parent)
        if (metric == whole)
            return true;
    return false;
}

static double expected(const int64_t values[METRIC_COUNT], int metric)
{
    int64_t sum = 0;
    for (int m = 0; m < METRIC_COUNT; m++)
        if (is_part_of(m, metric) && !ignored(m))
            sum += values[m];
    return (double)sum;
}

static void every_metric_is_the_sum_of_its_parts(void)
{
    int64_t values[METRIC_COUNT];
    double condensed[METRIC_COUNT];
    fill(values);
    condense(values, condensed);
    for (int m = 0; m < METRIC_COUNT; m++)
        OK(condensed[m] == expected(values, m), "%s is the sum of its parts",
           metric_table[m].name);
}

static void what_measuring_adds_is_zero(void)
{
    int64_t values[METRIC_COUNT];
    double condensed[METRIC_COUNT];
    fill(values);
    condense(values, condensed);
    for (int m = 0; m < METRIC_COUNT; m++)
        OK((condensed[m] == 0) == ignored(m), "%s %s", metric_table[m].name,
           ignored(m) ? "is ignored" : "counts");
    OK(condensed[METRIC_time] == condensed[METRIC_execution], "time is execution time");
}

static void what_says_nothing_of_the_program_changes_nothing(void)
{
    int64_t values[METRIC_COUNT];
    double before[METRIC_COUNT], after[METRIC_COUNT];
    fill(values);
    condense(values, before);
    values[METRIC_overhead] += 1000000;
    values[METRIC_preempted] += 2000000;
    values[METRIC_samples] += 7;
    values[METRIC_samples_failed] += 3;
    condense(values, after);
    OK(memcmp(before, after, sizeof(before)) == 0,
       "overhead, preemption and samples change no value");
}

static void input_stays_and_signs_are_kept(void)
{
    int64_t values[METRIC_COUNT] = {0}, copy[METRIC_COUNT];
    double condensed[METRIC_COUNT];
    values[METRIC_computation] = -5;
    values[METRIC_mpi_other] = 3;
    values[METRIC_overhead] = 9;
    memcpy(copy, values, sizeof(copy));
    condense(values, condensed);
    OK(memcmp(copy, values, sizeof(copy)) == 0, "the input is not changed");
    OK(condensed[METRIC_computation] == -5, "a negative value stays negative");
    OK(condensed[METRIC_execution] == -2 && condensed[METRIC_time] == -2,
       "sums of both signs are right");
}

int main(void)
{
    every_metric_is_the_sum_of_its_parts();
    what_measuring_adds_is_zero();
    what_says_nothing_of_the_program_changes_nothing();
    input_stays_and_signs_are_kept();
    return tap_done();
}
