/*
 * How exact sampled times are: the formula of doc/measurement.md, "The error".
 */
#ifndef TSPROF_SAMPLING_H
#define TSPROF_SAMPLING_H

/*
 * The standard error of PART, the computation time of a call path, in TOTAL, that of the whole
 * scope (one thread in one run), in which SAMPLES samples were taken; the times in one unit.  0
 * where nothing is uncertain.
 */
long double sampling_error(long double total, long double part, long double samples);

#endif
