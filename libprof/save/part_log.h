/*
 * The log of a thread in the process's part (doc/parts.md): modules, phases and call paths,
 * each written once, in batches.  Async-signal-safe; only for the thread that holds the
 * context.
 */
#ifndef TSPROF_PART_LOG_H
#define TSPROF_PART_LOG_H

#include "save/part_sink.h"
#include "timeline/timeline.h"
#include "unwind/unwind.h"

struct part_log {
    uint64_t first;                            /* offset of the first batch, 0: none yet */
    uint64_t at;                               /* where the next batch goes */
    uint64_t end;                              /* end of the extent that AT lies in */
    uint32_t batches;                          /* written so far */
    uint32_t phases;                           /* phases written so far */
    uint32_t nodes;                            /* nodes written so far */
    uint64_t modules[KNOWN_MODULES_MOST / 64]; /* one bit for each module that is written */
};

/*
 * Writes to LOG all modules, phases and nodes that THREAD has met since the last call.  SINK
 * and its BUFFER of PART_SINK_BYTES are used for writing; PROGRAM is the path of the
 * executable.  False if the log cannot be written.
 */
bool part_log_update_async(struct part_log *log, const struct thread *thread,
                           const char *program, struct part_sink *sink, void *buffer);

/*
 * Writes SIZE bytes from topology_encode to LOG, as one batch.  SINK, BUFFER and the result are
 * as above.
 */
bool part_log_topologies(struct part_log *log, const void *bytes, size_t size,
                         struct part_sink *sink, void *buffer);

#endif
