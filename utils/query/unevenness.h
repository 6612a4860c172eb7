/*
 * How unevenly ranks compute, in the run and in its iterations.
 *
 * Functions for program context; they read what they are given.
 */
#ifndef TSPROF_UNEVENNESS_H
#define TSPROF_UNEVENNESS_H

#include "query/paths.h"
#include "query/scope.h"

#include <stdbool.h>
#include <stdint.h>

/* So many successive iterations are one for what lasts. */
enum { UNEVEN_LASTING = 8 };

/* Times in seconds. */
struct unevenness {
    long double mean, most; /* that processes compute for */
    uint32_t most_rank;     /* the rank that computes longest */
    /* If all computed for the same time: in the sums of the run, or in each iteration if that
     * is more, since different ranks have most in different ones. */
    long double gain;
    long double lasting; /* likewise, in UNEVEN_LASTING iterations together */
};

/*
 * Looks at what SCOPE is about, in the first thread of each process.  CORRECTED: without what
 * processes had no processor for, as far as that was in the computation (doc/report.md).
 */
struct unevenness unevenness_of(const struct scope *scope, const struct path_tree *tree,
                                bool corrected);

#endif
