/* Which iterations the trace of a job that did not end normally is of.  For this room. */
#ifndef TSPROF_JOB_CHOICE_H
#define TSPROF_JOB_CHOICE_H

#include "archive/recorded_thread.h"
#include "events/job_trace.h"

/* What there is of THREAD, of a process with the events in FILE. */
struct recorded_thread job_recorded_thread(const struct event_file *file,
                                           const struct eventful_thread *thread);

/*
 * Those that all processes have that have any; of them the best, as many as SPEC wants.  Adds
 * to SHORTAGE, which starts from all zeros.
 */
struct supply job_choose(const struct job_trace *trace, const struct program *program,
                         const struct trace_spec *spec, struct shortage *shortage);

#endif
