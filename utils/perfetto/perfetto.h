/*
 * Writes a trace in Chrome's trace-event format, which ui.perfetto.dev and chrome://tracing
 * show: doc/traces.md says what becomes what.  For the command.  Memory does not grow with the
 * number of events.
 */
#ifndef TSPROF_PERFETTO_H
#define TSPROF_PERFETTO_H

#include "archive/archive.h"
#include "options/options.h"

#include <stdbool.h>
#include <stdio.h>

/*
 * Writes the selected ranks, threads, phases and iterations of TRACE on STREAM.  False, and
 * ERROR, if the archive cannot be read, or has no such rank, thread or phase, or none of the
 * iterations; then nothing is written, but what was read before the archive's fault was found.
 */
bool perfetto_write(struct trace *trace, const struct options *options, FILE *stream,
                    struct error *error);

#endif
