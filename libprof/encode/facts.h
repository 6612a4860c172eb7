/*
 * What a summary says about the run as a whole (sections RUN, METRICS and SYSTEM of
 * doc/format.md), and the name of its file.  Program context, unless a function says otherwise.
 * Encoders report that memory has run out in OUT->failed.
 */
#ifndef TSPROF_FACTS_H
#define TSPROF_FACTS_H

#include "assemble/definitions.h"
#include "common/codec.h"
#include "host/host.h"

#include <stddef.h>
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

/*
 * Makes the name of the summary from TSPROF_OUTPUT into NAME, which has SIZE bytes.  COPY is 0
 * for the first name to try; 1, 2 and so on give the next ones, for when those before exist
 * already.  SUFFIX goes before the ending ".tsprof"; it is "" but for a process that writes a
 * summary of its own.
 */
void facts_output_name(int ranks, const char *suffix, int copy, char *name, size_t size);

/*
 * Copies the batch system's job identifier into TEXT, which has SIZE bytes.  Returns false, and
 * writes nothing, outside of a batch job.
 */
bool facts_batch_job(char *text, size_t size);

/*
 * Makes the name of the summary without its ending into NAME.  The result is the same in all
 * processes on this machine that LAUNCHER has started: %j and %t are taken from LAUNCHER, not
 * from this process.
 */
void facts_shared_name(int ranks, const struct process_facts *launcher, char *name,
                       size_t size);

/*
 * Records that MPI_Comm_spawn started the job of this process.  Its summaries are then called
 * NAME.spawn1, NAME.spawn2 and so on, beside the summary of the job that started it.
 */
void facts_set_spawned(void);

#endif
