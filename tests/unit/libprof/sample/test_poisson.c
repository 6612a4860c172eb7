/* Gaps between samples are exponentially distributed and independent of each other. */
#include "sample/poisson.h"

#include "tap.h"

#include <math.h>
#include <stdlib.h>

enum { GAPS = 1000000 };

static const double mean = 1e7;
static double gaps[GAPS];

static void test_logarithm(void)
{
    double worst = 0;
    for (int i = 1; i < 100000; i++) {
        double x = i * 1e-5;
        worst = fmax(worst, fabs(poisson_ln_async(x) - log(x)));
    }
    for (double x = 0x1p-53; x < 1e6; x *= 1.01)
        worst = fmax(worst, fabs(poisson_ln_async(x) - log(x)));
    OK(worst < 1e-6, "the logarithm is right to %.1e", worst);
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

/* Kolmogorov and Smirnov: the largest distance between the two distribution functions. */
static double distance_to_exponential(void)
{
    double worst = 0;
    qsort(gaps, GAPS, sizeof gaps[0], compare);
    for (int i = 0; i < GAPS; i++) {
        double wanted = 1 - exp(-gaps[i] / mean);
        worst = fmax(worst, fabs(wanted - (i + 0.5) / GAPS));
    }
    return worst * sqrt(GAPS);
}

static void test_gaps(uint64_t seed)
{
    uint64_t state = poisson_seed(seed);
    double product = 0, least = INFINITY;
    for (int i = 0; i < GAPS; i++) {
        gaps[i] = (double)poisson_gap_async(&state, mean);
        least = fmin(least, gaps[i]);
        if (i > 0)
            product += (gaps[i] - mean) * (gaps[i - 1] - mean);
    }
    double correlation = product / GAPS / (mean * mean) * sqrt(GAPS);
    OK(least >= 0, "seed %d: no gap is negative", (int)seed);
    OK(fabs(correlation) < 4, "seed %d: neighbours are independent (%.2f sigma)", (int)seed,
       correlation);
    double distance = distance_to_exponential();
    OK(distance < 1.95, "seed %d: gaps are exponential (Kolmogorov %.2f)", (int)seed, distance);
}

int main(void)
{
    test_logarithm();
    for (uint64_t seed = 0; seed < 4; seed++)
        test_gaps(seed);
    return tap_done();
}
