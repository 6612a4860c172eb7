/* The numbers of one thread as a LOCATION section of the summary (doc/format.md). */
#ifndef TSPROF_LOCATION_H
#define TSPROF_LOCATION_H

#include "common/codec.h"
#include "encode/snapshot_profile.h"
#include "timeline/timeline.h"

struct proposal; /* see mainloop/found.h */

/* What this process's numbers are called in the summary. */
struct location_maps {
    const uint32_t *nodes;  /* of the thread's tree: summary node, perhaps RESOLVED_LEFT_OUT */
    const uint32_t *phases; /* of this process's phases: summary phase */
    const uint32_t *counters; /* of this process's counters: summary metric */
};

/* Whose numbers they are, besides what the thread tells. */
struct location_place {
    uint32_t rank;
    uint32_t host; /* in the summary */
};

/* Appends the section of THREAD to OUT.  Program context, after thread_stop. */
void location_encode(const struct thread *thread, const struct location_place *place,
                     const struct location_maps *maps, struct encoder *out);

/*
 * The same in THREAD's own numbers, up to END_NS, without any memory; PENDING, of which
 * `pending` alone is looked at, is not attributed yet and lies outside every iteration.  What
 * is PROPOSED is in it as if it had been chosen.  Async-signal-safe as far as OUT is; by the
 * thread that holds the context.
 */
void location_encode_own_async(const struct thread *thread, int64_t end_ns,
                               const struct snapshot_profile *pending,
                               const struct proposal *proposed, struct encoder *out);

#endif
