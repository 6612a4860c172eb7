/*
 * Questions to a summary: which part of it the user wants to see (select.h, scope.h,
 * callpath.h), and the values of that part by call path, by rank and by iteration.  Rooms that
 * show or calculate something use it.  It prints nothing and changes a summary only in
 * restrict.h.
 */
#ifndef TSPROF_QUERY_ROOM_H
#define TSPROF_QUERY_ROOM_H

#include "query/callpath.h"
#include "query/counted.h"
#include "query/found_loops.h"
#include "query/imbalance.h"
#include "query/iterations.h"
#include "query/paths.h"
#include "query/places.h"
#include "query/rank_values.h"
#include "query/restrict.h"
#include "query/scope.h"
#include "query/select.h"
#include "query/stretch.h"
#include "query/sums.h"
#include "query/sweep.h"

#endif
