/* What a question means: the call paths and iterations that its words name. */
#ifndef TSPROF_PREDICT_CHOSEN_H
#define TSPROF_PREDICT_CHOSEN_H

#include "predict/study.h"

/*
 * Each makes study->paths true where a path is meant, and false elsewhere.  False, and ERROR
 * with what there is, if nothing is.
 */

/* Calls of MPI at call paths that end with the regions CALLPATH, joined by ";", or lie below;
 * all of them for "all". */
bool chosen_calls(struct study *study, const char *callpath, struct error *error);

/* WHERE: a region with all that it calls, or PHASE:LIST, or "iterations".  Calls of MPI belong
 * to it only if WITH_CALLS, or if WHERE is one. */
bool chosen_places(struct study *study, const char *where, bool with_calls,
                   struct error *error);

/* A node with all that it calls; one iteration. */
void chosen_region(struct study *study, uint32_t region, bool with_calls);
void chosen_iteration(struct study *study, uint32_t instance);
/* Calls of NODE. */
void chosen_node(struct study *study, uint32_t node);

#endif
