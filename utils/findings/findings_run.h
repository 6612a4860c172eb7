/*
 * What stands out in a whole run, or in the part of it that is selected: lack of processors,
 * overhead, uneven computation, communication and its properties, and how little of the run the
 * iterations are.  Each with the time that could be gained at most, so that they can be ranked.
 * doc/report.md says what the sentences mean.  It prints nothing.
 */
#ifndef TSPROF_FINDINGS_RUN_H
#define TSPROF_FINDINGS_RUN_H

#include "findings/thresholds.h"
#include "query/query.h"

enum run_finding_kind {
    RUN_NO_PROCESSOR,  /* times say little about the program: it comes first */
    RUN_OVERHEAD,      /* measuring takes so long that times are distorted: it comes second */
    RUN_UNEVEN,        /* processes compute for different times */
    RUN_SERIALISATION, /* ranks wait for each other in turn, as a trace tells */
    RUN_TRANSFER,      /* messages take time, likewise */
    RUN_COMMUNICATION,
    /* Properties of communication (findings_properties.h): */
    RUN_DOMINATING,           /* one MPI function has most of its time */
    RUN_FREQUENT,             /* many short calls */
    RUN_BIG_MESSAGES,         /* long messages */
    RUN_UNEVEN_COMMUNICATION, /* processes communicate for different times */
    RUN_SLOW_SLAVES,          /* a master waits */
    RUN_OVERLOADED_MASTER,    /* its slaves wait */
    RUN_SETUP,                /* starting and ending MPI takes much of the run */
    RUN_OUTSIDE,              /* most of the run is in no iteration: it comes last */
    RUN_FINDING_KINDS
};

struct run_finding {
    enum run_finding_kind kind;
    double gain;       /* seconds by which the run could be shorter at most; 0: not known */
    double severity;   /* of properties: the share of all processes' time that it costs */
    double confidence; /* of properties, from 0 to 1: that it is what it seems to be */
    uint32_t path;     /* the call path that it is about, in the tree; SUMMARY_NONE: none */
    uint32_t rank;     /* the rank's number that it is about; SUMMARY_NONE: none */
    char *sentence;    /* in words, not escaped */
};

struct run_findings {
    struct run_finding list[RUN_FINDING_KINDS]; /* the largest gain first, after lack of
                                                 * processors and overhead */
    size_t count;
};

/*
 * Finds what stands out in SCOPE, whose profiles must be sums, over the call paths of TREE.
 * THRESHOLDS are those of properties.  Free with run_findings_free.
 */
struct run_findings run_findings_find(const struct scope *scope, const struct path_tree *tree,
                                      const struct thresholds *thresholds);
void run_findings_free(struct run_findings *findings);

/* The name of a kind for scripts: "no_processor" and so on. */
const char *run_finding_kind_name(enum run_finding_kind kind);

#endif
