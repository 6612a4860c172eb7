/*
 * Writes what one thread has measured as a LOCATION section of the summary (doc/format.md), in
 * the summary's numbers or in the thread's own.
 */
#ifndef TSPROF_LOCATION_H
#define TSPROF_LOCATION_H

#include "common/codec.h"
#include "encode/snapshot_profile.h"
#include "timeline/timeline.h"

struct proposal; /* see mainloop/found.h */

/* The summary's numbers for the nodes, phases and counters of this process. */
struct location_maps {
    const uint32_t *nodes;    /* summary node by own node, perhaps with RESOLVED_LEFT_OUT */
    const uint32_t *phases;   /* summary phase by own phase */
    const uint32_t *counters; /* summary metric by own counter */
};

/* Where the thread ran, as far as the thread itself does not know it. */
struct location_place {
    uint32_t rank;
    uint32_t host; /* the host's number in the summary */
};

/*
 * Appends the section of THREAD to OUT.  Program context, after thread_stop; takes memory from
 * malloc, and sets OUT->failed if there is none.
 */
void location_encode(const struct thread *thread, const struct location_place *place,
                     const struct location_maps *maps, struct encoder *out);

/*
 * Appends the section of THREAD up to END_NS in the thread's own numbers, without taking
 * memory.  OUTSIDE is what lies outside of every iteration, with what is not attributed yet,
 * and CLOSED the sum of all iterations.  The loops that are PROPOSED are written as if they had
 * been chosen; ROOM is for PROPOSED_CELLS values that this takes.  Async-signal-safe if OUT's
 * flush is; only for the thread that holds the context.
 */
void location_encode_own_async(const struct thread *thread, int64_t end_ns,
                               const struct snapshot_profile *outside,
                               const struct profile *closed, const struct proposal *proposed,
                               int64_t *room, struct encoder *out);

#endif
