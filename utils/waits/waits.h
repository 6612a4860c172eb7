/*
 * Searches a trace for wait states, and makes a summary of what is found: the engine is
 * replay/, the trace's reader utils/archive.
 */
#ifndef TSPROF_WAITS_H
#define TSPROF_WAITS_H

#include "base/base.h"
#include "file/file.h"
#include "waits/join.h"

/* What users ask for. */
struct waits_search {
    const char *const *patterns; /* that they wrote: files */
    size_t pattern_count;
    unsigned timeout_s; /* a pattern that does not answer for so long is left out */
    size_t left_out;    /* filled in: how many failed, each with a message */
    uint64_t master;    /* the rank that distributes work */
    unsigned threads;   /* that may work at the same time; 0: one for each processor */
    bool master_given;  /* otherwise it is found, if there is one */
};

/*
 * The summary of the trace that PATH names (archive/trace.h); free with summary_free.  NULL,
 * and ERROR, on failure.  A trace that cannot be read to its end is analysed up to there, and
 * ERROR says so: its text is empty if all was well.
 */
struct summary *waits_find(const char *path, struct waits_search *search, struct error *error);

#endif
