/* Robust statistics.  See robust.h. */
#include "statistics/robust.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NORMAL_PER_MAD 1.4826
/* The median and the third quartile of the size of a standard normal value. */
#define NORMAL_HALF  0.6745
#define NORMAL_THREE 1.1503

static int compare_values(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

void sort_values(double *values, size_t count)
{
    if (count > 1)
        qsort(values, count, sizeof *values, compare_values);
}

double sorted_median(const double *sorted, size_t count)
{
    return sorted[(count - 1) / 2];
}

double sorted_quantile(const double *sorted, size_t count, double share)
{
    size_t at = (size_t)(share * (double)count);
    return sorted[at < count ? at : count - 1];
}

double median_of(double *values, size_t count)
{
    sort_values(values, count);
    return sorted_median(values, count);
}

double spread_about(double *values, size_t count, double centre)
{
    for (size_t i = 0; i < count; i++)
        values[i] = fabs(values[i] - centre);
    return NORMAL_PER_MAD * median_of(values, count);
}

double change_spread(double *differences, size_t count)
{
    if (count == 0)
        return 0;
    for (size_t i = 0; i < count; i++)
        differences[i] = fabs(differences[i]);
    sort_values(differences, count);
    return fmax(sorted_median(differences, count) / NORMAL_HALF,
                sorted_quantile(differences, count, 0.75) / NORMAL_THREE) /
           sqrt(2);
}

/* The place of VALUE, or of the first that is larger, in COUNT sorted values. */
static size_t place_of(const double *sorted, size_t count, double value)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void replace(double *sorted, size_t count, double old, double new)
{
    size_t from = place_of(sorted, count, old);
    memmove(sorted + from, sorted + from + 1, (count - from - 1) * sizeof *sorted);
    size_t to = place_of(sorted, count - 1, new);
    memmove(sorted + to + 1, sorted + to, (count - 1 - to) * sizeof *sorted);
    sorted[to] = new;
}

void rolling_median(const double *values, size_t count, size_t reach, double *out)
{
    size_t width = 2 * reach + 1 < count ? 2 * reach + 1 : count, first = 0;
    if (count == 0)
        return;
    double *window = allocate(width, sizeof *window);
    memcpy(window, values, width * sizeof *window);
    sort_values(window, width);
    for (size_t i = 0; i < count; i++) {
        while (first + width < count && i > first + reach) {
            replace(window, width, values[first], values[first + width]);
            first++;
        }
        out[i] = sorted_median(window, width);
    }
    free(window);
}

struct trend trend_of(const double *values, size_t count)
{
    struct trend trend = {0};
    size_t pairs = count * (count - 1) / 2, at = 0;
    double sum = 0, n = (double)count;
    if (count < 2)
        return trend;
    double *slopes = allocate(pairs, sizeof *slopes);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++) {
            sum += (values[j] > values[i]) - (values[j] < values[i]);
            slopes[at++] = (values[j] - values[i]) / (double)(j - i);
        }
    trend.tau = sum / (double)pairs;
    trend.z = sum / sqrt(n * (n - 1) * (2 * n + 5) / 18);
    trend.slope = median_of(slopes, pairs);
    free(slopes);
    return trend;
}
