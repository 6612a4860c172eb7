/*
 * What the events of a trace depend on, as far as it is certain: a message arrives after it was
 * sent; nobody leaves a barrier, or another operation in which all wait for all, before the
 * last one has entered it; what a root sends to all arrives after it has entered; it has what
 * all send to it after they have; in scans, likewise for lower ranks.
 *
 * Of messages with the same ends, communicator and tag the first that is sent is taken for the
 * first that arrives: if their receives were posted in another order, that is less than what
 * they depend on, and never more.  An operation is what each member takes part in for the Nth
 * time.  One that was started before another one and ends after it depends on nothing, and so
 * does what is not certain: who exchanges nothing, Alltoallv and -w, neighbours,
 * intercommunicators, one-sided communication.
 *
 * It knows the archive's events (archive/trace.h), not how archives are read.
 */
#ifndef TSPROF_DEPENDENCIES_H
#define TSPROF_DEPENDENCIES_H

#include "clocks/logical_clock.h"

struct dependencies;

/* Events go to CLOCK with what they depend on.  Both must outlive the result. */
struct dependencies *dependencies_create(const struct trace *trace,
                                         struct logical_clock *clock);
void dependencies_free(struct dependencies *dependencies);

void dependencies_take(struct dependencies *dependencies, const struct trace_event *event);

#endif
