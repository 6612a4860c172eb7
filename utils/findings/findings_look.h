/*
 * One phase as the searches for findings look at it: what is computed once for all of them.
 */
#ifndef TSPROF_FINDINGS_LOOK_H
#define TSPROF_FINDINGS_LOOK_H

#include "findings/findings.h"

/* Fewer iterations than this have nothing that is usual. */
#define LOOK_LEAST_ITERATIONS 8

/*
 * A metric over iterations, as the rank that has most of it has: of the iterations that some
 * rank has.  A point is one iteration, or the largest of `group` in a row if there are too
 * many.
 */
struct points {
    double *values;
    uint64_t *at; /* the first iteration of each */
    size_t count;
    uint64_t group;
    uint64_t end; /* after the last iteration */
};

/* What each rank has of the work metric on average over blocks of iterations in a row. */
struct blocks {
    size_t count, ranks;
    uint64_t *first; /* of each block, and the end of the last */
    double *values;  /* [block * ranks + rank], of an iteration; NaN where a rank has none */
    uint32_t *hot;   /* by point: the rank with most; SUMMARY_NONE in gaps; NULL if grouped */
    double *lead;    /* by point: what it has more than the mean */
    size_t hot_count;
};

struct look {
    const struct selection *selection;
    const struct path_tree *tree;
    uint32_t phase, metric;
    uint32_t work; /* the metric of ranks */
    bool is_time;
    uint64_t first, count; /* iterations */
    double total;          /* of all points, with their groups' sizes */
    double mean;           /* per iteration: total / iterations that there are */
    double noise;          /* standard deviation of iterations from their clusters */
    struct points points;
    double *rest; /* the points' values without what find_outliers has found to repeat */
    struct blocks blocks;
    /* Of `metric`, `work`, and what ranks do themselves, which is work and input and output; by
     * selected thread and cluster; NULL: no series. */
    double **metric_means, **work_means, **own_means;
};

/* False, and nothing to free, if there is nothing to look for. */
bool look_open(struct look *look, const struct selection *selection,
               const struct path_tree *tree, uint32_t phase, uint32_t metric);
void look_close(struct look *look);

/* The series of the I-th selected thread of rank R (an index), or NULL. */
const struct series *look_series(const struct look *look, size_t r, size_t i);

/* The last iteration of a point. */
uint64_t point_last(const struct points *points, size_t point);

/* Findings being collected. */
struct collection {
    struct finding *list;
    size_t count, room;
};

/* A new finding, in the collection; valid until the next. */
struct finding *collection_add(struct collection *collection, const struct look *look,
                               enum finding_kind kind);
/* Frees what a finding has. */
void finding_clear(struct finding *finding);
/* Ranges must ascend; those that touch are joined. */
void finding_add_range(struct finding *finding, uint64_t first, uint64_t last);
void finding_add_rank(struct finding *finding, uint32_t rank);

/* findings_iterations.c: single iterations and periods. */
void find_outliers(struct collection *collection, const struct look *look);
/* findings_levels.c: steps, ranges and drifts. */
void find_levels(struct collection *collection, const struct look *look);
/* findings_ranks.c */
void find_ranks(struct collection *collection, const struct look *look);

/* findings_cause.c: why. */

/*
 * Says what iterations ON have more of than iterations OFF (both ascending, apart): the cause,
 * and the ranks that it is on if they are not most.  Ranks that only wait are not meant.
 */
struct iteration_list {
    const struct range *ranges;
    size_t count;
};
void explain_iterations(struct finding *finding, const struct look *look,
                        struct iteration_list on, struct iteration_list off);

/* Says what rank R has more than rank USUAL (indexes) in iterations ON. */
void explain_rank(struct finding *finding, const struct look *look, size_t r, size_t usual,
                  struct iteration_list on);

/* findings_text.c: puts it in words. */
void finding_write_sentence(struct finding *finding, const struct look *look);

#endif
