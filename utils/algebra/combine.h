/*
 * The definitions of several summaries as one, so that profiles of different runs can be
 * calculated with (F. Song, F. Wolf et al., "An Algebra for Cross-Experiment Performance
 * Analysis", ICPP 2004, the integration of metrics and of the program dimension).
 *
 * Metrics are the same by name and unit, modules by base name (the program's own is the same
 * whatever it is called), regions by name, kind and module (MPI functions by name alone),
 * phases and hosts by name.  Call paths are the same by their regions and, where all summaries
 * have the same build of the calling module, by the lines of the calls; where they have not,
 * lines may have moved, and do not count.
 */
#ifndef TSPROF_COMBINE_H
#define TSPROF_COMBINE_H

#include "file/file.h"

#include <stddef.h>
#include <stdint.h>

/* What the numbers of one of the summaries are in the combined one. */
struct translation {
    const struct summary *from;
    uint32_t *metric_of;  /* by metric */
    long double *factors; /* by metric: stored units of the combined one in one of `from` */
    uint32_t *node_of;    /* by node */
    uint32_t *host_of;    /* by host */
};

struct combined {
    /* With metrics, modules, regions, nodes, phases and hosts; no facts, locations or
     * topologies. */
    struct summary *summary;
    struct translation *translations; /* in the order of the summaries */
    size_t count;
};

/* Combines COUNT summaries, at least one, which must outlive the result.  For combined_free. */
struct combined *combine(const struct summary *const *summaries, size_t count);
void combined_free(struct combined *combined);

#endif
