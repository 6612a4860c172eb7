/*
 * Profiles in a thread's own numbers, written without any memory, for what is saved while the
 * program runs.  Async-signal-safe as far as the encoder is; by the thread that holds the
 * context (struct thread's depth).
 */
#ifndef TSPROF_OWN_PROFILE_H
#define TSPROF_OWN_PROFILE_H

#include "common/codec.h"
#include "compress/clustering.h"
#include "timeline/timeline.h"
#include "tree/tree.h"

/* What has not been attributed to a call path yet, and would go to NODE. */
struct pending {
    uint32_t node;
    int64_t computation_ns;
    const int64_t *counters; /* counters_count of them; NULL where none are counted */
};

/* What a profile is the sum of. */
struct snapshot_profile {
    const struct profile *profiles[LEVELS_MOST + 3];
    unsigned profile_count;
    struct pending pending[LEVELS_MOST];
    unsigned pending_count;
};

/* Appends the sum as a profile of the summary's format. */
void snapshot_profile_encode_async(const struct cct *tree, const struct snapshot_profile *sum,
                              struct encoder *out);

/* The same for the sums of a cluster. */
void snapshot_profile_encode_cluster_async(const struct cct *tree,
                                      const struct cluster_view *cluster, struct encoder *out);

#endif
