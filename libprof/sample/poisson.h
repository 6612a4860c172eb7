/*
 * Random gaps between samples.
 *
 * Instants whose gaps are exponentially distributed form a Poisson process.  They are
 * independent of anything the program does, so every moment is equally likely to be sampled,
 * even in a program that runs in lockstep with a clock.  Ignoring some of the instants (those
 * inside MPI) adds no bias: the gap before a sample says nothing about where the sample falls.
 * Pure functions: any context.
 */
#ifndef TSPROF_POISSON_H
#define TSPROF_POISSON_H

#include <stdint.h>
#include <string.h>

/* The next number of a stream (splitmix64; Steele, Lea and Flood, OOPSLA 2014). */
static inline uint64_t poisson_random_async(uint64_t *state)
{
    uint64_t mixed = *state += UINT64_C(0x9E3779B97F4A7C15);
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94D049BB133111EB);
    return mixed ^ (mixed >> 31);
}

/*
 * The initial state of a stream of random numbers; streams of different SEEDs are independent.
 */
static inline uint64_t poisson_seed(uint64_t seed)
{
    uint64_t state = seed ^ UINT64_C(0xD1B54A32D192ED03);
    return poisson_random_async(&state);
}

/*
 * The natural logarithm of a positive, normal number, accurate to about 10^-7.  Not libm's,
 * since the runtime must depend on the C library alone.
 */
static inline double poisson_ln_async(double x)
{
    const double ln2 = 0.69314718055994531;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52) - 1023;
    bits = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1023) << 52;
    double m;
    memcpy(&m, &bits, sizeof m);
    /* ln m = 2 artanh z, and z <= 1/3 since 1 <= m < 2. */
    double z = (m - 1) / (m + 1), q = z * z;
    double sum = 1. / 13;
    for (int n = 11; n > 0; n -= 2)
        sum = 1. / n + q * sum;
    return exponent * ln2 + 2 * z * sum;
}

/*
 * A random gap with the given mean, in the same unit as MEAN: -MEAN ln u with u uniform in (0,
 * 1).
 */
static inline int64_t poisson_gap_async(uint64_t *state, double mean)
{
    double u = ((double)(poisson_random_async(state) >> 12) + 0.5) * 0x1p-52;
    return (int64_t)(-mean * poisson_ln_async(u));
}

#endif
