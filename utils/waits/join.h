/*
 * Puts what was found in the trace of some iterations into the summary of the whole run, so
 * that waiting is seen beside what the iterations cost.
 *
 * Every iteration that was traced becomes a cluster of its own.  Where it shared one its times
 * are those of the trace, as far as the cluster has them, and everything else is the cluster's
 * mean; what is left of the cluster is the others'.  So no sum of the run changes.  Waiting is
 * then taken from the time that the iteration has in the same call, and cut to it.
 */
#ifndef TSPROF_JOIN_H
#define TSPROF_JOIN_H

#include "base/base.h"
#include "file/file.h"

/* Changes RUN, whose tables belong to it still.  WAITS is what waits_find has made.  False, and
 * ERROR, if they are not of the same run. */
bool join_waits(struct summary *run, const struct summary *waits, struct error *error);

#endif
