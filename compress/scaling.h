/*
 * Condensed profiles made comparable: rows of doubles, and the weight of every value in them.
 *
 * For files in compress only.  Takes no memory.  A condensed vector is stored as a row:
 * row_length(count) doubles, of which those after the first COUNT are zero.
 *
 * Metrics differ in unit and magnitude; a weight makes a number without unit of each.  In the
 * published method it is the inverse of the running average, taken anew with every iteration
 * (Szebenyi, "Capturing Parallel Performance Dynamics", section 4.1.2).  In the adaptive one
 * it is the inverse of the largest value so far: the height of the graph in which a user sees
 * the error.  It grows in steps, and with every step all distances are taken anew, so that
 * distances that are compared have always had the same weights.
 */
#ifndef TSPROF_SCALING_H
#define TSPROF_SCALING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compress/clustering.h"

/* Kinds of values in a sketch; all values of a kind have the same weight. */
enum scaling_kind { SCALING_TIME, SCALING_BYTES, SCALING_CALLS, SCALING_KINDS };

struct scaling {
    enum clustering_method method;
    size_t length;              /* of a row */
    size_t sketch;              /* index in a row where the sketch begins */
    size_t sketch_count;        /* values of the sketch; 0: there is none */
    uint64_t iterations;        /* added so far */
    double samples;             /* samples of all iterations */
    double most[SCALING_KINDS]; /* by kind: largest sum of absolute values in a sketch */
    double used[SCALING_KINDS]; /* `most` when the weights were last computed */
    double used_samples;        /* samples per iteration, when the weights were last computed */
    double size_share;          /* how much the size of a cluster counts, see cost.c */
    double *sums;               /* a row of the owner's; zero at first */
    double *maxima;             /* a row of the owner's: largest magnitudes; zero at first */
    double *weights;            /* a row of the owner's; 0: no influence; zero at first */
    size_t live_metrics;        /* metrics that have a weight */
    size_t point_length;        /* floats of a point that are in use */
    uint64_t live; /* bit n: a weight in the n-th group of four is not 0 (n < 64) */
};

/*
 * Groups of values that are skipped together if all their weights are zero: most programs never
 * use most metrics.
 */
enum { SCALING_LANES = 4, SCALING_GROUPS = 64 };

/* Whether the group at index I, a multiple of SCALING_LANES, is to be skipped. */
static inline bool scaling_is_dead(const struct scaling *scaling, size_t i)
{
    return i / SCALING_LANES < SCALING_GROUPS && !(scaling->live >> i / SCALING_LANES & 1);
}

/* The number of doubles in the row of a condensed vector of COUNT values. */
size_t row_length(size_t count);

/*
 * Fills ROW with the COUNT values of CONDENSED.  One that is not finite becomes 0, since it
 * would spoil every distance for good; one beyond 1e140 becomes that, since sums or squares
 * could overflow.
 */
void row_make(double *row, const double *condensed, size_t count);

/*
 * Fills POINT with the weighted values of ROW, without those whose weight is 0.  POINT needs
 * room for as many floats as a row has doubles; with few metrics in use it is much shorter.
 */
void scaling_place(const struct scaling *scaling, const double *row, float *point);

/*
 * Adds an iteration's row, whose sketch comes from SAMPLES samples.  Returns whether the
 * weights have changed, so that all distances have to be computed again.
 */
bool scaling_add(struct scaling *scaling, const double *row, double samples);

#endif
