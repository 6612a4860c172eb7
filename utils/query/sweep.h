/*
 * Goes through the iterations of several series at once, in stretches in which none of them
 * changes to another cluster.  Whatever is computed for a stretch is true for each of its
 * iterations, however many there are.
 */
#ifndef TSPROF_SWEEP_H
#define TSPROF_SWEEP_H

#include "file/file.h"
#include "options/options.h"

struct sweep {
    const struct series *const
        *series; /* the caller's; NULL stands for one without iterations */
    size_t count;
    uint64_t next, end;
    size_t *runs; /* of each series: the run that contains `next`, or one past the last */

    /* The current stretch. */
    uint64_t length;
    uint32_t *clusters; /* of each series, or SUMMARY_NONE */
};

/* Starts before the first existing iteration among ITERATIONS.  End with sweep_end. */
void sweep_begin(struct sweep *sweep, const struct series *const *series, size_t count,
                 struct range iterations);

/* Goes to the next stretch; false after the last. */
bool sweep_step(struct sweep *sweep);

void sweep_end(struct sweep *sweep);

#endif
