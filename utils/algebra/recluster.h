/*
 * Clusters off line: the iterations of a summary that kept them all are clustered in the same
 * way and order as they are while a program runs.
 */
#ifndef TSPROF_RECLUSTER_H
#define TSPROF_RECLUSTER_H

#include "compress/clustering.h"
#include "file/file.h"

struct recluster_settings {
    uint32_t clusters;  /* at least 1, or CLUSTERS_AUTO */
    double error_bound; /* see struct clustering_config */
    enum clustering_method method;
    enum equivalence equivalence;
};

/* Whether SUMMARY kept every iteration.  If not, ERROR says why. */
bool recluster_possible(const struct summary *summary, struct error *error);

/*
 * Clusters all series of SUMMARY, for which recluster_possible must be true.  Nothing else
 * changes.  Memory comes from the summary.  Returns whether the error bound, if there is one,
 * was kept.
 */
bool recluster(struct summary *summary, const struct recluster_settings *settings);

#endif
