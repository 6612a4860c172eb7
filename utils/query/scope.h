/*
 * What a profile covers: the whole run or a range of iterations of one phase, on some ranks.
 *
 * A profile of iterations is their mean, or their sum if the user asks for it (--sum).  Each
 * iteration has the mean values of its cluster.  An iteration counts if at least one of the
 * ranks has it; the values of the other ranks are zero then.
 */
#ifndef TSPROF_SCOPE_H
#define TSPROF_SCOPE_H

#include "options/options.h"
#include "print/print.h"
#include "query/paths.h"
#include "query/select.h"

struct scope {
    const struct selection *selection;
    uint32_t phase;          /* SUMMARY_NONE: the whole run */
    struct range iterations; /* existing ones only */
    uint64_t count;          /* iterations that some rank has; 1 for the whole run */
    uint64_t divisor;        /* of the sums over iterations: `count` for means, otherwise 1 */
    bool all_ranks, all_threads; /* all ranks of the summary, all threads of these ranks */
};

/*
 * Makes the scope that OPTIONS (--total, --phase, --iteration, --sum) ask for within SELECTION,
 * which must outlive it.  It covers iterations if --phase, --iteration or --minus-iteration is
 * given, otherwise the whole run.  False, and ERROR, if there is not exactly one phase or it
 * has none of the iterations: the command line is at fault.
 */
bool scope_make(struct scope *scope, const struct selection *selection,
                const struct options *options, struct error *error);

/*
 * Adds the values of LOCATION within SCOPE to VALUES, whose `divisor` becomes that of the
 * scope.  MAP is as in path_values_add_mapped.
 */
void scope_add(const struct scope *scope, const struct location *location,
               const struct path_map *map, enum metric_sums sums, struct path_values *values);

/* Adds the same for all ranks of the scope. */
void scope_add_all(const struct scope *scope, const struct path_map *map, enum metric_sums sums,
                   struct path_values *values);

/* Adds "iterations 0-99 of timestep, mean, ranks 0-3, thread 0", unescaped. */
void scope_add_text(const struct scope *scope, struct text *text);

#endif
