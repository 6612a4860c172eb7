/*
 * How far the numbers of a summary can be trusted: checks that they add up, the overhead of
 * measuring, the errors of sampling and of clustering, and samples whose stack could not be
 * walked.  For rooms that show a summary.
 */
#ifndef TSPROF_ACCURACY_ROOM_H
#define TSPROF_ACCURACY_ROOM_H

#include "accuracy/checks.h"
#include "accuracy/costs.h"
#include "accuracy/failures.h"
#include "accuracy/job_cost.h"
#include "accuracy/outliers.h"
#include "accuracy/path_errors.h"
#include "accuracy/phantoms.h"
#include "accuracy/quality.h"
#include "accuracy/sampling.h"
#include "accuracy/stalls.h"

#endif
