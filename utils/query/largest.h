/* The largest values that call paths had in an iteration of a thread, by function. */
#ifndef TSPROF_LARGEST_H
#define TSPROF_LARGEST_H

#include "query/functions.h"
#include "query/scope.h"

/*
 * Raises LARGEST, by function, to the largest value of METRIC, or of a metric that is part of
 * it and has values of its own, that one call path of the function had in an iteration in SCOPE
 * of a thread of RANK: in the metric's unit, exactly.  It becomes NAN, and stays so, where that
 * is not known: only the largest of all iterations is kept, and SCOPE may be without that one.
 */
void functions_find_largest(const struct function_list *functions, const struct scope *scope,
                            const struct rank_group *rank, uint32_t metric,
                            long double *largest);

#endif
