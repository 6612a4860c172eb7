/*
 * All that stands out, in one order: first what makes all times doubtful (lack of processors,
 * overhead), then by how much shorter the run could be at most.  What is about iterations or
 * ranks says more than what is about the whole run; where both are about the same seconds, the
 * latter is left out, or comes behind.  Nothing is said twice.  doc/report.md tells the rules.
 */
#ifndef TSPROF_RANKING_H
#define TSPROF_RANKING_H

#include "findings/finding.h"
#include "findings/findings_gains.h"
#include "findings/findings_run.h"

#include <stdio.h>

/* One of the two is NULL. */
struct ranked {
    const struct run_finding *run;
    const struct finding *finding;
};

struct ranking {
    const struct summary *summary;
    const struct path_tree *tree;
    double wall_s; /* what gains are shares of: the time of the process that takes longest; 0:
                    * not known, or it is not time that is looked at */
    double processor; /* the share of the time in which processes had one, or wanted none */
    struct selection selection; /* what `findings` are of: where gains are known, each process's
                                 * first thread, as `wall_s` is */
    struct ranked *list;
    size_t count;
    size_t in_iterations;      /* how many are about iterations */
    struct run_findings run;   /* all, also those that the list leaves out */
    struct findings *findings; /* likewise */
    struct gains predictions;  /* what mending some of it would gain */
};

/*
 * Looks for what stands out in METRIC within SCOPE, whose profiles must be sums.  Of the whole
 * run it is only looked at if METRIC is `time` and WHOLE is true; THRESHOLDS are those of
 * properties.  SCOPE and TREE must outlive the result, which is for ranking_free.
 */
struct ranking *ranking_make(const struct scope *scope, const struct path_tree *tree,
                             uint32_t metric, bool whole, const struct thresholds *thresholds);
/* NULL is allowed. */
void ranking_free(struct ranking *ranking);

/* The share of the run that could be gained; of another metric than time, the share that the
 * finding has of it. */
double ranked_share(const struct ranking *ranking, const struct ranked *ranked);

/* The sentence, not escaped, and the call path that it is about; SUMMARY_NONE: none. */
const char *ranked_sentence(const struct ranked *ranked);
uint32_t ranked_path(const struct ranked *ranked);

/*
 * Findings about call paths that end in the same function, in the same iterations, differ only
 * in who calls it.  Whether there is such a one before PLACE in the list; and how many there
 * are behind PLACE, and what they gain together, in seconds (0: not known).
 */
bool ranked_is_alike(const struct ranking *ranking, size_t place);
size_t ranked_count_alike(const struct ranking *ranking, size_t place, double *gain);

/* What taking it away is predicted to gain (findings_gains.h); NULL: nothing is. */
const struct gain *ranked_prediction(const struct ranking *ranking,
                                     const struct ranked *ranked);

/*
 * Writes an array of objects, in the order of the ranking:
 *
 *     {"kind":"period","phase":"step","metric":"time","iterations":[[99,99],[199,199]],
 *      "iteration_count":2,"period":100,"ranks":[3],"parts":[{"rank":3,"iterations":[99,199]}],
 *      "unit":"s","value":0.02,"usual":0.01,"excess":0.02,"excess_ns":20000000,"percent":1.5,
 *      "gain":0.02,"of":2.4,
 *      "cause":{"metric":"computation","callpath":["main","step","solve"],"file":"solve.c",
 *      "line":12,"value":0.01},"counted":{"metric":"bytes","value":2048,"usual":1024},
 *      "prediction":{"seconds":0.02,"percent":1.5,"text":"balance solve would gain ..."},
 *      "text":"Every 100th ..."}
 *
 * `unit` is the unit of `value` and `usual`: the metric's, or "share" for imbalances.  `excess`
 * is always in the metric's unit.  `percent` is the share of the iterations' time, or of the
 * run's if it is about the whole run.  `gain` is in seconds, and so is `of`, the time that it
 * is part of.  `counted` is what a call path of MPI has more of, which tells why it takes
 * longer: `visits` or `bytes`.  These are null if they do not apply or are not known:
 * `excess_ns` (unless the unit is seconds), `period`, `gain`, `of`, `cause`, its `file`, `line`
 * and `value`, `counted`, `prediction` and its `percent`; and `phase`, `value`, `usual` and
 * `excess` of what is about the whole run. Strings are safe in HTML (print/json.h).
 */
void ranking_write_json(const struct ranking *ranking, FILE *stream);

#endif
