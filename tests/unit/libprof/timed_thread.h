/*
 * For unit tests: a thread that is measured without an MPI library, by a clock that stands
 * still unless the test moves it.  So every time is known to the nanosecond.
 */
#ifndef TSPROF_TIMED_THREAD_H
#define TSPROF_TIMED_THREAD_H

#include "calls/calls.h"
#include "timeline/timeline.h"

/* Lets NS pass: everything that reads the clock from now on sees it.  Returns what it shows. */
int64_t timed_pass(int64_t ns);

/* From now on every reading of the clock moves it by NS, at first 0. */
void timed_tick(int64_t ns);

/* Reads the settings from the environment, makes the tables, and sets the clock to 0. */
void timed_start(void);

/* A context for the calling thread, which is in the program and begins now.  The test ends if
 * there is no memory. */
struct thread *timed_attach(void);

/*
 * What the wrapper of an MPI function does on the calling thread: the call takes MPI_NS, tsprof
 * OWN_NS.  Returns the call's node.
 */
uint32_t timed_call(struct thread *thread, enum mpi_call call, int64_t mpi_ns, int64_t own_ns);

/* What a marker in the caller does; KEEP: for an iteration. */
void timed_begin(struct thread *thread, const char *name, bool keep);
void timed_end(struct thread *thread, const char *name);

/* Ends the measurement of THREAD now; no other thread may be attached afterwards. */
void timed_stop(struct thread *thread);

/* METRIC of all call paths of THREAD in PROFILE. */
int64_t timed_sum(const struct thread *thread, const struct profile *profile,
                  enum metric metric);

/* All times in PROFILE: computation, MPI and overhead. */
int64_t timed_times(const struct thread *thread, const struct profile *profile);

/* The same of a whole thread that has been stopped, in iterations and outside. */
int64_t timed_total(const struct thread *thread);

#endif
