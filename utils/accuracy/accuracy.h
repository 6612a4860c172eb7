/*
 * What the numbers of a summary are worth: the promises that every file keeps, the cost of
 * measuring, the errors of sampling and of clustering, and stacks that could not be followed.
 * Rooms that show a summary use it.
 */
#ifndef TSPROF_ACCURACY_ROOM_H
#define TSPROF_ACCURACY_ROOM_H

#include "accuracy/checks.h"
#include "accuracy/costs.h"
#include "accuracy/failures.h"
#include "accuracy/quality.h"
#include "accuracy/sampling.h"

#endif
