/*
 * On-line clustering of iteration profiles.
 *
 * Implements chapter 4.1 and section 5.4.2 of Z. Szebenyi, "Capturing Parallel Performance
 * Dynamics": every iteration starts as a cluster of its own; when there are more than the
 * allowed number, the two closest clusters of one call-tree equivalence class are merged.  A
 * cluster keeps the sum of its members' profiles, so that totals stay exact and means are sum /
 * size.
 *
 * Knows nothing of MPI, signals, files or time.  No globals: any number of clusterings may live
 * in a process; one belongs to one thread at a time.  Takes no lock and calls nothing but its
 * memory source and memcpy and its like, so a signal handler may use a clustering whose memory
 * source may be used there, as long as it never interrupts another use of it.  The same input
 * gives the same result, bit for bit.
 */
#ifndef TSPROF_CLUSTERING_H
#define TSPROF_CLUSTERING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum path_kind { PATH_USR, PATH_COM, PATH_MPI };

/* A call path of an iteration, as equivalence sees it. */
struct path_entry {
    uint32_t path; /* the caller's number for the call path */
    uint32_t kind; /* enum path_kind */
    int64_t visits;
};

/*
 * Which iterations may share a cluster.  AUTO starts as HYBRID and weakens, first to
 * COMMUNICATION, then to NONE, for good: when two clusters have to be merged and there are more
 * classes than half of max_clusters, or when memory is out and an iteration would be lost.  The
 * clusters that there are then are regrouped.
 */
enum equivalence {
    EQUIVALENCE_NONE,         /* all iterations are alike */
    EQUIVALENCE_STRONG,       /* same call paths, same visit counts */
    EQUIVALENCE_WEAK,         /* same call paths */
    EQUIVALENCE_HYBRID,       /* same MPI and COM paths, same visits on MPI paths (5.4.2) */
    EQUIVALENCE_AUTO,         /* as strict as there is room for */
    EQUIVALENCE_COMMUNICATION /* same MPI and COM paths; what AUTO may become */
};

/* How the clusters to merge are chosen. */
enum clustering_method {
    CLUSTERING_SZEBENYI, /* as published */
    CLUSTERING_ADAPTIVE  /* sees call paths, weighs alike throughout, decides later */
};

/*
 * As max_clusters: as many as the error is worth, CLUSTERS_AUTO_LEAST to CLUSTERS_AUTO_MOST.
 * Where a merger would move its members by more than a tolerated share of the metrics' largest
 * values, there may be more clusters instead, while auto_bytes last; what is tolerated grows as
 * they are used up, so that of several clusterings those with the largest errors take most.
 */
#define CLUSTERS_AUTO UINT32_MAX
enum { CLUSTERS_AUTO_LEAST = 64, CLUSTERS_AUTO_MOST = 1024 };

/* Where a clustering takes its memory from.  allocate may return NULL; blocks are aligned for
 * doubles at least, and come back with the size they were asked for. */
struct memory_source {
    void *(*allocate)(void *context, size_t bytes);
    void (*release)(void *context, void *memory, size_t bytes);
    void *context;
};

struct clustering_config {
    /* 0: keep every iteration as a cluster.  STRONG, WEAK and HYBRID never merge classes, so
     * that there are more clusters if there are more classes. */
    uint32_t max_clusters;
    uint32_t condensed_count; /* length of every condensed vector */
    enum equivalence equivalence;
    struct memory_source memory;
    enum clustering_method method;
    uint32_t
        sketch_count;  /* of the condensed values: the last ones are a sketch, see sketch.h */
    size_t auto_bytes; /* most that is held for CLUSTERS_AUTO's sake */
    /* most that the map from iterations to clusters takes, at least 8 KiB; 0: no bound */
    size_t map_bytes;
};

/* One iteration.  All arrays belong to the caller and are copied where kept. */
struct iteration_profile {
    const uint32_t *cells; /* strictly ascending numbers of non-zero cells */
    const int64_t *values; /* the value of each of them */
    size_t cell_count;
    const struct path_entry *paths; /* strictly ascending by path */
    size_t path_count;
    /* condensed_count values, section 4.1.2; if not finite: as 0; beyond 1e140: as that */
    const double *condensed;
    int64_t wall_ns; /* duration; kept and summed, never interpreted */
    double samples;  /* that the sampled half of its sketch comes from; not kept */
};

/* A cluster as a reader sees it; pointers are valid until the next call that changes it. */
struct cluster_view {
    uint32_t size;         /* iterations in it */
    uint32_t class_id;     /* equivalence class, numbered from 0 by first appearance */
    int64_t wall_ns;       /* sum over members */
    const uint32_t *cells; /* strictly ascending */
    const int64_t *values; /* sums over members: may be 0, wrap on overflow */
    size_t cell_count;
    const double *means; /* of each condensed value over the members, but for rounding */
    /* of each before the sketch: sum over members of (value - mean)^2, but for rounding */
    const double *spreads;
};

struct clustering;

/* A new, empty clustering; NULL if memory is out.  Destroy it with clustering_destroy. */
struct clustering *clustering_create(const struct clustering_config *config);

/* Gives everything back to the memory source.  NULL is allowed. */
void clustering_destroy(struct clustering *clustering);

/*
 * Adds the next iteration.  Returns false when memory is out: then the iteration was merged
 * into the closest cluster that could take it, or, if none could, counted in clustering_lost;
 * the clustering stays usable either way.
 */
bool clustering_add(struct clustering *clustering, const struct iteration_profile *profile);

/*
 * Merges the clusters that were to spare while iterations were added: to be called once, after
 * the last of them.  If memory for that is out there may be more clusters than max_clusters.
 */
void clustering_finish(struct clustering *clustering);

/* Adds COUNT iterations of which there is no profile; they are not counted as lost. */
void clustering_skip(struct clustering *clustering, uint64_t count);

/* Iterations added so far, and those of them whose profile had to be dropped. */
uint64_t clustering_iterations(const struct clustering *clustering);
uint64_t clustering_lost(const struct clustering *clustering);

/* How many clusters there may be in the end: max_clusters, or what CLUSTERS_AUTO has come to.
 */
uint32_t clustering_limit(const struct clustering *clustering);

/* Clusters now alive; they are numbered 0 .. count-1 in the order of their first iteration. */
uint32_t clustering_count(const struct clustering *clustering);

/* Fills VIEW with cluster INDEX, which is less than clustering_count. */
void clustering_view(const struct clustering *clustering, uint32_t index,
                     struct cluster_view *view);

/*
 * The largest absolute value that each condensed value has had in an iteration: condensed_count
 * values, valid as long as the clustering.
 */
const double *clustering_maxima(const struct clustering *clustering);

/* In place of a cluster's number. */
#define CLUSTER_NONE UINT32_MAX /* the iteration has no profile: it was lost or skipped */
#define CLUSTER_UNKNOWN                                                                        \
    (UINT32_MAX - 1) /* it is in a cluster, which is not known: see map_bytes */

/* The cluster that iteration ITERATION (from 0) belongs to.  For all of them use the next. */
uint32_t clustering_cluster_of(const struct clustering *clustering, uint64_t iteration);

/* Calls SEE for every run of iterations that are in one cluster, in order; neighbouring runs
 * may be of the same. */
void clustering_each_run(const struct clustering *clustering,
                         void (*see)(void *context, uint64_t length, uint32_t cluster),
                         void *context);

/* How many iterations are in clusters, but not known in which. */
uint64_t clustering_unmapped(const struct clustering *clustering);

/* Equivalence classes seen so far, and the equivalence now in force (AUTO resolves to one). */
uint32_t clustering_classes(const struct clustering *clustering);
enum equivalence clustering_equivalence(const struct clustering *clustering);

/* Bytes now held from the memory source. */
size_t clustering_memory(const struct clustering *clustering);

#endif
