/* Whether measuring took so long that what is shown is distorted.  For findings_run.c. */
#ifndef TSPROF_FINDINGS_OVERHEAD_H
#define TSPROF_FINDINGS_OVERHEAD_H

#include "findings/findings_run.h"

/* Adds to FOUND that tsprof itself took much of SCOPE, whose EFFICIENCY is given, and what to
 * do. */
void overhead_find(const struct scope *scope, const struct efficiency *efficiency,
                   struct run_findings *found);

#endif
