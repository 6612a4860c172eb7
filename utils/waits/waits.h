/*
 * Searches a trace for wait states, and makes a summary of what is found: the engine is
 * replay/, the trace's reader utils/archive, and what feeds
 * the one from the other (feed.h) is of use to predictions, too.
 */
#ifndef TSPROF_WAITS_H
#define TSPROF_WAITS_H

#include "base/base.h"
#include "file/file.h"
#include "replay/crew/team.h"
#include "waits/feed.h"
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

/* Somebody who looks at the same events: BEGIN is called before the first one, and END, with
 * what it returned, after the last one, to add something to the summary. */
struct waits_listener {
    void *(*begin)(struct feed *feed);
    void (*end)(void *state, struct feed *feed, struct summary *summary);
};

/*
 * The summary of the trace that PATH names (archive/trace.h); free with summary_free.  NULL,
 * and ERROR, on failure.  A trace that cannot be read to its end is analysed up to there, and
 * ERROR says so: its text is empty if all was well.  LISTENER is told of what is read.
 */
struct summary *waits_find(const char *path, struct waits_search *search,
                           const struct waits_listener *listener, struct error *error);

/*
 * The same by a team, all of which call it, and each of which reads the events of some
 * processes.  The result is at the first of the team; elsewhere, and on failure, it is NULL:
 * then the ERROR of all is the same and not empty.  A trace that cannot be read to its end is a
 * failure.  Patterns by users cannot be told of all events, and are not looked at.
 */
struct summary *waits_find_shared(const char *path, const struct waits_search *search,
                                  const struct waits_listener *listener, struct team *team,
                                  struct error *error);

/* The process of the rank that was named as the master, or TRACE_NONE.  False, and ERROR, if
 * there is no such rank. */
bool waits_find_master(const struct trace *trace, const struct waits_search *search,
                       uint32_t *master, struct error *error);

#endif
