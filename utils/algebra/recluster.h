/*
 * Clustering off line: the iterations of a summary that kept them all go through the same
 * clustering, in the same order, as they do in the program while it runs.
 */
#ifndef TSPROF_RECLUSTER_H
#define TSPROF_RECLUSTER_H

#include "compress/clustering.h"
#include "file/file.h"

struct recluster_settings {
    uint32_t clusters; /* at least 1 */
    enum clustering_method method;
    enum equivalence equivalence;
};

/* False, and the reason in ERROR, if some iteration has no profile of its own to start from. */
bool recluster_possible(const struct summary *summary, struct error *error);

/*
 * Replaces all series of SUMMARY, for which it is possible; nothing else changes.  Memory is
 * the summary's.
 */
void recluster(struct summary *summary, const struct recluster_settings *settings);

#endif
