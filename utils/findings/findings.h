/*
 * Finds what stands out in the iterations of a summary, with the cause, in words.  The report
 * shows the most important findings, the page all of them.  doc/report.md says how each kind is
 * found.  For rooms that show a summary; it prints nothing but JSON.
 *
 * Iterations are compared by the largest value that any rank has.  Ranks are compared by their
 * own work: for `time` that is `computation`, since ranks that wait for each other all take the
 * same time.
 */
#ifndef TSPROF_FINDINGS_H
#define TSPROF_FINDINGS_H

#include "findings/findings_gains.h"
#include "findings/findings_run.h"
#include "query/query.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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
};

struct finding {
    enum finding_kind kind;
    uint32_t phase, metric;
    struct range *iterations; /* those that stand out, ascending */
    size_t range_count;       /* at most FINDING_MOST_RANGES, even if there are more */
    uint64_t iteration_count; /* of all ranges, including those not in the list */
    uint64_t period;          /* iterations between them; 0: they are not periodic */
    uint32_t *ranks;          /* the ranks that stand out or cause it; may be none */
    size_t rank_count;
    struct finding_part *parts; /* of FINDING_MOVING_RANK, in order */
    size_t part_count;
    double value, usual; /* per iteration, in the metric's unit; imbalances are shares of 1 */
    double excess; /* how much more than usual all iterations have together, in the metric's
                    * unit; of idle ranks, how much less the idlest has */
    double share;  /* of the excess in all selected iterations of the phase: of `metric`, or
                    * of `time` for parts of it, on the rank that has most in each */
    struct finding_cause cause;
    char *sentence; /* the finding in words; not escaped */
};

#define FINDING_MOST_RANGES 1000

struct findings {
    const struct summary *summary;
    const struct path_tree *tree;
    struct finding *list; /* by share, the largest first */
    size_t count;
};

/*
 * Looks for findings in METRIC, in the selected iterations of every selected phase.  SELECTION
 * and TREE must outlive the result.  Free with findings_free.
 */
struct findings *findings_find(const struct selection *selection, const struct path_tree *tree,
                               uint32_t metric);
/* Whether enough iterations of PHASE are selected to look for findings in them. */
bool findings_possible(const struct selection *selection, uint32_t phase);

/* NULL is allowed. */
void findings_free(struct findings *findings);

/* The name of a kind for scripts: "slow_iterations" and so on. */
const char *finding_kind_name(enum finding_kind kind);

/*
 * Writes an array of objects, the largest share first:
 *
 *     {"kind":"period","phase":"step","metric":"time","iterations":[[99,99],[199,199]],
 *      "iteration_count":2,"period":100,"ranks":[3],"parts":[{"rank":3,"iterations":[99,199]}],
 *      "unit":"s","value":0.02,"usual":0.01,"excess":0.02,"excess_ns":20000000,"percent":1.5,
 *      "cause":{"metric":"computation","callpath":["main","step","solve"],"file":"solve.c",
 *      "line":12,"value":0.01},"gain":{"seconds":0.02,"percent":1.5,"text":"balance solve
 *      would gain ..."},"text":"Every 100th ..."}
 *
 * `unit` is the unit of `value` and `usual`: the metric's, or "share" for imbalances.  `excess`
 * is always in the metric's unit.  These are null if they do not apply or are not known:
 * `excess_ns` (unless the unit is seconds), `period`, `cause`, and its `file` and `line`,
 * `gain`, what taking it away is predicted to be worth (findings_gains.h), and its `percent`.
 * Strings are safe in HTML (print/json.h).
 */
void findings_write_json(const struct findings *findings, FILE *stream);

#endif
