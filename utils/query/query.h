/*
 * Answers questions about a summary: which part of it the user wants to see (select.h, scope.h,
 * callpath.h), and what the values of that part are by call path, by rank and by iteration.
 * For rooms that show or calculate something.  It prints nothing, and only restrict.h changes a
 * summary.
 */
#ifndef TSPROF_QUERY_ROOM_H
#define TSPROF_QUERY_ROOM_H

#include "query/callpath.h"
#include "query/counted.h"
#include "query/efficiency.h"
#include "query/found_loops.h"
#include "query/frames.h"
#include "query/functions.h"
#include "query/imbalance.h"
#include "query/iterations.h"
#include "query/largest.h"
#include "query/paths.h"
#include "query/places.h"
#include "query/presence.h"
#include "query/rank_values.h"
#include "query/restrict.h"
#include "query/scope.h"
#include "query/select.h"
#include "query/stretch.h"
#include "query/sums.h"
#include "query/sweep.h"
#include "query/unevenness.h"
#include "query/unsampled.h"

#endif
