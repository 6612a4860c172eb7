/*
 * Finds what stands out in a summary, with the cause, in words: in its iterations, in the whole
 * run, and all of that in one order.  The report shows the most important findings, the page
 * all of them.  For rooms that show a summary.
 */
#ifndef TSPROF_FINDINGS_H
#define TSPROF_FINDINGS_H

#include "findings/finding.h"
#include "findings/findings_run.h"
#include "findings/ranking.h"

#endif
