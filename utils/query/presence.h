/*
 * In which share of the iterations of a cluster call paths occurred.  Nothing is known of that
 * in summaries of older versions, nor where there was no memory for it (cluster_has_presence).
 */
#ifndef TSPROF_QUERY_PRESENCE_H
#define TSPROF_QUERY_PRESENCE_H

#include "query/paths.h"
#include "query/scope.h"
#include "query/select.h"

/* Some share from LEAST to MOST; they are the same where it is known exactly. */
struct presence {
    double least, most;
};

bool cluster_has_presence(const struct cluster *cluster);

/*
 * The presence of what occurred wherever one of A and B did: at least as often as either, at
 * most as often as both together.
 */
struct presence presence_join(struct presence a, struct presence b);

/*
 * Replaces SHARES, one for each path of TREE, by those of CLUSTER; 0 where it has no such call
 * path.  If presence is not known each is anything above 0.
 */
void cluster_presence(const struct path_tree *tree, const struct cluster *cluster,
                      struct presence *shares);

/*
 * The same of ITERATION of PHASE on RANK, whose threads may be in clusters of their own.  False
 * if the rank does not have the iteration.
 */
bool iteration_presence(const struct path_tree *tree, const struct rank_group *rank,
                        uint32_t phase, uint64_t iteration, struct presence *shares);

/*
 * The same, as a mean over the iterations of SCOPE on all its locations.  False for the whole
 * run, and if some of them are of clusters whose presence is not known.
 */
bool scope_presence(const struct path_tree *tree, const struct scope *scope,
                    struct presence *shares);

#endif
