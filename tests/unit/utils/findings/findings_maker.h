/*
 * Summaries in memory whose iterations are made by a rule, to look for findings in: ranks that
 * compute, each as long as the rule says, and then wait for each other.
 */
#ifndef TSPROF_FINDINGS_MAKER_H
#define TSPROF_FINDINGS_MAKER_H

#include "file/summary.h"

#include <stdint.h>

/* Call paths of the made summaries. */
enum made_node {
    MADE_program,
    MADE_main,
    MADE_step,
    MADE_solve,
    MADE_wait,
    MADE_write,
    MADE_message,
    MADE_NODES,
    MADE_again = MADE_NODES, /* the same function as MADE_message, called from MADE_write */
};

/* What one rank does in one iteration, in nanoseconds. */
struct made_iteration {
    double solve;     /* computation in main > step > solve */
    double write;     /* computation in main > step > write */
    double send;      /* in MPI, besides waiting for the slowest */
    double preempted; /* of all that: ready to run, without a processor */
    double message;   /* in main > step > MPI_Send, after all that */
    double again;     /* in main > step > write > MPI_Send, likewise */
    double unknown;   /* computation in main > step: of which no sample tells where it was */
    /* Not in nanoseconds: */
    double messages, bytes; /* sent there */
    double samples, others; /* in write, and in solve */
};

/* ITERATION is there for RULE to tell; RANDOM is the rank's own state (random_normal). */
typedef struct made_iteration made_rule(uint32_t rank, uint64_t iteration, uint64_t *random);

struct made {
    struct summary summary;
    struct memory_pool pool;
};

/*
 * Fills MADE with RANKS ranks that have ITERATIONS of `step`, each a cluster of its own; the
 * same SEED makes the same.  Free with made_free.
 */
void made_fill(struct made *made, uint32_t ranks, uint64_t iterations, made_rule *rule,
               uint64_t seed);
void made_free(struct made *made);

/* Gives SUMMARY the metrics of the runtime, in POOL. */
void made_metrics(struct summary *summary, struct memory_pool *pool);

/* Numbers from the standard normal distribution. */
double random_normal(uint64_t *state);

#endif
