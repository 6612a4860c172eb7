/*
 * Searches a trace for wait states, and makes a summary of what is found: the engine is
 * replay/, the trace's reader utils/archive.
 */
#ifndef TSPROF_WAITS_H
#define TSPROF_WAITS_H

#include "base/base.h"
#include "file/file.h"

/*
 * The summary of the trace that PATH names (archive/trace.h); free with summary_free.  NULL,
 * and ERROR, on failure.  A trace that cannot be read to its end is analysed up to there, and
 * ERROR says so: its text is empty if all was well.
 */
struct summary *waits_find(const char *path, struct error *error);

#endif
