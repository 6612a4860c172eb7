/*
 * How far off the means of clusters are for single call paths: as quality.h has it for totals
 * of iterations, from the sums of squares beside the largest values.
 */
#ifndef TSPROF_PATH_ERRORS_H
#define TSPROF_PATH_ERRORS_H

#include "query/query.h"

#include <stddef.h>
#include <stdint.h>

/* A time of a call path, exclusive, in iterations of a phase on all selected locations. */
struct path_error {
    uint32_t node, metric;
    double rms;     /* root mean square of what iterations are off, in stored units */
    double largest; /* value in an iteration */
};

/*
 * Lists those that are known of PHASE, those that are off the most first; for the caller to
 * free().  Iterations without the call path count with a value of 0.  A location that has lost
 * iterations is left out.
 */
struct path_error *path_errors_find(const struct selection *selection, uint32_t phase,
                                    size_t *count);

#endif
