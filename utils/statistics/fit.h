/*
 * How well a line, or levels, explain values: sums of squared differences from the best one.
 * VALUES must not be NaN; COUNT is at least 1.
 */
#ifndef TSPROF_FIT_H
#define TSPROF_FIT_H

#include <stddef.h>

/* What the best line through values at equal distances leaves. */
double fit_line(const double *values, size_t count);

/* What their mean leaves. */
double fit_level(const double *values, size_t count);

/* What two levels leave, one after the other; the second begins at *AT, where that is least.
 * COUNT is at least 2. */
double fit_two_levels(const double *values, size_t count, size_t *at);

/* An error that PARAMETERS leave of COUNT values, for each value that they do not take up; not
 * finite if they take up all.  Of two explanations the one with less is the better one. */
double fit_error(double error, size_t count, size_t parameters);

#endif
