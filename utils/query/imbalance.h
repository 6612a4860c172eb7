/*
 * How unequally ranks share something: the imbalance percentage of DeRose, Homer and Johnson,
 * "Detecting Application Load Imbalance on High End Massively Parallel Systems" (Euro-Par
 * 2007), which CrayPat shows too:
 *
 *     (max - mean) / max * n / (n - 1)
 *
 * of the values of n ranks: 0 if all are equal, 1 if one rank has everything.
 */
#ifndef TSPROF_IMBALANCE_H
#define TSPROF_IMBALANCE_H

#include <stdbool.h>
#include <stddef.h>

/* False where it says nothing: for one rank, for nothing or less at most, or below nothing. */
static inline bool imbalance_is_known(long double min, long double max, size_t ranks)
{
    return ranks > 1 && max > 0 && min >= 0;
}

/* As a share of 1, of values that imbalance_is_known is true for. */
static inline long double imbalance_of(long double mean, long double max, size_t ranks)
{
    long double n = (long double)ranks, share = (max - mean) / max * (n / (n - 1));
    /* Of equal values the mean is rounded. */
    return share > 1e-9L ? share : 0;
}

#endif
