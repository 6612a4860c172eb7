/*
 * Puts the events of hosts whose clocks disagree in an order that is possible: no message
 * arrives before it was sent, nobody leaves a barrier before all have entered it.  Whoever
 * searches a trace or shows it may call it, before the events are read.
 */
#ifndef TSPROF_CLOCKS_H
#define TSPROF_CLOCKS_H

#include "archive/archive.h"
#include "clocks/logical_clock.h"

/* What was done; all zeros if there was nothing to do. */
struct clocks {
    bool looked; /* the processes are on several hosts */
    struct clock_findings found;
};

/*
 * Reads the events of TRACE's archive, and corrects those that trace_read will visit, if some
 * are in an order that is not possible.  Traces of one host are not looked at.  False, and
 * ERROR, if the archive cannot be read to its end: then what could be read counts.
 */
bool clocks_correct(struct trace *trace, struct clocks *clocks, struct error *error);

#endif
