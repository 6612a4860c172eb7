/*
 * The iterations of several series at once, cut where one of them goes over to another cluster:
 * what is computed for a stretch holds for each iteration in it, however many there are.
 */
#ifndef TSPROF_SWEEP_H
#define TSPROF_SWEEP_H

#include "file/file.h"
#include "options/options.h"

struct sweep {
    const struct series *const *series; /* the caller's; NULL: has no iterations */
    size_t count;
    uint64_t next, end;
    size_t *runs; /* of each series: the run that `next` is in, or beyond the last */

    /* The stretch. */
    uint64_t length;
    uint32_t *clusters; /* of each series, or SUMMARY_NONE */
};

/* Begins before the first of ITERATIONS that there are.  End with sweep_end. */
void sweep_begin(struct sweep *sweep, const struct series *const *series, size_t count,
                 struct range iterations);

/* Goes to the next stretch; false after the last. */
bool sweep_step(struct sweep *sweep);

void sweep_end(struct sweep *sweep);

#endif
