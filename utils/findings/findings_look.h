/*
 * One phase, prepared for the searches for findings: everything that is computed once for all
 * of them.
 */
#ifndef TSPROF_FINDINGS_LOOK_H
#define TSPROF_FINDINGS_LOOK_H

#include "findings/finding.h"

/* With fewer iterations, nothing can be called usual. */
#define LOOK_LEAST_ITERATIONS 8

/*
 * The values of a metric over iterations, on the rank that has most in each; iterations that no
 * rank has are left out.  Times where processors are lacking are corrected for that
 * (findings_correct.h).  A point is one iteration or, if there are too many, the largest value
 * of `group` successive ones.
 */
struct points {
    double *values;
    uint64_t *at; /* the first iteration of each point */
    size_t count;
    uint64_t group;
    uint64_t end; /* the last iteration plus 1 */
};

/* The mean of each rank's own work (own_means) over blocks of successive iterations. */
struct blocks {
    size_t count, ranks;
    uint64_t *first; /* the first iteration of each block, and the end of the last block */
    double *values;  /* [block * ranks + rank], per iteration; NaN if a rank has none */
    uint32_t *hot;   /* by point: the rank with most; SUMMARY_NONE: none; NULL if grouped */
    double *lead;    /* by point: how much more that rank has than the mean */
    size_t hot_count;
};

/* Ranks' own work less what they had no processor for (findings_correct.h): what is taken for
 * it, and what it was by this iteration alone: rather, at least and at most.  NaN: the rank
 * does not have the iteration. */
struct own {
    double *value, *rather, *low, *high; /* NULL: not known */
};

struct look {
    const struct selection *selection;
    const struct path_tree *tree;
    uint32_t phase, metric;
    uint32_t work; /* the metric by which ranks are compared */
    bool is_time;
    bool corrected;      /* points are less what ranks had no processor for */
    bool of_path;        /* points are of a call path: then that is the cause */
    double least_change; /* by such a share levels must differ at least, besides */
    bool sampled;        /* and what they have is known by samples: a single one says little */
    double scarcity;     /* what they had none for that had none for longest, as a share of the
                          * time, if points are corrected: by less they do not surely differ */
    struct own own;      /* [rank * points + point]: where points are corrected one by one */
    double *uncorrected; /* the points' values before; NULL: they need no correction */
    /* Sums over the points before each, and over all: their times before they were corrected,
     * and for how long the rank had no processor that had none for longest.  NULL likewise. */
    double *elapsed, *lacking;
    bool has_io;           /* so that work includes MPI's input and output */
    uint64_t first, count; /* iterations */
    double total;          /* sum over all points, each times the iterations in its group */
    double mean;           /* per iteration */
    double noise;          /* standard deviation of iterations from their clusters' means */
    struct points points;
    double *rest; /* the points' values, minus the periodic findings of find_outliers */
    struct blocks blocks;
    /* Means by selected thread and cluster; NULL: the thread has no series. */
    double **metric_means; /* of `metric` */
    double **own_means; /* of the ranks' own work: of `work`, and of MPI's input and output if
                         * it is time that is looked at; where points are corrected less what
                         * the rank had no processor for, so far as it was in that */
    double **preempted_means; /* of `preempted`, if it is time and the summary has it */
};

/* False, and nothing to close, if there are too few iterations or ranks. */
bool look_open(struct look *look, const struct selection *selection,
               const struct path_tree *tree, uint32_t phase, uint32_t metric);
void look_close(struct look *look);
/* Takes the values before their correction for the points', or back: the searches begin anew.
 */
void look_exchange(struct look *look);

/* The series of the I-th selected thread of rank R (an index), or NULL. */
const struct series *look_series(const struct look *look, size_t r, size_t i);

/* By point, of rank R (an index), if it is known. */
struct own look_own(const struct look *look, size_t r);

/* By how much iterations of one cluster differ in METRIC: a standard deviation, in its unit. */
double look_noise(const struct look *look, uint32_t metric);

/* The last iteration of a point. */
uint64_t point_last(const struct points *points, size_t point);

/* The findings so far. */
struct collection {
    struct finding *list;
    size_t count, room;
};

/* Adds a finding and returns it; valid until the next is added. */
struct finding *collection_add(struct collection *collection, const struct look *look,
                               enum finding_kind kind);
/* Frees the memory that a finding owns, but not the finding. */
void finding_clear(struct finding *finding);
/* Adds iterations.  Ranges must ascend; those that touch are joined. */
void finding_add_range(struct finding *finding, uint64_t first, uint64_t last);
void finding_add_rank(struct finding *finding, uint32_t rank);

/* findings_iterations.c: finds single iterations and periods; of a call path, periods only. */
void find_outliers(struct collection *collection, const struct look *look);
/* findings_levels.c: finds steps, ranges and drifts. */
void find_levels(struct collection *collection, const struct look *look);
/* findings_ranks.c: finds ranks that have more or less than others, and imbalances. */
void find_ranks(struct collection *collection, const struct look *look);

/* findings_inside.c: finds steps, ranges, drifts and periods of the call paths with most
 * computation. */
void find_inside(struct collection *collection, const struct look *look);
/* findings_statements.c: the same of the calls of MPI that have most of its time or, if it is
 * not time that is looked at, of the metric. */
void find_in_statements(struct collection *collection, const struct look *look);

/* findings_cause.c: finds causes. */

/*
 * Sets the cause: what iterations ON have more of than iterations OFF (both ascending, not
 * touching), and the ranks that have it unless most ranks do.  Ranks that only wait do not
 * count.
 */
struct iteration_list {
    const struct range *ranges;
    size_t count;
};
void explain_iterations(struct finding *finding, const struct look *look,
                        struct iteration_list on, struct iteration_list off);

/*
 * Whether samples alone tell that FINDING's cause, which is a part of the computation, has a
 * larger share of it in ON than in OFF, on all ranks: chance would not, among all call paths.
 */
bool is_sure_by_samples(const struct finding *finding, const struct look *look,
                        struct iteration_list on, struct iteration_list off);

/* Sets the cause: what rank R has more of than rank USUAL in iterations ON.  Both are indexes
 * in the selection. */
void explain_rank(struct finding *finding, const struct look *look, size_t r, size_t usual,
                  struct iteration_list on);

/* So many other ranks of a finding, at most, are asked for their cause. */
enum { MOST_ASKED = 64 };

/* Whether two causes may be the same: by samples the place may be known more or less exactly.
 */
bool is_same_cause(const struct path_tree *tree, const struct finding_cause *a,
                   const struct finding_cause *b);

/* findings_text.c: sets `sentence`; WALL_S as in findings_find. */
void finding_write_sentence(struct finding *finding, const struct look *look, double wall_s);

#endif
