/*
 * Finds what two summaries have in common, although they number it differently.
 *
 * Metrics are identified by name, unit and scale; call paths by the name, kind and module (base
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
    bool entire;  /* its totals of iterations are compared */
    bool by_path; /* its values on call paths are compared: it is measured, not a sum of others
                   */
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
    uint32_t *metric_of[SIDES]; /* by its own number: index in `metrics`, or SUMMARY_NONE */
    struct joint_path *paths;   /* those of A in its order, then those that only B has */
    size_t path_count;
    uint32_t *path_of[SIDES]; /* by the summary's node: index in `paths` */
    struct joint_place *places;
    size_t place_count;
    struct rank_group *ranks; /* of `places` */
    size_t rank_count;
};

/*
 * Joins the selected parts of two summaries; both selections and their summaries must outlive
 * the result, which may have no metrics or no places.  Unless metrics are selected, those that
 * do not describe the program, and those that are zero in both summaries, are left out.  Free
 * with joint_free.
 */
struct joint *joint_make(const struct selection *a, const struct selection *b);
void joint_free(struct joint *joint);

const struct summary *joint_summary(const struct joint *joint, enum side side);

/* joint_paths.c: fills in `paths` and `path_of`. */
void joint_paths_make(struct joint *joint);

#endif
