/* What a summary says about the run as a whole, and the name it gets.  Program context. */
#ifndef TSPROF_FACTS_H
#define TSPROF_FACTS_H

#include "common/codec.h"
#include "assemble/definitions.h"
#include "host/host.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Appends the RUN section for a job of RANKS processes that ended at END_NS, or, if that is
 * below 0, has not ended: then it does not say when.
 */
void facts_encode(int ranks, int64_t end_ns, struct encoder *out);

/* Appends what the summary says of this process's host, as SYSTEM has it. */
void facts_encode_host(struct encoder *out);

/* Appends the METRICS section: the table's, then the counters of all processes. */
void facts_encode_metrics(const struct definitions *definitions, struct encoder *out);

/* The same for this process alone.  Async-signal-safe as far as OUT is. */
void facts_encode_own_metrics_async(struct encoder *out);

/*
 * The summary's name from TSPROF_OUTPUT; COPY > 0 gives the names to try when that exists.
 * SUFFIX goes before the ending, for a process that writes alone.
 */
void facts_output_name(int ranks, const char *suffix, int copy, char *name, size_t size);

/* The batch system's name for the job; false, and nothing written, where there is none. */
bool facts_batch_job(char *text, size_t size);

/*
 * The same name without its ending, as it is alike in all processes that LAUNCHER has started
 * on this machine.
 */
void facts_shared_name(int ranks, const struct process_facts *launcher, char *name,
                       size_t size);

/*
 * The process belongs to a job that MPI_Comm_spawn started: its summaries are NAME.spawn1,
 * NAME.spawn2 and so on, beside that of the job that started it.
 */
void facts_set_spawned(void);

#endif
