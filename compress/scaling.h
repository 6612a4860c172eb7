/*
 * Iterations made comparable: rows of totals, and the weights of totals and of cells.
 *
 * For files in compress only.  Takes no memory.  A condensed vector is stored as a row:
 * row_length(count) doubles, of which those after the first COUNT are zero.
 *
 * Metrics differ in unit and magnitude; a weight makes a number without unit of each.  In the
 * published method it is the inverse of the running average, taken anew with every iteration
 * (Szebenyi, "Capturing Parallel Performance Dynamics", section 4.1.2), and cells have none.
 * In the adaptive one it is the inverse of the largest value so far: the height of the graph in
 * which a user sees the error.  Of cells the features (feature_cells.h) have a weight: the
 * inverse of their metric's scale (cells_scale), times a factor by which the variances
 * of all features add up to a share of those of all totals: the more, the more of what varies
 * in them the clusters explain.
 *
 * The adaptive weights change in steps.  There are two sets of them: one in force, and one that
 * may be prepared meanwhile.
 */
#ifndef TSPROF_SCALING_H
#define TSPROF_SCALING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compress/clustering.h"
#include "compress/feature_cells.h"
#include "compress/sparse.h"

/* A set of weights, and which of them a point is made of. */
struct weights {
    double *metrics; /* a row of the owner's; 0: no influence; zero at first */
    struct features features;
    double inverse[FEATURES_MOST];  /* of features: one over the scale of their metric */
    double tops[FEATURES_MOST];     /* of features: the top of their metric at that time */
    double paths;                   /* what all features are multiplied by */
    uint32_t places[FEATURES_MOST]; /* where each was in the profile looked at last */
    size_t live_metrics;            /* metrics that have a weight */
    size_t totals_length;           /* floats of a point that are totals; then come features */
    size_t point_length;            /* floats of a point that are in use */
    uint64_t live; /* bit n: a weight in the n-th group of four is not 0 (n < 64) */
};

/*
 * The shares of their variances that totals and features have within clusters, see
 * unexplained.h; all zeros: not known.
 */
struct unexplained {
    bool known;
    double totals, features;
};

struct scaling {
    enum clustering_method method;
    size_t length;             /* of a row */
    uint64_t iterations;       /* added so far */
    double size_share;         /* how much the size of a cluster counts, see cost.c */
    double *sums;              /* a row of the owner's; zero at first */
    double *squares;           /* the same, of the squares */
    double *maxima;            /* a row of the owner's: largest magnitudes; zero at first */
    const struct cells *cells; /* the owner's */
    struct weights sets[2];
    unsigned now; /* the set in force */
    struct unexplained unexplained;
    struct choice choice;
    bool choosing;
    uint64_t next_choice; /* the number of iterations at which features are chosen again */
};

static inline const struct weights *scaling_weights(const struct scaling *scaling)
{
    return &scaling->sets[scaling->now];
}

/*
 * Groups of values that are skipped together if all their weights are zero: most programs never
 * use most metrics.
 */
enum { SCALING_LANES = 4, SCALING_GROUPS = 64 };

/* Whether the group at index I, a multiple of SCALING_LANES, is to be skipped. */
static inline bool weights_is_dead(const struct weights *weights, size_t i)
{
    return i / SCALING_LANES < SCALING_GROUPS && !(weights->live >> i / SCALING_LANES & 1);
}

/* The number of doubles in the row of a condensed vector of COUNT values. */
size_t row_length(size_t count);

/*
 * Fills ROW with the COUNT values of CONDENSED.  One that is not finite becomes 0, since it
 * would spoil every distance for good; one beyond 1e140 becomes that, since sums or squares
 * could overflow.
 */
void row_make(double *row, const double *condensed, size_t count);

/* The most floats of a point whose rows have LENGTH values. */
size_t point_most(size_t length);

/*
 * Fills POINT with the weighted values of a cluster of SIZE iterations: its mean ROW, and the
 * features in the sums of its PROFILE.  POINT has room for point_most floats; with few metrics
 * in use it is much shorter.
 */
void weights_place(struct weights *weights, size_t length, const double *row,
                   const struct sparse *profile, double size, float *point);

/* Adds an iteration's row.  For the published method that changes the weights. */
void scaling_add(struct scaling *scaling, const double *row);

/* Whether features are looked for again with the next iteration. */
bool scaling_chooses_next(const struct scaling *scaling);

/*
 * Whether the adaptive method should change to new weights, for ROW, which was added last, or
 * because other cells vary now.  To be asked after every iteration once the weights are in use:
 * the cells are looked at some at a time.
 */
bool scaling_wants_change(struct scaling *scaling, const double *row);

/* Looks at some more cells for the first choice; returns whether that is made. */
bool scaling_choose(struct scaling *scaling);

/* Makes new weights, by what is known now: the set in force, or the other one. */
void scaling_weigh(struct scaling *scaling, unsigned set);

#endif
