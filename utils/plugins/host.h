/*
 * A pattern that is a shared object, in the process that was started for it: loads it, calls
 * its functions with the events that come, and sends back what it publishes.  For this room,
 * and in that process only.
 */
#ifndef TSPROF_HOST_H
#define TSPROF_HOST_H

#include "plugins/link.h"

#include "base/base.h"

struct host {
    const struct tsprof_pattern *pattern;
    void *state;
    struct frame frame;
    struct encoder found;    /* severities that have not been sent */
    struct memory_pool pool; /* what the functions are given */
    /* The world. */
    const char **regions;
    uint32_t *ranks;
    size_t region_count, process_count;
    /* The calls of the event that is told, and the number of the first in the batch. */
    const struct tsprof_call *calls;
    size_t call_count, calls_before;
};

/* Serves the pattern in PATH over CHILD_SOCKET until the analysis ends or it goes wrong. */
_Noreturn void host_run(const char *path);

/* Tells the analysis why this pattern cannot go on, and ends the process. */
_Noreturn void host_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Calls the pattern's functions with the events that IN holds (host_events.c). */
void host_tell(struct host *host, struct decoder *in);

#endif
