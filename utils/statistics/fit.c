/* See fit.h. */
#include "statistics/fit.h"

#include <math.h>

/* Sums over values at 0, 1, 2 and so on; they are less BASE, so that squares keep digits. */
struct sums {
    double number, values, squares, products;
};

static void add(struct sums *sums, double base, double value)
{
    value -= base;
    sums->values += value;
    sums->squares += value * value;
    sums->products += sums->number * value;
    sums->number++;
}

static double about_mean(const struct sums *sums)
{
    return fmax(sums->squares - sums->values * sums->values / sums->number, 0);
}

static struct sums sums_of(const double *values, size_t count)
{
    struct sums sums = {0};
    for (size_t i = 0; i < count; i++)
        add(&sums, values[0], values[i]);
    return sums;
}

double fit_line(const double *values, size_t count)
{
    const struct sums sums = sums_of(values, count);
    const double n = sums.number, spread = n * (n * n - 1) / 12,
                 common = sums.products - (n - 1) / 2 * sums.values;
    return spread > 0 ? fmax(about_mean(&sums) - common * common / spread, 0) : 0;
}

double fit_level(const double *values, size_t count)
{
    const struct sums sums = sums_of(values, count);
    return about_mean(&sums);
}

double fit_two_levels(const double *values, size_t count, size_t *at)
{
    const struct sums all = sums_of(values, count);
    struct sums before = {0};
    double least = INFINITY;
    *at = 1;
    for (size_t i = 0; i + 1 < count; i++) {
        add(&before, values[0], values[i]);
        const struct sums after = {.number = all.number - before.number,
                                   .values = all.values - before.values,
                                   .squares = all.squares - before.squares};
        const double error = about_mean(&before) + about_mean(&after);
        if (error < least) {
            least = error;
            *at = i + 1;
        }
    }
    return least;
}

double fit_error(double error, size_t count, size_t parameters)
{
    return count > parameters ? error / (double)(count - parameters) : INFINITY;
}
