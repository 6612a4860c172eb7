/*
 * What ranks have in some iterations, by call path: what causes are looked for in.  For
 * findings_cause.c.
 */
#ifndef TSPROF_FINDINGS_PATHS_H
#define TSPROF_FINDINGS_PATHS_H

#include "findings/findings_look.h"

/* Ranks, indexes in the selection, in iterations. */
struct rank_set {
    const size_t *ranks;
    size_t count; /* at least 1 */
    struct iteration_list list;
};

/*
 * Fills VALUES with the mean of SET, per rank and iteration, inclusive over metrics.  Where the
 * look's points are corrected times are less what ranks had no processor for: in computation
 * and in MPI as much as each takes of the time, for nobody knows where it was.
 */
void paths_fill(const struct look *look, const struct rank_set *set,
                struct path_values *values);

/* The samples that SET has in all; 0 if there are none, or the summary does not know. */
double paths_samples(const struct path_values *values, const struct rank_set *set);

/*
 * Computation without samples of a path, and what it is part of, goes to the paths below it by
 * their numbers of samples: that is where it was, as far as one knows.
 */
void paths_spread(struct path_values *values);

/* By call path of the tree: how much more of METRIC is in MORE than in LESS, with what is below
 * the path; for the caller to free(). */
long double *paths_differences(const struct path_values *more, const struct path_values *less,
                               uint32_t metric);

#endif
