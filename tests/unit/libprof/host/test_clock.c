/* The clock: it never goes back, and its nanoseconds are those of the system. */
#include "host/clock.h"

#include "tap.h"

#include <math.h>
#include <stdlib.h>

static void test_it_never_goes_back(void)
{
    int64_t last = clock_now_async();
    bool forward = true;
    for (int i = 0; i < 200000; i++) {
        int64_t now = clock_now_async();
        forward = forward && now >= last;
        last = now;
    }
    OK(forward, "200000 readings follow each other");
}

static void test_a_nanosecond_is_one(void)
{
    const struct timespec pause = {.tv_nsec = 100000000};
    int64_t system_begin = clock_monotonic_ns_async(), begin = clock_now_async();
    nanosleep(&pause, NULL);
    int64_t end = clock_now_async(), system_end = clock_monotonic_ns_async();
    double ratio = (double)(end - begin) / (double)(system_end - system_begin);
    OK(fabs(ratio - 1) < 1e-3, "a tenth of a second differs by %.1e of it", ratio - 1);
}

static void test_differences_of_readings_add_up(void)
{
    uint64_t ticks[1000];
    int64_t sum = 0;
    for (int i = 0; i < 1000; i++)
        ticks[i] = clock_ticks_async();
    for (int i = 1; i < 1000; i++)
        sum += clock_to_ns_async(ticks[i]) - clock_to_ns_async(ticks[i - 1]);
    EQ_INT(sum, clock_to_ns_async(ticks[999]) - clock_to_ns_async(ticks[0]),
           "to the difference of the first and the last");
}

static void test_long_runs_do_not_overflow(void)
{
    uint64_t year = (uint64_t)(clock_hertz() * 86400 * 365);
    int64_t ns = clock_to_ns_async(measurement_clock.base_ticks + year);
    OK(llabs(ns / 1000000000 - 86400 * 365) <= 1, "a year has its seconds");
    EQ_INT(clock_to_ns_async(measurement_clock.base_ticks), 0, "time starts at 0");
}

static void test_the_rate_is_told(void)
{
    if (measurement_clock.counts)
        OK(clock_hertz() > 1e8 && clock_hertz() < 1e11, "%.3g ticks per second", clock_hertz());
    else
        OK(clock_hertz() == 1e9, "the monotonic clock ticks in nanoseconds");
}

int main(void)
{
    clock_start();
    clock_calibrate();
    test_it_never_goes_back();
    test_a_nanosecond_is_one();
    test_differences_of_readings_add_up();
    test_long_runs_do_not_overflow();
    test_the_rate_is_told();
    return tap_done();
}
