/* The metric table is a forest in order, and sums over it are right. */
#include "common/metrics.h"

#include "tap.h"

#include <string.h>

static void test_parents_come_before_their_parts(void)
{
    bool ordered = true, same_unit = true;
    for (int m = 0; m < METRIC_COUNT; m++) {
        enum metric parent = metric_table[m].parent;
        ordered &= parent < (enum metric)m || parent == METRIC_none;
        if (parent != METRIC_none)
            same_unit &= metric_table[parent].unit == metric_table[m].unit;
    }
    OK(ordered, "every parent has a smaller number");
    OK(same_unit, "parts have the unit of the whole");
}

static void test_names_are_unique_and_found(void)
{
    for (int m = 0; m < METRIC_COUNT; m++)
        EQ_INT(metric_by_name(metric_table[m].name), m, "%s is found", metric_table[m].name);
    EQ_INT(metric_by_name("no such"), METRIC_none, "an unknown name is not");
    EQ_INT(metric_by_name(""), METRIC_none, "nor is an empty one");
}

static void test_derived_metrics_have_parts(void)
{
    for (int m = 0; m < METRIC_COUNT; m++) {
        unsigned parts = 0;
        for (int part = 0; part < METRIC_COUNT; part++)
            parts += metric_table[part].parent == (enum metric)m;
        if (!metric_table[m].measured)
            OK(parts > 0, "%s is the sum of something", metric_table[m].name);
    }
}

static void test_inclusive_values_add_up_every_level(void)
{
    int64_t values[METRIC_COUNT] = {0};
    values[METRIC_computation] = 1;
    values[METRIC_mpi_setup] = 10;
    values[METRIC_mpi_sync_collective] = 100;
    values[METRIC_mpi_collective] = 1000;
    values[METRIC_overhead] = 10000;
    values[METRIC_visits] = 7;
    values[METRIC_samples] = 3;
    values[METRIC_samples_failed] = 4;
    metric_make_inclusive(values);
    EQ_INT(values[METRIC_time], 11111, "time holds all");
    EQ_INT(values[METRIC_execution], 1111, "execution leaves the overhead out");
    EQ_INT(values[METRIC_mpi], 1110, "mpi leaves the computation out");
    EQ_INT(values[METRIC_mpi_synchronization], 100, "barriers synchronize");
    EQ_INT(values[METRIC_visits], 7, "a metric without parts is itself");
    EQ_INT(values[METRIC_samples], 7, "a measured metric keeps its own value too");
}

static void test_units_have_names_and_scales(void)
{
    OK(strcmp(metric_unit_name(UNIT_seconds), "s") == 0 &&
           strcmp(metric_unit_name(UNIT_bytes), "bytes") == 0 &&
           strcmp(metric_unit_name(UNIT_occurrences), "occ") == 0,
       "the units are s, bytes and occ");
    OK(metric_unit_scale(UNIT_seconds) == 1e-9 && metric_unit_scale(UNIT_bytes) == 1.0,
       "nanoseconds become seconds, bytes stay");
}

int main(void)
{
    test_parents_come_before_their_parts();
    test_names_are_unique_and_found();
    test_derived_metrics_have_parts();
    test_inclusive_values_add_up_every_level();
    test_units_have_names_and_scales();
    return tap_done();
}
