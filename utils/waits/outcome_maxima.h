/* The largest values of iterations, for the summary of what the engine has found. */
#ifndef TSPROF_OUTCOME_MAXIMA_H
#define TSPROF_OUTCOME_MAXIMA_H

#include "file/file.h"

/* Fills in `maxima` of SERIES, whose clusters are one iteration each: of every metric the
 * largest that one has, with its parts, over all call paths. */
void outcome_add_maxima(struct summary *summary, struct series *series);

#endif
