/*
 * Writes profiles in a thread's own numbers, without taking memory, for the part that is saved
 * while the program runs.  Async-signal-safe if the encoder's flush is; only for the thread
 * that holds the context (struct thread's depth).
 */
#ifndef TSPROF_SNAPSHOT_PROFILE_H
#define TSPROF_SNAPSHOT_PROFILE_H

#include "common/codec.h"
#include "compress/clustering.h"
#include "encode/taken_away.h"
#include "timeline/timeline.h"
#include "tree/tree.h"

/* Computation that has not been attributed to a call path yet, and goes to NODE. */
struct pending {
    uint32_t node;
    int64_t computation_ns;
    const int64_t *counters; /* counters_count values; NULL if none are counted */
};

/*
 * The profiles and the pending computation that are added up to one profile; frozen profiles
 * count as they were then.
 */
struct snapshot_profile {
    const struct profile *profiles[LEVELS_MOST + 3];
    unsigned profile_count;
    struct pending pending[LEVELS_MOST];
    unsigned pending_count;
    struct taken_away *taken; /* is subtracted; NULL: nothing is */
};

/* Appends the sum as one profile in the format of the summary. */
void snapshot_profile_encode_async(const struct cct *tree, const struct snapshot_profile *sum,
                                   struct encoder *out);

/* Appends the profile of a cluster, summed over its iterations. */
void snapshot_profile_encode_cluster_async(const struct cct *tree,
                                           const struct cluster_view *cluster,
                                           struct encoder *out);

#endif
