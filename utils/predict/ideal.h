/*
 * How long the traced part would have taken on an ideal network, for a summary of waits: the
 * facts ideal.of, what it is predicted to take unchanged; ideal.time, with a network and calls
 * of MPI that take no time, so that ranks only wait for each other; ideal.most and ideal.mean,
 * how long ranks compute, the one that does longest and on average.  In seconds, of the threads
 * that communicate, without the time in which recording was off.
 */
#ifndef TSPROF_PREDICT_IDEAL_H
#define TSPROF_PREDICT_IDEAL_H

#include "predict/study.h"

/* Adds the facts to SUMMARY, unless nobody communicates or the prediction never ends. */
void ideal_add(struct study *study, struct summary *summary);

#endif
