/*
 * Properties of communication that sums over processes show, without a trace: those of Wolf
 * and Mohr, "Automatic Performance Analysis of MPI Applications Based on Event Traces"
 * (Euro-Par 2000).  A statement is a call path that ends in an MPI function which
 * communicates.  For findings_run.c.
 */
#ifndef TSPROF_FINDINGS_PROPERTIES_H
#define TSPROF_FINDINGS_PROPERTIES_H

#include "findings/findings_run.h"

/*
 * Adds to FOUND the properties that SCOPE has, whose profiles must be sums, over the call paths
 * of TREE.  WALL is the time of the process that takes longest, REST what communication takes
 * of it besides waiting for processes that compute longer, in seconds.  SCARCE: processes had
 * no processor for so much of the time that how long calls take says little.
 */
void properties_find(const struct scope *scope, const struct path_tree *tree, long double wall,
                     long double rest, bool scarce, const struct thresholds *thresholds,
                     struct run_findings *found);

/* What properties are told by. */
struct statement {
    long double time, square;     /* over processes: sum of the times, and of their squares */
    long double with_computation; /* and of their products with the process's computation */
    long double calls, operations, messages, bytes;
    long double moved; /* bytes, those of collective operations, too */
};

/* One process: times in seconds, numbers of messages. */
struct process {
    uint32_t rank;
    long double time, computation, preempted;
    long double point2point; /* in messages */
    long double waiting;     /* of that, where nothing is sent */
    long double sent, received;
};

struct traits {
    bool scarce; /* processes had no processor for so much of the time that calls take longer */
    const struct scope *scope;
    const struct path_tree *tree;
    const struct thresholds *thresholds;
    struct statement *statements; /* by path */
    struct process *processes;
    size_t count; /* of processes */
    long double wall, rest;
    long double all, communication;        /* time: sums over processes */
    long double computation, computation2; /* sum over processes, and of squares */
    long double computing; /* sum over processes: computation with a processor */
    struct run_findings *found;
};

/* findings_master.c: slow slaves and an overloaded master, if there is a master. */
void find_master(const struct traits *traits);

/* Whether so many seconds, a sum over processes, are worth a sentence. */
bool is_severe(const struct traits *traits, long double seconds);

/* Adds "2.9 s of 10 s, 29 %": the mean over processes of a SUM of seconds, of the wall time. */
void add_mean(const struct traits *traits, struct text *text, long double sum);

/* Adds a finding, which owns SENTENCE from then on.  SUM: its seconds on all processes. */
struct trait {
    enum run_finding_kind kind;
    long double sum, gain;
    double confidence;
    uint32_t path;
    uint32_t rank; /* SUMMARY_NONE: of no rank in particular */
};
void add_trait(const struct traits *traits, const struct trait *trait, struct text *sentence);

#endif
