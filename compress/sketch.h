/*
 * The sketch: where in the call tree things happened in an iteration, in a bounded number of
 * values.
 *
 * An iteration's totals do not tell whether time moved from one call path to another.  The
 * matrix of call paths x metrics does, but is too large to compute distances on.  The sketch is
 * a random projection of it: every call path adds its exclusive value, with a sign, to one of
 * SKETCH_PART values; a hash of the call path determines both.  A value that moves between two
 * call paths then changes two values, or one value twice, with a probability of 1 - 1/(2
 * SKETCH_PART); what stays changes none.  It is linear: the sketch of a mean is the mean of the
 * sketches (a count sketch without its repetitions: M. Charikar, K. Chen, M. Farach-Colton,
 * "Finding Frequent Items in Data Streams", 2002).
 *
 * A sketch has several parts, one after the other: see enum sketch_part.
 *
 * Pure arithmetic: no memory, any context.
 */
#ifndef TSPROF_SKETCH_H
#define TSPROF_SKETCH_H

#include <stdint.h>

enum sketch_part {
    SKETCH_MPI,         /* time in MPI, which is exact */
    SKETCH_COMPUTATION, /* time outside, whose call paths are known from samples */
    SKETCH_BYTES,       /* what MPI calls move */
    SKETCH_CALLS,       /* visits of MPI call paths */
    SKETCH_PARTS
};

enum { SKETCH_PART = 12, SKETCH_SIZE = SKETCH_PARTS * SKETCH_PART };

/* Adds VALUE, an exclusive value of the call path with number PATH, to one part of a sketch. */
static inline void sketch_add(double sketch[SKETCH_SIZE], enum sketch_part part, uint32_t path,
                              int64_t value)
{
    uint64_t mixed = (path + UINT64_C(1)) * UINT64_C(0x9E3779B97F4A7C15);
    mixed = (mixed ^ mixed >> 32) * UINT64_C(0xD6E8FEB86659FD93);
    double *slot = &sketch[part * SKETCH_PART + ((mixed >> 32) * SKETCH_PART >> 32)];
    *slot += mixed >> 31 & 1 ? (double)value : -(double)value;
}

#endif
