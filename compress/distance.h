/*
 * Condensed profiles and the distance between them (Szebenyi, "Capturing Parallel Performance
 * Dynamics", sections 4.1.2 and 4.1.3).
 *
 * For files in compress only.  Takes no memory.  A condensed vector is stored as a row:
 * distance_row_length(count) doubles, of which those after the first COUNT are zero.
 */
#ifndef TSPROF_DISTANCE_H
#define TSPROF_DISTANCE_H

#include <stddef.h>
#include <stdint.h>

/* The running average of all iterations, which gives every metric equal weight. */
struct average {
    size_t length;       /* of a row */
    uint64_t iterations; /* added so far */
    double *sums;        /* a row, the owner's; zero at first */
    double *maxima;      /* a row, the owner's: largest absolute values; zero at first */
    double *weights;     /* a row, the owner's; 1 / |average|, 0 where the average is 0 */
    uint64_t live;       /* bit n: a weight in the n-th group of four is not 0 (n < 64) */
};

/* Doubles in the row of a condensed vector of COUNT values. */
size_t distance_row_length(size_t count);

/* Fills ROW with CONDENSED's COUNT values; one that is not finite, which would spoil the
 * average and every distance for good, becomes 0. */
void distance_make_row(double *row, const double *condensed, size_t count);

/* Adds an iteration's row to the average. */
void average_add(struct average *average, const double *row);

/* The distance between the means A and B of two clusters with together SIZE iterations, for
 * the closer the smaller: finite and at least 0. */
double distance_between(const double *a, const double *b, const struct average *average,
                        uint64_t size);

/* Equation 4.1: makes clusters of few iterations, that is noise, merge before large ones. */
double distance_size_factor(uint64_t size);

#endif
