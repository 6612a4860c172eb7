/*
 * Computes the condensed profile of an iteration: one value per metric, which distances are
 * computed from (Szebenyi, "Capturing Parallel Performance Dynamics", section 4.1.2).
 *
 * Pure arithmetic: no state, no memory, any context.
 */
#ifndef TSPROF_CONDENSE_H
#define TSPROF_CONDENSE_H

#include <stdint.h>

#include "common/metrics.h"

/*
 * Fills CONDENSED with values that include sub-metrics, from EXCLUSIVE: an iteration's totals
 * over its call paths, each metric without its sub-metrics, in stored integers (nanoseconds,
 * bytes, occurrences).  Units stay the same.  Every metric of the table has a place, so that
 * general metrics add weight where specific ones do.  Metrics that say nothing about the
 * program are 0, which distances skip.
 */
void condense(const int64_t exclusive[METRIC_COUNT], double condensed[METRIC_COUNT]);

#endif
