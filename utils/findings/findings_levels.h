/*
 * Levels of a phase's iterations, and the segments between steps: what findings_levels.c and
 * findings_drifts.c share.  See findings_look.h.
 */
#ifndef TSPROF_FINDINGS_LEVELS_H
#define TSPROF_FINDINGS_LEVELS_H

#include "findings/findings_look.h"

#include <stddef.h>

#define MOST_STEPS    16
#define MOST_SEGMENTS (MOST_STEPS + 1)

/* Values that change slowly: medians of a few points each. */
struct levels {
    const struct look *look;
    double *values;
    size_t *first; /* point of each, and the end of the last */
    size_t count;
    double spread; /* of single points */
    size_t reach;  /* a value is the median of so many neighbours on either side */
};

/* Points in a row on one level. */
struct segment {
    size_t first, end;       /* points */
    size_t level, level_end; /* levels */
    double value;
};

/* The median of values FROM to TO - 1, of which there is at least one. */
double level_between(const double *values, size_t from, size_t to);

/* The levels FROM to TO - 1; its points are for place_segments. */
struct segment segment_between(const struct levels *levels, size_t from, size_t to);

/* Whether AFTER has another level than BEFORE, by much, and by more than noise makes. */
bool is_another(const struct levels *levels, const struct segment *before,
                const struct segment *after);

/* Finds the points at which segments, of which there is at least one, begin and end: all points
 * of the first level of the first to those of the last level of the last. */
void place_segments(const struct levels *levels, struct segment *segments, size_t count);

/* Points FIRST to END - 1. */
struct part {
    size_t first, end;
};

/* The share by which the levels of parts A and B must differ: SHARE, or, where processors are
 * lacking, so that it is not known so well, UNSURE of what they lack for in the one that lacks
 * them longer. */
double least_share(const struct look *look, double share, double unsure, struct part a,
                   struct part b);

/* The iterations of points FIRST to END - 1. */
struct range range_of(const struct look *look, size_t first, size_t end);

/* How much more than LOW the points FIRST to END - 1 have together, times their groups' sizes.
 */
double sum_above(const struct look *look, size_t first, size_t end, double low);

/* Reports that segment ON has another level than OFF. */
void tell_level(struct collection *collection, const struct look *look, enum finding_kind kind,
                struct segment on, struct segment off);

/* findings_drifts.c */

/* Takes neighbouring segments that are one drift, rather than steps, for one; returns how many
 * are left. */
size_t join_drifts(const struct levels *levels, struct segment *segments, size_t count);

/* Reports SEGMENT if it has a drift. */
void look_for_drift(struct collection *collection, const struct levels *levels,
                    const struct segment *segment);

#endif
