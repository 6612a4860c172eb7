/*
 * How unequally ranks share something: the imbalance percentage of DeRose, Homer and Johnson,
 * "Detecting Application Load Imbalance on High End Massively Parallel Systems" (Euro-Par
 * 2007), which CrayPat shows as well:
 *
 *     (max - mean) / max * n / (n - 1)
 *
 * of the values of n ranks: 0 if all are equal, 1 if one rank has everything.
 */
#ifndef TSPROF_IMBALANCE_H
#define TSPROF_IMBALANCE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the imbalance means anything: there are several ranks, some value is positive and
 * none is negative. */
static inline bool imbalance_is_known(long double min, long double max, size_t ranks)
{
    return ranks > 1 && max > 0 && min >= 0;
}

/* The imbalance as a share of 1, where imbalance_is_known. */
static inline long double imbalance_of(long double mean, long double max, size_t ranks)
{
    long double n = (long double)ranks, share = (max - mean) / max * (n / (n - 1));
    /* Of equal values the mean may differ from them by rounding. */
    return share > 1e-9L ? share : 0;
}

#endif
