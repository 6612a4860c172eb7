/*
 * Decodes an archive in a thread of its own, ahead of the one that does something with its
 * events. That one is told the same as without, in the same order.  It knows nothing of
 * archives.
 */
#ifndef TSPROF_READ_AHEAD_H
#define TSPROF_READ_AHEAD_H

#include "archive/trace.h"

/* Reads TRACE and calls VISIT with CONTEXT for each event; as trace_read. */
typedef bool trace_reading(struct trace *trace, trace_visitor *visit, void *context,
                           struct error *error);

/* Calls READ for TRACE in another thread, and VISIT in this one.  If there can be no thread,
 * READ is called in this one. */
bool read_ahead(struct trace *trace, trace_reading *read, trace_visitor *visit, void *context,
                struct error *error);

#endif
