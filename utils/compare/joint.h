/*
 * What two summaries have in common, whatever numbers each gives to it.
 *
 * Metrics are the same by name, unit and scale; call paths by the name, kind and module (base
 * name) of their regions and the lines that they are called from; locations by rank and thread.
 * Nodes that agree in all of that are one call path.
 */
#ifndef TSPROF_JOINT_H
#define TSPROF_JOINT_H

#include "file/file.h"
#include "query/query.h"

#include <stdbool.h>
#include <stdint.h>

enum side { SIDE_A, SIDE_B, SIDES };

/* CLASS_TIME: `time` and below; CLASS_COUNT: visits, syncs, comms, bytes, io_ops and below. */
enum metric_class { CLASS_TIME, CLASS_COUNT, CLASS_OTHER };

struct joint_metric {
    const char *name, *unit;
    unsigned scale;
    enum metric_class class;
    bool is_mpi;  /* `mpi` or a part of it */
    bool entire;  /* compared for entire iterations */
    bool by_path; /* compared call path by call path: measured, not the sum of others */
    unsigned depth;
    uint32_t in[SIDES];
};

struct joint_path {
    uint32_t parent; /* a smaller number; SUMMARY_NONE for the root */
    bool is_mpi;     /* a call to MPI */
};

struct joint_place {
    uint32_t rank, thread;
    const struct location *in[SIDES];
};

struct joint {
    const struct selection *selections[SIDES];
    struct joint_metric *metrics; /* in the order of A */
    size_t metric_count;
    uint32_t *metric_of[SIDES]; /* by the summary's metric: ours, or SUMMARY_NONE */
    struct joint_path *paths;   /* those of A in its order, then what only B has */
    size_t path_count;
    uint32_t *path_of[SIDES]; /* by the summary's node */
    struct joint_place *places;
    size_t place_count;
    struct rank_group *ranks; /* of `places` */
    size_t rank_count;
};

/*
 * Joins what SELECTIONS choose; both and their summaries must outlive the result, which may be
 * without metrics or places.  Without a selection of metrics, those that say nothing about the
 * program are left out, and those that are zero in both.  For joint_free.
 */
struct joint *joint_make(const struct selection *a, const struct selection *b);
void joint_free(struct joint *joint);

const struct summary *joint_summary(const struct joint *joint, enum side side);

/* joint_paths.c: fills in `paths` and `path_of`. */
void joint_paths_make(struct joint *joint);

#endif
