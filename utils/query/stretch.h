/*
 * Successive iterations in which no rank's value changes.  Millions of iterations may be a few
 * stretches, since all iterations of a cluster have the same values.
 */
#ifndef TSPROF_STRETCH_H
#define TSPROF_STRETCH_H

#include <stdint.h>

struct stretch {
    uint64_t first, length; /* not 0 */
    double max, mean, min;  /* over ranks; NaN if no rank has the iterations */
    uint32_t slowest;       /* the rank with the maximum: its index in the selection */
};

#endif
