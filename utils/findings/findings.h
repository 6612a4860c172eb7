/*
 * What stands out in the iterations of a summary, and why, in words: for the report, which
 * shows the most important, and for the page, which has them all.  doc/report.md says how each
 * kind is found and when it is not.
 *
 * A metric is looked at over iterations as the largest value of a rank, and over ranks by what
 * ranks do themselves: of `time` that is `computation`, since ranks that wait for each other
 * take the same time.
 */
#ifndef TSPROF_FINDINGS_H
#define TSPROF_FINDINGS_H

#include "query/query.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum finding_kind {
    FINDING_SLOW_ITERATIONS, /* more than their neighbours, at no regular distance */
    FINDING_PERIOD,          /* more, at a regular distance */
    FINDING_RANGE,           /* many in a row that have more */
    FINDING_STEP,            /* more, or less, from one iteration on */
    FINDING_DRIFT,           /* more and more, or less and less */
    FINDING_SLOW_RANKS,      /* more than other ranks */
    FINDING_MOVING_RANK,     /* one rank has more than others, then another has */
    FINDING_IMBALANCE,       /* unequal on many ranks, always in the same way */
    FINDING_GROWING_IMBALANCE,
    FINDING_IDLE_RANKS, /* less than half of what others have */
    FINDING_KINDS
};

/* One rank for some iterations. */
struct finding_part {
    uint32_t rank; /* its number */
    struct range iterations;
};

/* Where most of the difference between what stands out and what is usual is. */
struct finding_cause {
    uint32_t metric; /* SUMMARY_NONE: not known */
    uint32_t path;   /* of the findings' tree; with what is below it */
    double value;    /* of an iteration more than usual, in the metric's unit */
};

struct finding {
    enum finding_kind kind;
    uint32_t phase, metric;
    struct range *iterations; /* ascending; what stands out */
    size_t range_count;       /* may be fewer than there are: at most FINDING_MOST_RANGES */
    uint64_t iteration_count; /* of all of them */
    uint64_t period;          /* between them; 0: no regular one */
    uint32_t *ranks;          /* numbers; of a cause or of what stands out; none: of no rank */
    size_t rank_count;
    struct finding_part *parts; /* of FINDING_MOVING_RANK, in order */
    size_t part_count;
    double value, usual; /* of an iteration, in the metric's unit; or imbalances, shares of 1 */
    double excess;       /* of all iterations more than usual, in the metric's unit; of
                          * idle ranks what the idlest has less */
    double share;        /* of what the selected iterations of the phase have of `metric`, or of
                          * `time` if it is one: on the rank that has most in each */
    struct finding_cause cause;
    char *sentence; /* in words; names are as in the file: escape them before they are shown */
};

#define FINDING_MOST_RANGES 1000

struct findings {
    const struct summary *summary;
    const struct path_tree *tree;
    struct finding *list; /* the largest share first */
    size_t count;
};

/*
 * Looks at METRIC in the selected iterations of every selected phase.  SELECTION and TREE (by
 * name or by line) must outlive the findings; for findings_free.
 */
struct findings *findings_find(const struct selection *selection, const struct path_tree *tree,
                               uint32_t metric);
/* Whether enough iterations of PHASE are selected to look for findings in them. */
bool findings_possible(const struct selection *selection, uint32_t phase);

/* NULL is allowed. */
void findings_free(struct findings *findings);

/* "slow_iterations" and so on, for scripts. */
const char *finding_kind_name(enum finding_kind kind);

/*
 * Writes an array of objects, the largest share first:
 *
 *     {"kind":"period","phase":"step","metric":"time","iterations":[[99,99],[199,199]],
 *      "iteration_count":2,"period":100,"ranks":[3],"parts":[{"rank":3,"iterations":[99,199]}],
 *      "unit":"s","value":0.02,"usual":0.01,"excess":0.02,"excess_ns":20000000,"percent":1.5,
 *      "cause":{"metric":"computation","callpath":["main","step","solve"],"file":"solve.c",
 *      "line":12,"value":0.01},"text":"Every 100th ..."}
 *
 * `unit` is that of `value` and `usual`: the metric's, or "share" where they are imbalances,
 * shares of 1; `excess` is always in the metric's.  `excess_ns` is null for what is not in
 * seconds, `period` without one, `cause` if none is known, its `file` and `line` if they are
 * not.  Strings are harmless in HTML (json.h).
 */
void findings_write_json(const struct findings *findings, FILE *stream);

#endif
