/* What the report's sentences about waiting have in common; for its files only. */
#ifndef TSPROF_WAITING_H
#define TSPROF_WAITING_H

#include "report/report.h"

/* The least share of all waiting that gets a sentence of its own. */
#define WAITING_LEAST 0.01L

struct waiting {
    struct report *report;
    const struct wait_table *table;
    uint64_t all_ns; /* of the selected locations */
};

/* In what follows LINE is what a sentence is made of. */
void waiting_add_place(struct text *line, const struct waiting *waiting, uint32_t location);
void waiting_add_time(struct text *line, long double ns);
void waiting_add_share(struct text *line, long double part, long double whole);
/* Adds "assemble (solver.c:120)", and of a function of MPI, which many call, the one that calls
 * it: "MPI_Send in exchange (halo.c:31)"; with the function further out that tells it from the
 * same call on other paths, " below smooth". */
void waiting_add_function(struct text *line, const struct path_tree *tree, uint32_t path);
/* Adds "in assemble (solver.c:120)". */
void waiting_add_node(struct text *line, const struct waiting *waiting, uint32_t node);

/* Adds LINE to the report, and empties it. */
void waiting_add_sentence(struct report *report, struct text *line);

/* How many rows a table has: USUAL, unless the user says otherwise. */
size_t waiting_rows(const struct report *report, size_t usual);

/* What the selected locations have of the metric called NAME, with its parts, in stored units;
 * 0 if there is none. */
long double waiting_total(const struct report *report, const char *name);

/* report_culprits.c: who makes others wait, and by what. */
void report_culprits(const struct waiting *waiting);

#endif
