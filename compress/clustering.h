/*
 * On-line clustering of iteration profiles.
 *
 * Implements chapter 4.1 and section 5.4.2 of Z. Szebenyi, "Capturing Parallel Performance
 * Dynamics": every iteration starts as a cluster of its own; when there are more clusters than
 * allowed, the two closest ones of the same call-tree equivalence class are merged.  A cluster
 * keeps the sum of its members' profiles, so that totals stay exact and means are sum / size.
 *
 * Knows nothing of MPI, signals, files or time, and has no globals: a process may have any
 * number of clusterings, each used by one thread at a time.  Takes no lock, and calls only its
 * memory source and functions like memcpy.  So a signal handler may use a clustering if it may
 * use its memory source, as long as the handler does not interrupt another use of the same
 * clustering.  The same input gives the same result, bit for bit.
 */
#ifndef TSPROF_CLUSTERING_H
#define TSPROF_CLUSTERING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/codec.h"

enum path_kind { PATH_USR, PATH_COM, PATH_MPI };

/* A call path of an iteration, as equivalence sees it. */
struct path_entry {
    uint32_t path; /* the caller's number for the call path */
    uint32_t kind; /* enum path_kind */
    int64_t visits;
};

/*
 * Which iterations may share a cluster.  AUTO starts as HYBRID.  When two clusters have to be
 * merged and there are more classes than half of max_clusters, it weakens for good to
 * COMMUNICATION, and when these classes are too many, to SIMILAR: then the two classes whose
 * call paths differ least are united, and no more than it takes.  When an iteration would be
 * lost for want of memory, it weakens to COMMUNICATION and then to NONE.  The clusters that
 * exist by then are regrouped.
 */
enum equivalence {
    EQUIVALENCE_NONE,          /* all iterations are alike */
    EQUIVALENCE_STRONG,        /* same call paths, same visit counts */
    EQUIVALENCE_WEAK,          /* same call paths */
    EQUIVALENCE_HYBRID,        /* same MPI and COM paths, same visits on MPI paths (5.4.2) */
    EQUIVALENCE_AUTO,          /* as strict as the number of clusters allows */
    EQUIVALENCE_COMMUNICATION, /* same MPI and COM paths; what AUTO may become */
    EQUIVALENCE_SIMILAR        /* the same, or among those that differ least; likewise */
};

/* How the clusters to merge are chosen. */
enum clustering_method {
    CLUSTERING_SZEBENYI, /* as published */
    CLUSTERING_ADAPTIVE  /* also compares call paths, changes weights in steps, decides later */
};

/*
 * As max_clusters: every iteration is kept as a cluster while there are at most
 * CLUSTERS_AUTO_KEPT and auto_bytes suffice.  From then on clusters are merged.  Their number
 * falls, by some with every iteration, down to what the error requires: CLUSTERS_AUTO_LEAST to
 * CLUSTERS_AUTO_MOST.  A merger is worth avoiding where it would move its members by more than
 * a tolerated share of the metrics' largest values; that grows as auto_bytes are used up.
 */
#define CLUSTERS_AUTO UINT32_MAX
enum { CLUSTERS_AUTO_LEAST = 64, CLUSTERS_AUTO_MOST = 256, CLUSTERS_AUTO_KEPT = 1024 };

/* What a cell means to a clustering. */
struct cell_role {
    uint32_t metric; /* its place in a condensed vector */
    bool compared;   /* may be among the cells that distances are made of */
    bool largest;    /* its largest value is kept */
};

/* The largest value that a cell had in an iteration, exactly. */
struct cell_largest {
    int64_t value; /* of those above 0; 0: it had none */
    uint32_t cell;
    uint32_t iteration; /* the first that had it */
};

/*
 * Where a clustering takes its memory from.  `allocate` may return NULL.  Blocks must be
 * aligned for doubles at least; `release` gets them back with the size that was asked for.
 */
struct memory_source {
    void *(*allocate)(void *context, size_t bytes);
    void (*release)(void *context, void *memory, size_t bytes);
    void *context;
};

struct clustering_config {
    /*
     * 0: keep every iteration as a cluster.  STRONG, WEAK and HYBRID never merge classes, so
     * with more classes than this there are also more clusters.
     */
    uint32_t max_clusters;
    uint32_t condensed_count; /* length of every condensed vector */
    enum equivalence equivalence;
    struct memory_source memory;
    enum clustering_method method;
    /* What CELL means; called when a cell is met.  NULL: cells are only summed. */
    struct cell_role (*role)(void *context, uint32_t cell);
    void *role_context;
    size_t auto_bytes; /* CLUSTERS_AUTO: bytes that may be held */
    /*
     * CLUSTERS_AUTO: as many clusters as a root mean square error of at most this share of each
     * metric's largest value takes, in every cluster, up to CLUSTERS_AUTO_KEPT; 0: as above
     */
    double error_bound;
    /*
     * bytes that the map from iterations to clusters may take, at least 8 KiB; what is known of
     * cells may take a quarter of that in addition; 0: no bound
     */
    size_t map_bytes;
    /*
     * Called every few microseconds in computations that take long, so that the caller may do
     * something else meanwhile, though not with this clustering; NULL: never.
     */
    void (*pause)(void *context);
    void *pause_context;
};

/* One iteration.  The arrays belong to the caller; what is kept is copied. */
struct iteration_profile {
    const uint32_t *cells; /* strictly ascending numbers of non-zero cells */
    const int64_t *values; /* the value of each of them */
    size_t cell_count;
    const struct path_entry *paths; /* strictly ascending by path */
    size_t path_count;
    /*
     * condensed_count values (section 4.1.2); if not finite taken as 0, if beyond 1e140 as that
     */
    const double *condensed;
    int64_t wall_ns; /* duration; kept and summed, never interpreted */
};

/*
 * A read-only view of a cluster; its pointers are valid until the next call that changes the
 * clustering.
 */
struct cluster_view {
    uint32_t size;         /* iterations in it */
    uint32_t class_id;     /* equivalence class, numbered from 0 by first appearance */
    int64_t wall_ns;       /* sum over members */
    const uint32_t *cells; /* strictly ascending */
    const int64_t *values; /* sums over members: may be 0, wrap on overflow */
    size_t cell_count;
    bool
        presence_known; /* false: there was no memory to know it, and there are no paths here */
    const uint32_t *paths;       /* strictly ascending: those of some member */
    const uint32_t *path_counts; /* for each: members that have it; NULL: all have all */
    size_t path_count;
    const double *means; /* mean of each condensed value over the members, but for rounding */
    /* for each condensed value: sum over members of (value - mean)^2, but for rounding */
    const double *spreads;
};

/*
 * The most bytes that a clustering holds after its first iteration, of CELLS cells that lie as
 * they do in profiles and of PATHS call paths.
 */
size_t clustering_bytes_for_one(const struct clustering_config *config, size_t cells,
                                size_t paths);

struct clustering;

/* A new, empty clustering; NULL if out of memory.  Destroy it with clustering_destroy. */
struct clustering *clustering_create(const struct clustering_config *config);

/* Gives everything back to the memory source.  NULL is allowed. */
void clustering_destroy(struct clustering *clustering);

/*
 * Adds the next iteration.  Returns false when memory runs out.  The iteration was then merged
 * into the closest cluster that could take it without memory, or, if there was none, counted in
 * clustering_lost.  The clustering stays usable either way.
 */
bool clustering_add(struct clustering *clustering, const struct iteration_profile *profile);

/*
 * Merges the spare clusters that are allowed while iterations are added, down to max_clusters.
 * To be called once, after the last iteration.  If there is no memory for the mergers, more
 * clusters may remain.
 */
void clustering_finish(struct clustering *clustering);

/* Adds COUNT iterations that have no profile; they do not count as lost. */
void clustering_skip(struct clustering *clustering, uint64_t count);

/* Iterations added so far, and those of them whose profile had to be dropped. */
uint64_t clustering_iterations(const struct clustering *clustering);
uint64_t clustering_lost(const struct clustering *clustering);

/*
 * The number of clusters allowed in the end: max_clusters, or what CLUSTERS_AUTO has chosen so
 * far.
 */
uint32_t clustering_limit(const struct clustering *clustering);

/* Whether every iteration with a profile is a cluster of its own. */
bool clustering_keeps_all(const struct clustering *clustering);

/* Whether clusters had to be merged although that broke the error_bound. */
bool clustering_broke_bound(const struct clustering *clustering);

/*
 * How many cells have a largest value, and the one with number AT among them, in the order in
 * which the cells were met.  Lost iterations count.
 */
uint32_t clustering_largest_count(const struct clustering *clustering);
const struct cell_largest *clustering_largest(const struct clustering *clustering, uint32_t at);

/*
 * The sum over all iterations, lost ones included, of the square of the value of CELL, which
 * has a largest value; but for rounding.
 */
double clustering_squares(const struct clustering *clustering, uint32_t cell);

/* Whether memory was short for what is known of some cells, so that they have no largest value.
 */
bool clustering_lacks_cells(const struct clustering *clustering);

/*
 * The number of clusters now; they are numbered from 0 in the order of their first iterations.
 */
uint32_t clustering_count(const struct clustering *clustering);

/* Fills VIEW with cluster INDEX, which is less than clustering_count. */
void clustering_view(const struct clustering *clustering, uint32_t index,
                     struct cluster_view *view);

/*
 * The largest absolute value of each condensed value in any iteration: condensed_count values,
 * valid as long as the clustering.
 */
const double *clustering_maxima(const struct clustering *clustering);

/* Returned in place of a cluster's number. */
#define CLUSTER_NONE UINT32_MAX /* the iteration has no profile: it was lost or skipped */
#define CLUSTER_UNKNOWN                                                                        \
    (UINT32_MAX - 1) /* it is in a cluster, but not known in which: see map_bytes */

/*
 * The cluster of iteration ITERATION (from 0).  Slow: to visit all of them use
 * clustering_each_run.
 */
uint32_t clustering_cluster_of(const struct clustering *clustering, uint64_t iteration);

/*
 * Calls SEE for every run of iterations in the same cluster, in order; neighbouring runs may
 * have the same cluster.
 */
void clustering_each_run(const struct clustering *clustering,
                         void (*see)(void *context, uint64_t length, uint32_t cluster),
                         void *context);

/*
 * Appends the map from iterations to clusters to OUT as it is in memory (doc/parts.md, "Map"),
 * with pauses.  Takes as long as the map is large, and not as there are iterations.
 */
void clustering_save_map(const struct clustering *clustering, struct encoder *out);

/* How many iterations are in clusters, but not known in which. */
uint64_t clustering_unmapped(const struct clustering *clustering);

/*
 * The number of equivalence classes so far, and the equivalence in force (AUTO has become one
 * of the others).
 */
uint32_t clustering_classes(const struct clustering *clustering);
enum equivalence clustering_equivalence(const struct clustering *clustering);

/* Bytes now held from the memory source. */
size_t clustering_memory(const struct clustering *clustering);

#endif
