/*
 * A summary in memory: what doc/format.md describes, read and validated as a whole
 * (read_summary.h), and look-ups in it.
 *
 * Everything in it is in range: every index lies in its table, parents come before their
 * children, the cells of a profile ascend, and the sizes of clusters agree with the map of
 * iterations.  All memory belongs to the summary and lives until summary_free.  Strings are
 * NUL-terminated but otherwise as in the file: escape them before they reach a terminal.
 */
#ifndef TSPROF_SUMMARY_H
#define TSPROF_SUMMARY_H

#include "base/base.h"
#include "common/format.h"
#include "file/topology_list.h"
#include "file/wait_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Stands for "none" where an index is expected. */
#define SUMMARY_NONE UINT32_MAX

struct fact {
    const char *key, *value;
};

struct metric_entry {
    const char *name;
    uint32_t parent; /* or SUMMARY_NONE; smaller than the metric itself */
    const char *unit;
    unsigned scale; /* decimal places to shift stored integers right to get the unit */
    enum format_metric_kind kind;
    const char *text;
};

struct module_entry {
    const char *path, *build_id;
};

struct region_entry {
    const char *name;
    enum format_region_kind kind;
    const char *file;
    uint64_t line;   /* 0: unknown */
    uint32_t module; /* or SUMMARY_NONE */
    uint64_t offset;
    const char *group;
};

struct call_node {
    uint32_t parent; /* SUMMARY_NONE for node 0, the root, only */
    uint32_t region;
    uint64_t line; /* of the call site in the parent; 0: unknown */
};

struct phase_entry {
    const char *name;
    uint32_t region;
    bool kept;
};

struct cell {
    uint32_t node, metric;
    int64_t value; /* exclusive over call paths and metrics, in stored units */
};

struct profile {
    struct cell *cells; /* ascending by node, then metric */
    size_t count;
};

/*
 * In how many iterations of a cluster a call path occurred: some number from LEAST to MOST.
 * They differ where call paths of the program are one in the summary.
 */
struct occurrence {
    uint32_t node;
    uint64_t least, most;
};

struct cluster {
    uint64_t size; /* iterations; never 0 */
    uint64_t class_id;
    int64_t wall_ns; /* sum over its iterations */
    struct profile sums;
    double *spreads; /* one per maximum of the series, finite, >= 0; NULL: a single iteration */
    /*
     * Ascending by node.  What is not in it occurred in every iteration if it has values, or
     * else where a call path below it did.  Nothing if there is a single iteration.
     */
    struct occurrence *occurrences;
    size_t occurrence_count;
    bool presence_known; /* of more than one iteration: whether `occurrences` tells */
    /* Visits of frames that are not shown, if there are several iterations or the series keeps
     * all. */
    int64_t hidden_visits;
};

/* The largest absolute value of a metric, condensed (compress/condense.h), in any iteration. */
struct maximum {
    uint32_t metric;
    uint64_t value; /* never 0 */
};

/* The largest value that a call path had in an iteration, exactly, and the first that had it.
 */
struct largest {
    uint32_t node, metric;
    int64_t value; /* above 0; exclusive, in stored units */
    uint64_t iteration;
    double squares; /* the sum of its squares over all iterations, lost ones, too; 0: unknown */
};

/* Iterations FIRST to FIRST + LENGTH - 1 are in CLUSTER; if that is SUMMARY_NONE, their
 * profiles were lost or it is not known which cluster they are in. */
struct run {
    uint64_t first, length;
    uint32_t cluster;
    bool unmapped; /* they are in a cluster, but it is not known in which */
};

struct series {
    uint32_t phase;
    uint32_t parent_phase; /* the series this one is nested in, or SUMMARY_NONE */
    uint64_t equivalence;  /* as setting_equivalence_name */
    uint64_t classes;
    const char *clustering; /* the method's name; not empty */
    uint64_t asked;         /* most clusters that were asked for; 0: every iteration is kept */
    struct maximum *maxima; /* ascending by metric */
    size_t maximum_count;
    bool keeps_all;          /* every iteration with a profile is a cluster of its own */
    struct largest *largest; /* one per call path and metric, in no order */
    size_t largest_count;
    struct cluster *clusters;
    size_t cluster_count;
    struct run *runs; /* gapless from iteration 0 */
    size_t run_count;
    uint64_t iterations; /* lost ones included; at most SUMMARY_MAX_ITERATIONS */
    uint64_t lost;
    uint64_t unmapped; /* iterations whose cluster is not known: they have no profile to show */
};

#define SUMMARY_MAX_ITERATIONS ((uint64_t)1 << 32)

struct cost_fact {
    const char *key;
    uint64_t value;
};

struct host_entry {
    const char *name;
    struct fact *facts;
    size_t fact_count;
};

struct location {
    uint32_t rank, thread;
    uint32_t host; /* or SUMMARY_NONE */
    uint64_t process;
    const char *ending; /* what ended the measurement early, in words; "" if nothing did */
    int64_t wall_ns;    /* below 0 in derived summaries only */
    uint64_t start_ns;  /* since 1970-01-01 UTC */
    const char **notes;
    size_t note_count;
    struct profile whole, outside;
    struct series *series;
    size_t series_count;
    struct cost_fact *costs;
    size_t cost_count;
};

struct summary {
    const char *path;
    uint64_t bytes;
    enum format_state state;
    struct fact *facts;
    size_t fact_count;
    const char *derived; /* the fact `derived`: how it was calculated; NULL: it was measured */
    struct metric_entry *metrics;
    size_t metric_count;
    struct module_entry *modules;
    size_t module_count;
    struct region_entry *regions;
    size_t region_count;
    struct call_node *nodes;
    size_t node_count;
    struct host_entry *hosts;
    size_t host_count;
    struct location *locations; /* ordered by rank, then thread */
    size_t location_count;
    struct phase_entry *phases;
    size_t phase_count;
    struct topology_list topologies;
    struct wait_table waits; /* of a trace that was searched for them */
    bool *in_openmp; /* by node: it is in the OpenMP runtime; NULL: none is, or nobody asked
                        (openmp/openmp.h) */
    struct memory_pool pool;
};

/* Frees SUMMARY and all that belongs to it.  NULL is allowed. */
void summary_free(struct summary *summary);

/* The value of a fact about the run, or NULL. */
const char *summary_fact(const struct summary *summary, const char *key);

/* Whether it was made from a trace (waits/waits.h): what measuring cost is not known then, and
 * iterations without a profile were not traced. */
bool summary_is_of_trace(const struct summary *summary);

/* The index of a metric or a phase by its name, or SUMMARY_NONE. */
uint32_t summary_metric(const struct summary *summary, const char *name);
uint32_t summary_phase(const struct summary *summary, const char *name);

/* Finds a cost fact.  False, and VALUE is not changed, if the location has no such fact. */
bool location_find_cost(const struct location *location, const char *key, uint64_t *value);
/* The value of a cost fact, or 0. */
uint64_t location_cost(const struct location *location, const char *key);

/* The series of PHASE on this location, or NULL. */
const struct series *location_series(const struct location *location, uint32_t phase);

/* The cluster of ITERATION, or SUMMARY_NONE if it was lost or is beyond the end. */
uint32_t series_cluster(const struct series *series, uint64_t iteration);

#endif
