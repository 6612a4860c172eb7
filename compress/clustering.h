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
 * Which iterations may share a cluster.  AUTO falls back for good: when two clusters have to be
 * merged and there are more classes than half of max_clusters, or when memory is out and an
 * iteration would be lost.
 */
enum equivalence {
    EQUIVALENCE_NONE,   /* all iterations are alike */
    EQUIVALENCE_STRONG, /* same call paths, same visit counts */
    EQUIVALENCE_WEAK,   /* same call paths */
    EQUIVALENCE_HYBRID, /* same MPI and COM paths, same visits on MPI paths (5.4.2) */
    EQUIVALENCE_AUTO /* starts as HYBRID, falls back to NONE when classes crowd out clusters */
};

/* How the clusters to merge are chosen. */
enum clustering_method {
    CLUSTERING_SZEBENYI, /* as published */
};

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
        sketch_count; /* of the condensed values: the last ones are a sketch, see sketch.h */
    size_t map_bytes; /* most that the map from iterations to clusters takes; 0: no bound */
};

/* One iteration.  All arrays belong to the caller and are copied where kept. */
struct iteration_profile {
    const uint32_t *cells; /* strictly ascending numbers of non-zero cells */
    const int64_t *values; /* the value of each of them */
    size_t cell_count;
    const struct path_entry *paths; /* strictly ascending by path */
    size_t path_count;
    const double *condensed; /* condensed_count values, section 4.1.2; if not finite: as 0 */
    int64_t wall_ns;         /* duration; kept and summed, never interpreted */
    double samples;          /* that the sampled half of its sketch comes from; not kept */
};

/* A cluster as a reader sees it; pointers are valid until the next call that changes it. */
struct cluster_view {
    uint32_t size;         /* iterations in it */
    uint32_t class_id;     /* equivalence class, numbered from 0 by first appearance */
    int64_t wall_ns;       /* sum over members */
    const uint32_t *cells; /* strictly ascending */
    const int64_t *values; /* sums over members: may be 0, wrap on overflow */
    size_t cell_count;
    const double *sums;    /* of each condensed value, over members */
    const double *spreads; /* of each: sum over members of (value - mean)^2, but for rounding */
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

/* Adds COUNT iterations of which there is no profile; they are not counted as lost. */
void clustering_skip(struct clustering *clustering, uint64_t count);

/* Iterations added so far, and those of them whose profile had to be dropped. */
uint64_t clustering_iterations(const struct clustering *clustering);
uint64_t clustering_lost(const struct clustering *clustering);

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

/* The cluster that iteration ITERATION (from 0) belongs to, UINT32_MAX if it was lost or
 * skipped. */
uint32_t clustering_cluster_of(const struct clustering *clustering, uint64_t iteration);

/* Equivalence classes seen so far, and the equivalence now in force (AUTO resolves to one). */
uint32_t clustering_classes(const struct clustering *clustering);
enum equivalence clustering_equivalence(const struct clustering *clustering);

/* Bytes now held from the memory source. */
size_t clustering_memory(const struct clustering *clustering);

#endif
