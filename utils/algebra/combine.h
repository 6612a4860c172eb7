/*
 * Combines the definitions of several summaries, so that one can calculate with profiles of
 * different runs (F. Song, F. Wolf et al., "An Algebra for Cross-Experiment Performance
 * Analysis", ICPP 2004: the integration of metrics and of the program dimension).
 *
 * Metrics are identified by name and unit, modules by base name (the programs themselves are
 * the same whatever they are called), regions by name, kind and module (MPI functions by name
 * alone), phases and hosts by name.  Call paths are identified by their regions and by the
 * lines of the calls; lines count only if all summaries have the same build of the calling
 * module, since otherwise they may have moved.
 */
#ifndef TSPROF_COMBINE_H
#define TSPROF_COMBINE_H

#include "file/file.h"

#include <stddef.h>
#include <stdint.h>

/* Translates the numbers of one summary into those of the combined one. */
struct translation {
    const struct summary *from;
    uint32_t *metric_of;  /* by metric */
    long double *factors; /* by metric: from the stored unit of `from` to the combined one */
    uint32_t *node_of;    /* by node */
    uint32_t *host_of;    /* by host */
};

struct combined {
    /* Has metrics, modules, regions, nodes, phases and hosts, but no facts, locations or
     * topologies. */
    struct summary *summary;
    struct translation *translations; /* in the order of the summaries */
    size_t count;
};

/* Combines COUNT (at least 1) summaries, which must outlive the result.  Free with
 * combined_free. */
struct combined *combine(const struct summary *const *summaries, size_t count);
void combined_free(struct combined *combined);

#endif
