/* The expected loss of the slowest of many ranks.  See slowest_rank.h. */
#include "accuracy/slowest_rank.h"

#include "base/base.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Cells of the grid, and the density above which numbers are scaled down. */
enum { CELLS = 4096 };
static const double large = 1e250;

static bool counts(const struct stall_rate *rate)
{
    return isfinite(rate->seconds) && isfinite(rate->per_second) && rate->seconds > 0 &&
           rate->per_second > 0;
}

/* Of a cell, so that the grid reaches the longest stall four times and far beyond the mean. */
static double cell_width(const struct stall_rate *rates, size_t count, double duration)
{
    double longest = 0, mean = 0, variance = 0;
    for (size_t i = 0; i < count; i++) {
        if (!counts(&rates[i]))
            continue;
        longest = fmax(longest, rates[i].seconds);
        mean += duration * rates[i].per_second * rates[i].seconds;
        variance += duration * rates[i].per_second * rates[i].seconds * rates[i].seconds;
    }
    return (mean + 10 * sqrt(variance) + 4 * longest) / CELLS;
}

/*
 * Adds to EXPECTED how many stalls of each number of cells there are in DURATION, and returns
 * the cells that every rank loses anyway.  A length between two numbers is given to both, so
 * that its mean is kept.  Stalls shorter than a cell are so many that most of what they take is
 * certain; the rest has their variance.
 */
static double add_to_grid(double *expected, const struct stall_rate *rate, double width,
                          double duration)
{
    double cells = rate->seconds / width, below = floor(cells), part = cells - below;
    double stalls = duration * rate->per_second;
    size_t cell = (size_t)below;
    if (cell + 1 >= CELLS)
        return 0;
    if (cell == 0) {
        expected[1] += stalls * cells * cells;
        return stalls * cells * (1 - cells);
    }
    expected[cell] += stalls * (1 - part);
    expected[cell + 1] += stalls * part;
    return 0;
}

/* Divides the first COUNT of DENSITY by DIVISOR. */
static void divide(double *density, size_t count, double divisor)
{
    for (size_t i = 0; i < count; i++)
        density[i] /= divisor;
}

/*
 * The probabilities of losing 0, 1, 2 ... cells.  Begins with 1 instead of the probability of
 * 0, which may be too small for a number.
 */
static void panjer(const double *expected, double *density)
{
    size_t longest = 0;
    for (size_t cell = 1; cell < CELLS; cell++)
        if (expected[cell] > 0)
            longest = cell;
    double sum = density[0] = 1;
    for (size_t total = 1; total < CELLS; total++) {
        double value = 0;
        for (size_t cell = 1; cell <= longest && cell <= total; cell++)
            value += expected[cell] * (double)cell * density[total - cell];
        density[total] = value / (double)total;
        sum += density[total];
        if (density[total] > large) {
            divide(density, total + 1, large);
            sum /= large;
        }
    }
    divide(density, CELLS, sum);
}

/* The sum of 1 - F^RANKS over the cells. */
static double expected_largest(const double *density, uint64_t ranks)
{
    double cells = 0, tail = 0;
    for (size_t cell = CELLS - 1; cell > 0; cell--) {
        tail = fmin(tail + density[cell], 1);
        cells += tail >= 1 ? 1 : -expm1((double)ranks * log1p(-tail));
    }
    return cells;
}

double slowest_rank_loss(const struct stall_rate *rates, size_t count, double duration,
                         uint64_t ranks)
{
    double width = duration > 0 ? cell_width(rates, count, duration) : 0;
    if (!(width > 0) || !isfinite(width) || ranks == 0)
        return 0;
    double *expected = allocate(CELLS, sizeof *expected);
    double *density = allocate(CELLS, sizeof *density);
    double cells = 0;
    for (size_t i = 0; i < count; i++)
        if (counts(&rates[i]))
            cells += add_to_grid(expected, &rates[i], width, duration);
    panjer(expected, density);
    cells += expected_largest(density, ranks);
    free(expected);
    free(density);
    return isfinite(cells) ? cells * width : 0;
}

double slowest_rank_loss_together(const struct stall_rate *rates, size_t count, double duration,
                                  uint64_t ranks)
{
    double all = 0, shorter = 0, length = 0, sum = 0;
    for (size_t i = 0; i < count; i++)
        all += counts(&rates[i]) ? rates[i].per_second : 0;
    /* The integral of 1 - F^ranks, F being the share of stalls that are shorter. */
    for (size_t i = 0; i < count; i++) {
        if (!counts(&rates[i]))
            continue;
        sum += (rates[i].seconds - length) * (1 - pow(shorter / all, (double)ranks));
        length = rates[i].seconds;
        shorter += rates[i].per_second;
    }
    return duration > 0 && ranks > 0 && isfinite(sum * all * duration) ? sum * all * duration
                                                                       : 0;
}
