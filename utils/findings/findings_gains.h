/*
 * What a prediction says would gain most (the facts gain.1 to gain.5 of a summary of waits,
 * doc/whatif.md), and which findings each is about: whoever reads that something stands out
 * sees what it would be worth to mend it.  It prints nothing.
 */
#ifndef TSPROF_FINDINGS_GAINS_H
#define TSPROF_FINDINGS_GAINS_H

#include "findings/findings_run.h"
#include "query/query.h"

struct finding;

struct gain {
    double seconds;
    double share;         /* of the traced part, from 0 to 1; 0: not known */
    const char *question; /* as tsprof whatif is asked; the summary's */
};

struct gains {
    struct gain *list; /* the largest first */
    size_t count;
    const struct path_tree *tree;
};

/* Reads the facts of TREE's summary, which must outlive the result; none where there are none,
 * or where they are damaged.  Free with gains_free. */
struct gains gains_read(const struct path_tree *tree);
void gains_free(struct gains *gains);

/*
 * The largest gain that is about the same as FINDING; NULL if none is, as of time without a
 * processor, which no change of the program gives back.
 *
 * `balance` is about findings of computation: of a region, those whose cause is in it, inside
 * of their iterations; of an iteration, those that the iteration is one of; of all iterations,
 * those that tell ranks apart, of which those that name no call path are about any of these.
 * `zero-wait` is about findings of communication whose call path has those calls, or is among
 * them, and of whose ranks the one that waits is, if they name any.
 */
const struct gain *gains_of_finding(const struct gains *gains, const struct finding *finding);

/* The same of a finding about the whole run, where a region may be around the iterations. */
const struct gain *gains_of_run_finding(const struct gains *gains,
                                        const struct run_finding *finding);

/* Adds "zero-wait MPI_Recv would gain 1.2 s, 12 %", the question escaped as it was. */
void gain_add_text(const struct gain *gain, struct text *text);

#endif
