/*
 * Computation that no sample has found.  It is part of the call path that surrounds it, but may
 * as well have been in functions called from there, so nothing may show it as the function's
 * own: a row or frame UNSAMPLED_NAME takes it.
 */
#ifndef TSPROF_UNSAMPLED_H
#define TSPROF_UNSAMPLED_H

#include "query/paths.h"

#define UNSAMPLED_NAME "(not sampled)"

/*
 * Whether the computation of VALUES, which must be inclusive over metrics, at PATH is such.  It
 * never is of functions that tell when they are entered, nor in summaries that were calculated
 * from others.
 */
bool path_is_unsampled(const struct path_values *values, uint32_t path);

/* How much of METRIC at PATH that is, in its unit: nothing if computation is no part of it. */
long double path_unsampled(const struct path_values *values, uint32_t path, uint32_t metric);

#endif
