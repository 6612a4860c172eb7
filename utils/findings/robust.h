/*
 * Statistics that a few wild values do not change.  NaN must not be among the values.
 */
#ifndef TSPROF_ROBUST_H
#define TSPROF_ROBUST_H

#include <stddef.h>

/* Sorts VALUES ascending. */
void sort_values(double *values, size_t count);

/* The lower median of sorted values, of which there is one. */
double sorted_median(const double *sorted, size_t count);
/* The value that SHARE (0 to 1) of sorted values are at or below. */
double sorted_quantile(const double *sorted, size_t count, double share);

/* The same of values in any order, which they lose. */
double median_of(double *values, size_t count);

/*
 * The standard deviation that values from a normal distribution would have: 1.4826 times the
 * median absolute deviation from CENTRE.  The values are overwritten.
 */
double spread_about(double *values, size_t count, double centre);

/*
 * The standard deviation of values whose successive DIFFERENCES these are, of which a quarter
 * may be changes of level.  They are overwritten.
 */
double change_spread(double *differences, size_t count);

/*
 * In OUT the median of each value and up to REACH neighbours on either side; as many at the
 * ends, where they are all on one side.
 */
void rolling_median(const double *values, size_t count, size_t reach, double *out);

/* A monotonous trend (Mann 1945, Kendall 1975; the slope: Sen 1968). */
struct trend {
    double tau;   /* -1 falling throughout, 1 rising throughout */
    double z;     /* standard normal if there is none */
    double slope; /* per value */
};

/* Takes time and memory with the square of COUNT. */
struct trend trend_of(const double *values, size_t count);

#endif
