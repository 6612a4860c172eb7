/*
 * What stands out in the iterations of a summary, with the cause, in words: doc/report.md says
 * how each kind is found.  It prints nothing.
 *
 * Iterations are compared by the largest value that any rank has.  Ranks are compared by their
 * own work: for `time` that is `computation`, since ranks that wait for each other all take the
 * same time.
 */
#ifndef TSPROF_FINDING_H
#define TSPROF_FINDING_H

#include "query/query.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum finding_kind {
    FINDING_SLOW_ITERATIONS, /* have more than their neighbours, not periodically */
    FINDING_PERIOD,          /* have more, at a regular distance */
    FINDING_RANGE,           /* many successive iterations have more */
    FINDING_STEP,            /* more, or less, from some iteration on */
    FINDING_DRIFT,           /* more and more, or less and less */
    FINDING_SLOW_RANKS,      /* have more than other ranks */
    FINDING_MOVING_RANK,     /* one rank has more than the others, later another rank has */
    FINDING_IMBALANCE,       /* unequal on many ranks, always in the same way */
    FINDING_GROWING_IMBALANCE,
    FINDING_IDLE_RANKS, /* less than half of what others have */
    FINDING_KINDS
};

/* The rank that has more than others in some iterations. */
struct finding_part {
    uint32_t rank; /* its number */
    struct range iterations;
};

/* The metric and call path with most of the difference from what is usual. */
struct finding_cause {
    uint32_t metric; /* SUMMARY_NONE: not known */
    uint32_t path;   /* in the findings' tree; includes what is below it */
    double value;    /* how much more than usual, per iteration, in the metric's unit */
    bool of_samples; /* `value` is of more than the path: much of it has no samples, and the
                      * path has most of the rest */
};

/* What a call path was entered for, or moves, as often or as much more as it takes longer. */
struct finding_count {
    uint32_t metric;     /* `visits` or `bytes`; SUMMARY_NONE: neither tells why */
    double value, usual; /* per iteration, means of ranks */
};

struct finding {
    enum finding_kind kind;
    uint32_t phase, metric;
    uint32_t path; /* whose `metric` it is about, with what is below it: of steps, ranges,
                    * drifts and periods, in the findings' tree; SUMMARY_NONE: of iterations */
    struct range *iterations; /* those that stand out, ascending */
    size_t range_count;       /* at most FINDING_MOST_RANGES, even if there are more */
    uint64_t iteration_count; /* of all ranges, including those not in the list */
    struct range compared; /* of steps and ranges: those before, which they are compared with */
    uint64_t period;       /* iterations between them; 0: they are not periodic */
    uint32_t *ranks;       /* the ranks that stand out or cause it; may be none */
    size_t rank_count;
    struct finding_part *parts; /* of FINDING_MOVING_RANK, in order */
    size_t part_count;
    double value, usual; /* per iteration, in the metric's unit; imbalances are shares of 1 */
    double excess;  /* how much more than usual all iterations have together, in the metric's
                     * unit; of idle ranks, how much less the idlest has */
    double share;   /* of the excess in all selected iterations of the phase: of `metric`, or
                     * of `time` for parts of it, on the rank that has most in each */
    bool corrected; /* values and excess are less the time that ranks had no processor for */
    bool stretched; /* lack of processors makes it longer, but more work, as samples show, is
                     * the cause: values and excess are with the time without a processor */
    bool hidden;    /* of what calls of MPI move: how much longer they take lack of processors
                     * hides, so that excess and gain are bounds, as if the time followed it */
    double gain;    /* seconds by which the run could be shorter at most, if the iterations were
                     * as usual, or all ranks had the same; 0: `metric` is no time */
    struct finding_cause cause;
    struct finding_count counted; /* of a call path of MPI */
    char *sentence;               /* the finding in words; not escaped */
};

#define FINDING_MOST_RANGES 1000
#define FINDING_NEIGHBOURS  25 /* on either side, that an iteration is compared with */

struct findings {
    const struct summary *summary;
    const struct path_tree *tree;
    struct finding *list; /* by share, the largest first */
    size_t count;
};

/*
 * Looks for findings in METRIC, in the selected iterations of every selected phase.  WALL_S: of
 * so many seconds sentences say how much could be gained; 0: they say shares of the phase.
 * SELECTION and TREE must outlive the result.  Free with findings_free.
 */
struct findings *findings_find(const struct selection *selection, const struct path_tree *tree,
                               uint32_t metric, double wall_s);
/* Whether enough iterations of PHASE are selected to look for findings in them. */
bool findings_possible(const struct selection *selection, uint32_t phase);

/* NULL is allowed. */
void findings_free(struct findings *findings);

/* The name of a kind for scripts: "slow_iterations" and so on. */
const char *finding_kind_name(enum finding_kind kind);

#endif
