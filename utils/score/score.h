/*
 * What it costs to measure a program's functions: by type of region and by function the visits,
 * the time and what instrumenting takes of it, and which functions a filter should hide so that
 * the cost falls below a share of the time.  For the command; it prints text and tables on the
 * stream that it is given.  doc/score.md says what the numbers are.
 */
#ifndef TSPROF_SCORE_H
#define TSPROF_SCORE_H

#include "file/file.h"
#include "print/print.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * What a visit of an instrumented function costs where the run has not measured it; what it
 * costs if a filter hides the function; and what it costs more if that is so of its caller,
 * from which a walk of the stack is needed.
 */
#define SCORE_ASSUMED_NS 100
#define SCORE_HIDDEN_NS  5
#define SCORE_WALK_NS    300

/* Types of regions, as Score-P's scorer names them as far as it has them. */
enum score_type {
    SCORE_ALL,
    SCORE_USR,     /* instrumented, not on a path to MPI */
    SCORE_COM,     /* instrumented, on a path to MPI */
    SCORE_MPI,     /* functions of MPI */
    SCORE_PHASE,   /* marked phases */
    SCORE_SAMPLED, /* everything else: how often it was visited is not known */
    SCORE_TYPES
};

/* "USR" and so on. */
const char *score_type_name(enum score_type type);

/* Sums over all threads. */
struct score_sums {
    long double visits;
    long double time_s;     /* without what it calls */
    long double cost_s;     /* of measuring, which is part of all time */
    long double bytes;      /* of the events that a trace has of it, in memory */
    long double most_bytes; /* on the rank that has most of them */
};

struct score_function {
    const char *name;
    enum score_type type;
    struct score_sums sums; /* but for most_bytes */
    bool hidden;            /* by the filter */
    uint32_t number;        /* for the room itself */
};

/* Whether FUNCTION is of type USR or COM. */
bool score_is_instrumented(const struct score_function *function);

/* A share of the time: of all threads together, and of the one where it is largest. */
struct score_share {
    long double all, most;
    uint32_t most_rank;
};

enum score_source { SCORE_GIVEN, SCORE_MEASURED, SCORE_ASSUMED };

struct score {
    const struct summary *summary;
    struct score_sums types[SCORE_TYPES];
    struct score_function *functions; /* those whose visits are known, by cost, largest first */
    size_t count;
    size_t instrumented; /* how many of them are */
    uint32_t *of_node;   /* their index by node; SUMMARY_NONE for others */
    double visit_ns;     /* what a visit of an instrumented function costs */
    enum score_source source;
    long double nameless; /* visits of instrumented functions that have no call path */
    struct score_share now,
        hidden;      /* cost of these functions: as it was, and with the filter */
    bool impossible; /* at `visit_ns` visits would have taken longer than some thread ran */
    bool reached;    /* `hidden` is no more than the share that was asked for */
    size_t hidden_count;
};

/*
 * The score of SUMMARY, which must outlive it.  GIVEN_NS is what a visit costs, or 0: as the
 * run has measured it.  NULL, and ERROR, if the summary cannot say what measuring cost.  Free
 * with score_free.
 */
struct score *score_make(const struct summary *summary, double given_ns, struct error *error);
/* NULL is allowed. */
void score_free(struct score *score);

/*
 * Chooses the functions to be hidden so that the cost of the others is at most SHARE of the
 * time of each thread, at least loss: those first that take least time for each visit, those on
 * paths to MPI last, and none whose cost does not matter.
 */
void score_choose(struct score *score, double share);

/* Writes the filter that hides them, of which SHARE was asked for, in Score-P's syntax. */
void score_write_filter(const struct score *score, double share, FILE *stream);

/* Writes the score as text of at most COLUMNS columns, with TOP functions.  FILTER is the name
 * of the file with the filter that was written for SHARE; NULL: none was. */
void score_write_text(const struct score *score, double share, const char *filter, size_t top,
                      size_t columns, FILE *stream);

/* Writes it as a table of all functions, after those of the types. */
void score_write_table(const struct score *score, enum table_notation notation, FILE *stream);

#endif
