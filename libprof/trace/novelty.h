/*
 * How new an iteration is: how far its totals are from those of the iterations most like it.
 *
 * A few iterations are remembered, each of which was far from all others when it came (leader
 * clustering).  For whoever owns the memory; any context.
 */
#ifndef TSPROF_NOVELTY_H
#define TSPROF_NOVELTY_H

#include "common/metrics.h"

#include <stdint.h>

enum { NOVELTY_LEADERS = 32 };

struct novelty {
    uint32_t count; /* leaders so far, the latest of which are remembered */
    double leaders[NOVELTY_LEADERS][METRIC_MOST];
};

/*
 * The distance of TOTALS, one for each of COUNT metrics, from the nearest leader: 0 if it is
 * the same, up to 1 if they have nothing in common.
 */
double novelty_of_async(const struct novelty *novelty, const double *totals, unsigned count);

/* Makes an iteration with these TOTALS a leader if DISTANCE, which it has, is far. */
void novelty_learn_async(struct novelty *novelty, const double *totals, unsigned count,
                         double distance);

#endif
