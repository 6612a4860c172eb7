/*
 * What a summary says about the run as a whole: sections RUN, METRICS and SYSTEM of
 * doc/format.md.  Program context, unless a function says otherwise.  Encoders report that
 * memory has run out in OUT->failed.
 */
#ifndef TSPROF_FACTS_H
#define TSPROF_FACTS_H

#include "assemble/definitions.h"
#include "common/codec.h"

#include <stdint.h>

/*
 * Appends the RUN section for a job of RANKS processes that ended at END_NS on the measurement
 * clock.  If END_NS is negative the job has not ended yet, and the section has no end.
 */
void facts_encode(int ranks, int64_t end_ns, struct encoder *out);

/* Appends the description of this process's host, one entry of the SYSTEM section. */
void facts_encode_host(struct encoder *out);

/* Appends the METRICS section: the metrics of the table, then the counters of all processes. */
void facts_encode_metrics(const struct definitions *definitions, struct encoder *out);

/*
 * Appends the METRICS section with this process's own counters only, for its part.
 * Async-signal-safe if OUT's flush is.
 */
void facts_encode_own_metrics_async(struct encoder *out);

#endif
