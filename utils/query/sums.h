/*
 * Arithmetic on the profiles of a summary.
 *
 * Stored integers are added as they are and wrap around rather than be undefined, for a damaged
 * file may hold anything.  Shown values are in the metric's unit.
 */
#ifndef TSPROF_SUMS_H
#define TSPROF_SUMS_H

#include "file/file.h"

#include <stdbool.h>
#include <stdint.h>

int64_t add_stored(int64_t a, int64_t b);
int64_t subtract_stored(int64_t a, int64_t b);

/* Adds PROFILE, summed over its call paths, to VALUES, one for each metric; exclusive. */
void profile_add_sums(const struct profile *profile, int64_t *values);

/* Turns exclusive values of all metrics into inclusive ones, by the file's own metric tree. */
void make_inclusive(const struct summary *summary, int64_t *values);

/* The inclusive values of PROFILE summed over call paths; for the caller to free(). */
int64_t *profile_inclusive(const struct summary *summary, const struct profile *profile);

/* SUM of METRIC (stored units) over COUNT iterations as one iteration's value in its unit. */
long double shown_value(const struct summary *summary, uint32_t metric, long double sum,
                        uint64_t count);

/* True if METRIC is ANCESTOR or a part of it. */
bool metric_is_part(const struct summary *summary, uint32_t metric, uint32_t ancestor);

/*
 * Which metrics have a value anywhere: [m] is true if m or a part of it is not zero on some
 * call path in the whole run of some location.  For the caller to free().
 */
bool *metrics_in_use(const struct summary *summary);

#endif
