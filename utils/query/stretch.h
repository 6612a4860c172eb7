/*
 * Iterations in a row that have the same value on every rank: a run of millions may have few.
 */
#ifndef TSPROF_STRETCH_H
#define TSPROF_STRETCH_H

#include <stdint.h>

struct stretch {
    uint64_t first, length; /* not 0 */
    double max, mean, min;  /* over ranks; NaN where no rank has the iterations */
    uint32_t slowest;       /* index into the selection's ranks of the one with the maximum */
};

#endif
