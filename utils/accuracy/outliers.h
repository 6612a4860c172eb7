/*
 * Call paths that took much longer in one iteration than is shown of it, because the iteration
 * shares a cluster with others.  Their largest values are known exactly all the same.
 */
#ifndef TSPROF_OUTLIERS_H
#define TSPROF_OUTLIERS_H

#include "file/file.h"
#include "query/query.h"

#include <stddef.h>
#include <stdint.h>

struct outlier {
    const struct location *location;
    const struct largest *largest;
    double shown;  /* what the iteration's cluster says of the call path, in stored units */
    double hidden; /* by how much that is too little */
};

/*
 * The outliers of PHASE on the selected ranks, in the selected iterations, the most hidden
 * first; COUNT says how many.  For the caller to free.
 */
struct outlier *outliers_find(const struct selection *selection, uint32_t phase, size_t *count);

#endif
