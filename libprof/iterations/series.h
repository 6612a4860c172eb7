/*
 * Series of iterations: where the instances of a kept phase are gathered, one for each way in
 * which the phase is nested in other kept phases.
 */
#ifndef TSPROF_SERIES_H
#define TSPROF_SERIES_H

#include "common/metrics.h"
#include "compress/clustering.h"
#include "compress/sketch.h"
#include "timeline/timeline.h"

enum { SERIES_MOST = 32 /* of a thread */ };

/* The iterations of one kept phase, as far as they are nested in the same way. */
struct series {
    uint32_t phase;
    uint32_t shown_as; /* phase whose name the series has in the summary */
    int32_t nested_in; /* the series around it, -1 if none */
    int32_t follows;   /* series of the leading thread that it follows, -1 if none */
    struct clustering *clustering;
    size_t reserved_bytes; /* of the process's budget, for the clustering */
};

/* An iteration that has ended and is not in a cluster yet. */
struct queued_iteration {
    struct iteration_profile profile; /* in the arrays of struct cluster_queue, and here: */
    double condensed[METRIC_MOST + SKETCH_SIZE]; /* of the sketch only, as long as it waits */
    int64_t totals[METRIC_MOST];                 /* of all call paths, that belong before it */
    uint32_t series;
    bool outermost; /* in no other iteration */
};

/*
 * Most iterations of a thread that wait; and once they have that many cells and call paths they
 * wait no longer.
 */
enum { ENDED_MOST = 8, ENDED_CELLS = 2048 };

/*
 * What is handed to the clustering, oldest first: see iteration.h.  The arrays have room for
 * ENDED_CELLS and an iteration that has all the tree's cells and nodes.
 */
struct cluster_queue {
    uint32_t *cells;
    int64_t *values;
    struct path_entry *paths;
    uint8_t *has_mpi; /* by node, of the one that is being added */
    struct queued_iteration ended[ENDED_MOST];
    uint32_t first, count; /* those from FIRST on, COUNT with those before it, wait */
    size_t cells_used, paths_used;
    bool drawn; /* what they take is drawn from the budget */
};

/* What a thread's iterations are gathered in. */
struct iterations {
    struct series series[SERIES_MOST];
    uint32_t series_count;
    struct cluster_queue queue;
};

/*
 * The iterations of a new context, from ARENA, for a call tree of that size; NULL without memory.
 * iterations_bytes: what they take beyond what depends on the tree.
 */
struct iterations *iterations_create(const struct cct *tree, struct arena *arena);
size_t iterations_bytes(void);

/*
 * The series of PHASE as an instance beginning now on THREAD is nested, created at the first;
 * -1 when there are too many or there is no memory.  Program context.
 */
int series_find(struct thread *thread, uint32_t phase);

/* Whether series_find, were AROUND the innermost level, would find it created. */
bool series_is_known_async(const struct thread *thread, const struct level *around,
                           uint32_t phase);

/*
 * The series in which THREAD gathers what belongs to SERIES of the thread that leads, created
 * at the first instance; -1 when there are too many or there is no memory.
 */
int series_follow_async(struct thread *thread, const struct thread *leader, uint32_t series);

/*
 * Makes SERIES, a place among those of THREAD, one of no phase and in no other, with a
 * clustering as the settings want it; false without memory.  PROMISED: where tsprof chooses how
 * many clusters there are, some of the process's budget is set aside for it.
 */
bool series_begin_async(struct thread *thread, struct series *series, bool promised);

/*
 * Makes SERIES one without clusters: what they took, and were promised, is there for others.
 * What has been put off must have been done.
 */
void series_drop_async(struct series *series);

/* Merges the clusters of THREAD that were to spare: once, after its last iteration. */
void series_finish(struct thread *thread);

/*
 * Forgets the iterations that THREAD has followed, of which none is open: what was measured in
 * them is outside all iterations from now on.
 */
void series_forget_followed_async(struct thread *thread);

#endif
