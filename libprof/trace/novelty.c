/* See novelty.h. */
#include "trace/novelty.h"

#include <string.h>

/* An iteration that differs by so much from all leaders becomes one. */
#define FAR 0.1

static double size_of(double value)
{
    return value < 0 ? -value : value;
}

/*
 * The mean over the metrics that are not zero in both of how much of the larger value they
 * differ by: every metric counts alike, whatever its unit.
 */
static double distance(const double *a, const double *b, unsigned count)
{
    double sum = 0, metrics = 0;
    for (unsigned i = 0; i < count; i++) {
        const double larger = size_of(a[i]) > size_of(b[i]) ? size_of(a[i]) : size_of(b[i]);
        if (larger > 0) {
            sum += size_of(a[i] - b[i]) / larger;
            metrics++;
        }
    }
    return metrics > 0 ? sum / metrics : 0;
}

double novelty_of_async(const struct novelty *novelty, const double *totals, unsigned count)
{
    double nearest = 1;
    const uint32_t known = novelty->count < NOVELTY_LEADERS ? novelty->count : NOVELTY_LEADERS;
    for (uint32_t i = 0; i < known; i++) {
        const double far = distance(novelty->leaders[i], totals, count);
        nearest = far < nearest ? far : nearest;
    }
    return nearest;
}

void novelty_learn_async(struct novelty *novelty, const double *totals, unsigned count,
                         double distance)
{
    if (distance > FAR)
        memcpy(novelty->leaders[novelty->count++ % NOVELTY_LEADERS], totals,
               count * sizeof *totals);
}
