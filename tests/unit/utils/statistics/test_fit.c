/* Lines and levels through values, and which of them explains more. */
#include "statistics/fit.h"
#include "tap.h"

#include <math.h>
#include <stddef.h>

enum { COUNT = 60, AT = 20 };

static void test_a_line(void)
{
    double values[COUNT];
    size_t at;
    for (size_t i = 0; i < COUNT; i++)
        values[i] = 1e6 + 3 * (double)i;
    OK(fit_line(values, COUNT) < 1e-6, "a line leaves nothing of itself");
    /* Of 0 to 59, times 3, two levels of 30 leave half of what each differs by. */
    OK(fabs(fit_two_levels(values, COUNT, &at) - 2 * 9 * 30.0 * (30 * 30 - 1) / 12) < 1e-3 &&
           at == COUNT / 2,
       "two levels are best in the middle, and leave what is known");
    OK(fit_error(fit_line(values, COUNT), COUNT, 2) <
           fit_error(fit_two_levels(values, COUNT, &at), COUNT, 3),
       "the line is better");
}

static void test_a_step(void)
{
    double values[COUNT];
    size_t at;
    for (size_t i = 0; i < COUNT; i++)
        values[i] = i < AT ? 5 : 8;
    OK(fit_two_levels(values, COUNT, &at) < 1e-9 && at == AT, "a step is found where it is");
    OK(fabs(fit_level(values, COUNT) - 9.0 * AT * (COUNT - AT) / COUNT) < 1e-9,
       "one level leaves the variance");
    OK(fit_error(fit_two_levels(values, COUNT, &at), COUNT, 3) <
           fit_error(fit_line(values, COUNT), COUNT, 2),
       "two levels are better than a line");
}

static void test_few_values(void)
{
    const double values[] = {4, 6};
    size_t at;
    OK(fit_line(values, 1) <= 0 && fit_line(values, 2) <= 0 && fit_level(values, 1) <= 0,
       "a line goes through one value, and through two");
    OK(fit_two_levels(values, 2, &at) <= 0 && at == 1, "so do two levels");
    OK(isinf(fit_error(0, 2, 2)), "which explains nothing");
}

int main(void)
{
    test_a_line();
    test_a_step();
    test_few_values();
    return tap_done();
}
