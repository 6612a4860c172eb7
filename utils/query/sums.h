/*
 * Arithmetic on the profiles of a summary.
 *
 * Sums of stored integers wrap around on overflow instead of being undefined, since a damaged
 * file may contain any values.  Shown values are in the metric's unit.
 */
#ifndef TSPROF_SUMS_H
#define TSPROF_SUMS_H

#include "file/file.h"

#include <stdbool.h>
#include <stdint.h>

int64_t add_stored(int64_t a, int64_t b);
int64_t subtract_stored(int64_t a, int64_t b);

/* Adds the sums of PROFILE over call paths to VALUES: one for each metric, exclusive. */
void profile_add_sums(const struct profile *profile, int64_t *values);

/* Turns the exclusive VALUES of all metrics into inclusive ones, following the file's metric
 * tree. */
void make_inclusive(const struct summary *summary, int64_t *values);

/* The inclusive values of PROFILE summed over call paths; for the caller to free(). */
int64_t *profile_inclusive(const struct summary *summary, const struct profile *profile);

/* The mean of METRIC over COUNT iterations in the metric's unit; SUM is in stored units. */
long double shown_value(const struct summary *summary, uint32_t metric, long double sum,
                        uint64_t count);

/* True if METRIC is ANCESTOR or a part of it. */
bool metric_is_part(const struct summary *summary, uint32_t metric, uint32_t ancestor);

/*
 * Which metrics have a value anywhere: [m] is true if metric m, or a part of it, is not zero on
 * some call path in the whole run of some location.  For the caller to free().
 */
bool *metrics_in_use(const struct summary *summary);

#endif
