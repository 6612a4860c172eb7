/*
 * The time in the OpenMP runtime as metrics of a summary.  Call paths have the runtime's
 * functions, and regions their modules; so what it takes can be told of any summary, also of
 * those that were written before anybody asked.  For whoever reads summaries to show them.
 */
#ifndef TSPROF_OPENMP_H
#define TSPROF_OPENMP_H

#include "file/file.h"

#include <stdbool.h>

/*
 * Sets `in_openmp` of SUMMARY, and moves computation on those nodes to the metric
 * `omp_runtime`, which becomes a part of computation.  Where threads of a team are there, the
 * metric `idle_threads` is added: each nanosecond that the first thread of a process is not in
 * a parallel region, times the other threads that have been in one.  doc/metrics.md says what
 * both mean.  A summary without an OpenMP runtime in it stays as it is, and so do metrics of
 * one that has them already, since it was calculated from others.  True if metrics were added:
 * the file that it was read from has fewer.
 */
bool openmp_add_metrics(struct summary *summary);

#endif
