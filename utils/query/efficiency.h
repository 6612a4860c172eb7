/*
 * How well the processes of a run make use of its time, as the centre of excellence POP defines
 * it and TALP shows it: of a run in which the process that takes longest takes T, and processes
 * compute for c1, c2, ...,
 *
 *     parallel efficiency = mean c / T = load balance * communication efficiency
 *     load balance = mean c / max c
 *     communication efficiency = max c / T
 *
 * and, where the events are known, so that it can be predicted that on a network that takes no
 * time the run would have taken I,
 *
 *     communication efficiency = serialisation efficiency * transfer efficiency
 *     serialisation efficiency = max c / I
 *     transfer efficiency = I / T
 *
 * A process counts by its first selected thread, which communicates; what others compute at the
 * same time makes it compute for less time.
 */
#ifndef TSPROF_EFFICIENCY_H
#define TSPROF_EFFICIENCY_H

#include "query/paths.h"
#include "query/scope.h"

#include <stdbool.h>

struct efficiency {
    /* Seconds: of the process that takes longest; of computation; mean overhead of measuring.
     */
    long double time, mean, most, overhead;
    uint32_t most_rank; /* the rank that computes longest */
    /* Shares of 1. */
    long double parallel, balance, communication;
    /* Negative: not known. */
    long double serialisation, transfer;
    /* The share of the time in which processes had a processor or did not want one; negative:
     * not known. */
    long double processor;
};

/*
 * The efficiency of the selected processes in SCOPE, whose profiles must be sums, over the call
 * paths of TREE.  False if it cannot be told: there is no computation, time is not measured, or
 * the summary was calculated from others, whose differences are no times.
 */
bool efficiency_of(const struct scope *scope, const struct path_tree *tree,
                   struct efficiency *efficiency);

/*
 * The efficiency of what was traced, where waits were put into the SUMMARY of the whole run;
 * `processor` is not known, nor are seconds of overhead.  False if it cannot be told.
 */
bool efficiency_of_traced(const struct summary *summary, struct efficiency *efficiency);

/*
 * The values of the first selected thread of the selected process number RANK in SCOPE,
 * inclusive over metrics, in VALUES, which is cleared before.
 */
void efficiency_process(const struct scope *scope, size_t rank, struct path_values *values);

/* Takes from the times in VALUES, of one rank, what it had no processor for: from all in
 * proportion. */
void efficiency_correct(struct path_values *values);

/* The sum of METRIC, SUMMARY_NONE for none, over all call paths, in its unit. */
long double efficiency_sum(const struct path_values *values, uint32_t metric);

#endif
