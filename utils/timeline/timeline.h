/*
 * Puts a trace into the page of `tsprof html`: what its time line shows of each iteration, in
 * elements that the page reads (page/src/format/timeline.ts).  For the command.
 *
 * One element of JSON says what there is: {"rows": [{"rank", "thread", "name", "host"}],
 * "regions": [{"name", "metric", "file", "line"}], "iterations": [{"phase", "number", "begin",
 * "length", "calls", "messages", "samples", "block"}]}; times in nanoseconds since the trace
 * begins, `block` null where there was no room.  Then come the blocks, an element each, as
 * write_block.h describes them.
 */
#ifndef TSPROF_UTILS_TIMELINE_H
#define TSPROF_UTILS_TIMELINE_H

#include "archive/archive.h"

#include <stdbool.h>
#include <stdio.h>

/* So many calls are put into a page; further iterations are named, but not shown. */
#define TIMELINE_MOST_CALLS ((size_t)2000000)

/* Reads TRACE and writes it on STREAM.  False, and ERROR, if it cannot be read. */
bool timeline_write(struct trace *trace, FILE *stream, struct error *error);

#endif
