/*
 * The standard error of sampled times: the formula of doc/measurement.md, "The error".
 */
#ifndef TSPROF_SAMPLING_H
#define TSPROF_SAMPLING_H

/*
 * The standard error of PART, the computation time of a call path.  TOTAL is the computation
 * time, and SAMPLES the number of samples, of the thread in the whole run.  All times have the
 * same unit.  0 if nothing is uncertain.
 */
long double sampling_error(long double total, long double part, long double samples);

#endif
