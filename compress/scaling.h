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

/* Values of a sketch that are weighed alike. */
enum scaling_kind { SCALING_TIME, SCALING_BYTES, SCALING_CALLS, SCALING_KINDS };

struct scaling {
    enum clustering_method method;
    size_t length;              /* of a row */
    size_t sketch;              /* where the sketch begins in a row: after the metrics */
    size_t sketch_count;        /* values of the sketch; 0: there is none */
    uint64_t iterations;        /* added so far */
    double samples;             /* of all iterations */
    double most[SCALING_KINDS]; /* largest sum of absolute values of that kind in a sketch */
    double used[SCALING_KINDS]; /* the same when weights were taken last */
    double used_samples;        /* of an iteration on average, when weights were taken last */
    double size_share;          /* how much the size of a cluster counts, see cost.c */
    double *sums;               /* a row, the owner's; zero at first */
    double *maxima;             /* a row, the owner's: largest absolute values; zero at first */
    double *weights;     /* a row, the owner's; 0 for what has no influence; zero at first */
    size_t live_metrics; /* how many have a weight */
    size_t point_length; /* floats of a point that are in use */
    uint64_t live;       /* bit n: a weight in the n-th group of four is not 0 (n < 64) */
};

/* Values that are passed over together where their weights are zero: most programs never use
 * most metrics. */
enum { SCALING_LANES = 4, SCALING_GROUPS = 64 };

/* Whether the group at I, a multiple of SCALING_LANES, is to be passed over. */
static inline bool scaling_is_dead(const struct scaling *scaling, size_t i)
{
    return i / SCALING_LANES < SCALING_GROUPS && !(scaling->live >> i / SCALING_LANES & 1);
}

/* Doubles in the row of a condensed vector of COUNT values. */
size_t row_length(size_t count);

/* Fills ROW with CONDENSED's COUNT values; one that is not finite, which would spoil every
 * distance for good, becomes 0, and one beyond 1e140, whose sums or squares would be infinite,
 * becomes that. */
void row_make(double *row, const double *condensed, size_t count);

/*
 * Fills POINT, as many floats as a row has doubles, with the weighted values of ROW that have
 * any weight, closed up.  With few metrics in use a point is much shorter than a row.
 */
void scaling_place(const struct scaling *scaling, const double *row, float *point);

/*
 * Adds an iteration's row, whose sketch is of SAMPLES samples.  Returns whether distances that
 * were computed before have to be computed again.
 */
bool scaling_add(struct scaling *scaling, const double *row, double samples);

#endif
