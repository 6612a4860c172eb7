/*
 * What changes inside of iterations: single call paths are searched as iterations are.  For
 * findings_inside.c (computation) and findings_statements.c (calls of MPI).
 */
#ifndef TSPROF_FINDINGS_INSIDE_H
#define TSPROF_FINDINGS_INSIDE_H

#include "findings/findings_look.h"

#define INSIDE_PATHS 20 /* that have most */

/* What is searched. */
struct inside {
    const struct look *look;
    uint32_t metric;
    size_t *ranks; /* indexes, evenly spread; for the owner to free() */
    size_t rank_count;
    uint32_t paths[INSIDE_PATHS];
    size_t path_count;
};

/* Chooses as many ranks as can be looked at in time. */
void inside_choose_ranks(struct inside *inside);

/* Chooses the paths with most that IS_WANTED, the largest first; SUMS are by path, of each with
 * what is below it. */
void inside_choose_paths(struct inside *inside, const long double *sums,
                         bool (*is_wanted)(const struct inside *inside, uint32_t path,
                                           const long double *sums));

/*
 * Means of the ranks in each of the look's points, which must be single iterations:
 * [path * points + point], for the caller to free().  Computation without samples is where
 * samples are.  Where there are many iterations, only the first paths are kept, and where there
 * are many clusters and call paths, only the first ranks, so that it does not take long; NULL
 * if there are too many for one.
 */
double *inside_series(struct inside *inside);

/*
 * Searches VALUES of path number P in POINTS, the same but for their values, for levels and
 * periods, or for one of them.  Only what is worth telling is kept.  NOISE as in a look.
 * SAMPLE: the computation that a sample stands for, as a mean of the ranks, if it is to be
 * asked whether levels have samples enough to differ; 0: it is not.
 */
struct inside_search {
    struct points points;
    double noise, sample;
    bool sampled, levels, periods;
};
void inside_search(struct collection *collection, const struct inside *inside, size_t p,
                   const struct inside_search *search);

#endif
