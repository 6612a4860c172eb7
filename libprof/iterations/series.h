/*
 * Series of iterations.  A series has the instances of one kept phase and their clustering;
 * there is one for each way in which the phase is nested in other kept phases.
 */
#ifndef TSPROF_SERIES_H
#define TSPROF_SERIES_H

#include "common/metrics.h"
#include "compress/clustering.h"
#include "timeline/timeline.h"

enum { SERIES_MOST = 32 /* of a thread */, DISCARDED_MOST = 8 };

#define SERIES_DROPPED UINT32_MAX

/* The iterations of one kept phase that are nested in the same way. */
struct series {
    uint32_t phase;
    uint32_t shown_as; /* the phase under whose name it is in the summary */
    int32_t nested_in; /* number of the series around it; -1: none */
    int32_t follows;   /* number of the leading thread's series that it follows; -1: none */
    struct clustering *clustering;
    size_t reserved_bytes; /* reserved in the process's budget for the clustering */
    uint64_t skipped;      /* iterations without a profile that come next in the clustering */
    int64_t cost_ns;       /* what taking in and clustering its iterations has cost */
};

/* An iteration that has ended and is not in a cluster yet. */
struct queued_iteration {
    struct iteration_profile profile; /* points to the queue's arrays and to `condensed` */
    double condensed[METRIC_MOST];    /* filled when it is clustered */
    int64_t totals[METRIC_MOST];
    uint64_t skipped; /* iterations without a profile that come before it in its series */
    uint32_t series;  /* SERIES_DROPPED: none any more */
    bool outermost;   /* not nested in another iteration */
};

/* An iteration that has ended, until what is needed of it is in the queue. */
struct ended_iteration {
    struct profile *profile; /* NULL: there is none */
    struct profile *around;  /* what it is added to; NULL: to the sum of all iterations */
    struct queued_iteration
        *entry; /* in the queue, once it is listed; NULL: no memory for it */
    int64_t wall_ns;
    uint64_t skipped; /* as of a queued iteration */
    uint32_t series;
    uint32_t base;  /* all its call paths are below this node */
    uint32_t added; /* how many of them have been added to what is around it */
    bool is_pass;   /* of a loop that was found, or a slice */
    bool outermost; /* not nested in another iteration */
    bool begun;     /* to be listed: if it is not, the program has left that by a jump */
    bool listed;    /* in the queue's arrays, or there was no memory */
};

/* A thread's iteration that is taken in in pieces, see aside.h. */
struct aside {
    struct ended_iteration ended;
    struct profile *spare; /* for the next iteration of the level whose one was put aside */
    struct arena arena;    /* the spare's memory */
    bool refused;          /* there is no memory for a spare */
    bool waits;            /* in the queue, once it is there */
};

/*
 * How many iterations wait in a thread's queue before they are clustered; most iterations in
 * it, and most cells and call paths that they may have together, but for the last of them. When
 * one of the latter two is reached they are clustered in pieces, and if another iteration ends
 * before that is done, so many at once as leave room for it.
 */
enum { WAITING_MOST = 8, ENDED_MOST = 16, ENDED_CELLS = 4096 };

/*
 * Iterations shorter than this do not wait in the queue: the clustering's data is still in the
 * caches, and it would show if every eighth iteration did the work of eight.
 */
enum { WAITING_LEAST_NS = 500000 };

/*
 * Iterations that wait for the clustering, oldest first; see iteration_close_async.  The arrays
 * have room for ENDED_CELLS and in addition for one iteration with all the tree's cells and
 * nodes.
 */
struct cluster_queue {
    uint32_t *cells;
    int64_t *values;
    struct path_entry *paths;
    uint8_t *has_mpi; /* by node, for the iteration that is being added: MPI is below it */
    struct queued_iteration ended[ENDED_MOST];
    uint32_t first, count; /* entries from `first` up to, but not including, `count` wait */
    uint32_t enough;       /* when so many entries have been clustered, the work ends */
    size_t cells_used, paths_used;
    size_t cells_room, paths_room; /* how much of the arrays may be used */
    bool drawn;                    /* its memory is drawn from the budget */
};

/* What this room keeps for a thread. */
struct iterations {
    struct series series[SERIES_MOST];
    uint32_t series_count;
    struct cluster_queue queue;
    struct aside aside;
    bool (*beside_async)(struct thread *thread); /* another room's work; NULL: there is none */
    uint32_t last_asked; /* the node of the cell that clustering asked about last */
    bool skips;          /* some series has skipped iterations */
    struct series discarded[DISCARDED_MOST]; /* to be dropped when nobody reads them */
    uint32_t discarded_count;
    uint32_t charged;   /* the series that what is done costs; SERIES_MOST: none */
    int64_t charged_ns; /* since when; 0: work is not under way, or does not cost any */
    int64_t cost_ns;    /* of all series, also of those that were dropped */
};

/*
 * Creates the iterations of a new context, for call tree TREE, in ARENA, which owns the memory.
 * Returns NULL if there is too little.  iterations_bytes returns how much they take in addition
 * to what depends on the tree's size.
 */
struct iterations *iterations_create(const struct cct *tree, struct arena *arena);
size_t iterations_bytes(void);

/*
 * Bytes that THREAD's iterations take until they have a cluster, with an estimate for those
 * that are open.  Any context.
 */
size_t iterations_bytes_of_async(const struct thread *thread);

/* The profile that THREAD has put aside, or has for that; NULL: it never did.  Any context. */
static inline const struct profile *iterations_profile_aside_async(const struct thread *thread)
{
    const struct aside *aside = &thread->iterations->aside;
    return aside->ended.profile ? aside->ended.profile : aside->spare;
}

/*
 * Bytes that the clusters of THREAD's iterations take in any case: for one of the largest.  Any
 * context.  ENDED, which has just ended, may be the largest: so much is promised to the heap.
 */
size_t iterations_cluster_bytes_async(struct thread *thread);
void iterations_promise_async(struct thread *thread, const struct iteration_profile *ended);

/*
 * Gives the queue of THREAD's iterations room for another ENDED_CELLS cells or call paths.
 * Returns false if there is no memory, or none that is not needed more urgently.
 */
bool queue_grow_cells_async(struct thread *thread);
bool queue_grow_paths_async(struct thread *thread);

/*
 * Returns the number of the series for an instance of PHASE that begins on THREAD now, and
 * creates the series if it is the first one nested in this way.  Returns -1 if there are too
 * many series or there is no memory.  Program context only.
 */
int series_find_async(struct thread *thread, uint32_t phase);

/* The name of the phase that series number SERIES is shown as.  Any context. */
const char *series_name_async(const struct thread *thread, uint32_t series);

/* Whether series_find_async would find an existing series if AROUND were the innermost level.
 */
bool series_is_known_async(const struct thread *thread, const struct level *around,
                           uint32_t phase);

/*
 * Returns the number of THREAD's series that follows SERIES of LEADER, the leading thread, and
 * creates it for the first instance.  Returns -1 if there are too many or there is no memory.
 */
int series_follow_async(struct thread *thread, const struct thread *leader, uint32_t series);

/*
 * Initialises SERIES, which belongs to THREAD, with no phase, not nested, and with a clustering
 * made as the settings say.  Returns false if there is no memory.  If RESERVES, and tsprof is
 * to choose the number of clusters, some of the process's budget is reserved for it.
 */
bool series_begin_async(struct thread *thread, struct series *series, bool reserves);

/*
 * Drops the clustering of SERIES and gives back its memory and what was reserved for it.  None
 * of its iterations may be waiting in the queue.
 */
void series_drop_async(struct series *series);

/*
 * Merges the spare clusters of THREAD's series.  To be called once, after the last iteration,
 * in program context.
 */
void series_finish(struct thread *thread);

/*
 * Forgets the iterations that THREAD has followed, none of which may be open.  What was
 * measured in them counts as outside all iterations from now on.
 */
void series_forget_followed_async(struct thread *thread);

#endif
