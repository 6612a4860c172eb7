/*
 * Two ascending lists of numbers, side by side.
 *
 * For files in compress only.  Which list the next number comes from is a coin toss for the
 * branch predictor, so loops over two lists advance by results of comparisons.  But most lists
 * have most numbers in common, and runs of those are passed in strides.
 */
#ifndef TSPROF_RUNS_H
#define TSPROF_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The number of numbers by which two lists are compared at once. */
enum { RUN = 4 };

/* Whether A, of which LEFT numbers are left, and B with OTHERS_LEFT go on with the same run. */
static inline bool runs_agree(const uint32_t *a, size_t left, const uint32_t *b,
                              size_t others_left)
{
    return left >= RUN && others_left >= RUN && memcmp(a, b, RUN * sizeof(*a)) == 0;
}

/* How many numbers one of the two lists, or both, have. */
static inline size_t runs_union(const uint32_t *a, size_t a_count, const uint32_t *b,
                                size_t b_count)
{
    size_t i = 0, j = 0, both = 0;
    while (i < a_count && j < b_count) {
        if (runs_agree(a + i, a_count - i, b + j, b_count - j)) {
            i += RUN;
            j += RUN;
            both += RUN;
            continue;
        }
        const uint32_t one = a[i], other = b[j];
        i += one <= other;
        j += other <= one;
        both += one == other;
    }
    return a_count + b_count - both;
}

#endif
