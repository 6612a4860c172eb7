/*
 * The log of a thread in the process's part (doc/parts.md): modules, phases and call paths,
 * each written once.  Async-signal-safe; by the thread that holds the context.
 */
#ifndef TSPROF_PART_LOG_H
#define TSPROF_PART_LOG_H

#include "save/part_sink.h"
#include "unwind/unwind.h"
#include "timeline/timeline.h"

struct part_log {
    uint64_t first;   /* offset of the first batch, 0: none yet */
    uint64_t at;      /* of the next one */
    uint64_t end;     /* of the extent that it lies in */
    uint32_t batches; /* so far */
    uint32_t phases;  /* written so far */
    uint32_t nodes;
    uint64_t modules[KNOWN_MODULES_MOST / 64]; /* bits of those written */
};

/*
 * Brings LOG up to date with what THREAD has met, through SINK and its BUFFER of
 * PART_SINK_BYTES.  PROGRAM is the path of the executable.  False if it cannot be written.
 */
bool part_log_update_async(struct part_log *log, const struct thread *thread,
                           const char *program, struct part_sink *sink, void *buffer);

/* Adds what topology_encode has written: SIZE bytes.  The same way. */
bool part_log_topologies(struct part_log *log, const void *bytes, size_t size,
                         struct part_sink *sink, void *buffer);

#endif
