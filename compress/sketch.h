/*
 * A bounded view of where in the call tree an iteration spent its time: the sketch.
 *
 * Totals of an iteration do not tell whether time moved from one call path to another.  The
 * call path x metric matrix does, but is too large to compute distances on.  The sketch is a
 * random projection of it: every call path adds its exclusive time, with a sign, to one of
 * SKETCH_HALF values; both are drawn by a hash of the call path.  What moves between two call
 * paths then changes two values, or one value twice, with a probability of 1 - 1/(2
 * SKETCH_HALF); what stays changes none.  It is linear: the sketch of a mean is the mean of
 * sketches (M. Charikar, K. Chen, M. Farach-Colton, "Finding Frequent Items in Data Streams",
 * 2002, without its repetitions).
 *
 * There are two of them, one after the other: of the time in MPI, which is exact, and of the
 * computation, whose call paths are known from samples.
 *
 * Pure arithmetic: no memory, any context.
 */
#ifndef TSPROF_SKETCH_H
#define TSPROF_SKETCH_H

#include <stdint.h>

enum {
    SKETCH_HALF = 16,
    SKETCH_MPI = 0,                   /* where the time in MPI begins */
    SKETCH_COMPUTATION = SKETCH_HALF, /* where the computation begins */
    SKETCH_SIZE = 2 * SKETCH_HALF
};

/* Adds VALUE, the exclusive time of the call path with number PATH, to one half of a sketch. */
static inline void sketch_add(double half[SKETCH_HALF], uint32_t path, int64_t value)
{
    uint64_t mixed = (path + UINT64_C(1)) * UINT64_C(0x9E3779B97F4A7C15);
    mixed = (mixed ^ mixed >> 32) * UINT64_C(0xD6E8FEB86659FD93);
    double *slot = &half[mixed >> 60];
    *slot += mixed >> 31 & 1 ? (double)value : -(double)value;
}

_Static_assert(SKETCH_HALF == 1 << 4, "the upper four bits choose");

#endif
