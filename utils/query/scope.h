/*
 * What a profile is of: the whole run, or a range of iterations of one phase; on some ranks.
 *
 * Of iterations it is the mean, or the sum if that was asked for: what the iterations have,
 * each as its cluster has it in the mean, divided by their number.  An iteration counts if one
 * of the ranks has it; another that has it not has zeros in it.
 */
#ifndef TSPROF_SCOPE_H
#define TSPROF_SCOPE_H

#include "options/options.h"
#include "print/print.h"
#include "query/paths.h"
#include "query/select.h"

struct scope {
    const struct selection *selection;
    uint32_t phase;              /* SUMMARY_NONE: the whole run */
    struct range iterations;     /* of those that there are */
    uint64_t count;              /* iterations in it that some rank has; 1 for the whole run */
    uint64_t divisor;            /* of sums over iterations: `count`, or 1 for their sum */
    bool all_ranks, all_threads; /* of the summary, of these ranks */
};

/*
 * Finds what OPTIONS (--total, --phase, --iteration, --sum) say of SELECTION, which must
 * outlive the scope.  They say iterations if --phase, --iteration or --minus-iteration is among
 * them. False, and ERROR, if it is not one phase or has none of the iterations: the command
 * line is at fault.
 */
bool scope_make(struct scope *scope, const struct selection *selection,
                const struct options *options, struct error *error);

/*
 * Adds what LOCATION has of SCOPE to VALUES, whose `divisor` becomes that of the scope.  MAP as
 * in path_values_add_mapped.
 */
void scope_add(const struct scope *scope, const struct location *location,
               const struct path_map *map, enum metric_sums sums, struct path_values *values);

/* Adds the same for all ranks of the scope. */
void scope_add_all(const struct scope *scope, const struct path_map *map, enum metric_sums sums,
                   struct path_values *values);

/* Adds "iterations 0-99 of timestep, mean, ranks 0-3, thread 0", unescaped. */
void scope_add_text(const struct scope *scope, struct text *text);

#endif
