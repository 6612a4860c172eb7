/*
 * The condensed profile of an iteration: one value per metric, what distances are computed on
 * (Szebenyi, "Capturing Parallel Performance Dynamics", section 4.1.2).
 *
 * Pure arithmetic: no state, no memory, any context.
 */
#ifndef TSPROF_CONDENSE_H
#define TSPROF_CONDENSE_H

#include <stdint.h>

#include "common/metrics.h"

/*
 * From EXCLUSIVE, the totals of an iteration over its call paths, each without its sub-metrics,
 * in stored integers (nanoseconds, bytes, occurrences), to the values of CONDENSED, inclusive
 * over sub-metrics and in the same units.  Every metric of the table has a place, so that more
 * general ones weigh in where specific ones do; those that say nothing about the program are 0,
 * which distances skip.
 */
void condense(const int64_t exclusive[METRIC_COUNT], double condensed[METRIC_COUNT]);

#endif
