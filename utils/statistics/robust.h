/*
 * Robust statistics, which outliers hardly change.  Values must not be NaN.
 */
#ifndef TSPROF_ROBUST_H
#define TSPROF_ROBUST_H

#include <stddef.h>

/* Sorts VALUES ascending. */
void sort_values(double *values, size_t count);

/* The lower median of COUNT (at least 1) sorted values. */
double sorted_median(const double *sorted, size_t count);
/* The quantile SHARE (0 to 1) of sorted values. */
double sorted_quantile(const double *sorted, size_t count, double share);

/* The median of values in any order; it reorders them. */
double median_of(double *values, size_t count);

/*
 * A robust standard deviation: 1.4826 times the median absolute deviation from CENTRE, which
 * for normally distributed values is their standard deviation.  Overwrites the values.
 */
double spread_about(double *values, size_t count, double centre);

/*
 * The standard deviation of values, estimated from their successive DIFFERENCES, of which up to
 * a quarter may be changes of level.  Overwrites DIFFERENCES.
 */
double change_spread(double *differences, size_t count);

/*
 * Puts into OUT, for each value, the median of it and of REACH neighbours on either side.  At
 * the ends the window has the same size but reaches further to the inner side.
 */
void rolling_median(const double *values, size_t count, size_t reach, double *out);

/* A monotonous trend (Mann 1945, Kendall 1975; the slope: Sen 1968). */
struct trend {
    double tau;   /* from -1, always falling, to 1, always rising */
    double z;     /* has a standard normal distribution if there is no trend */
    double slope; /* from one value to the next */
};

/* The trend of values in order.  Time and memory grow with the square of COUNT. */
struct trend trend_of(const double *values, size_t count);

#endif
