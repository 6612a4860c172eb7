/* See waits.h. */
#include "waits/waits.h"

#include "waits/feed.h"
#include "waits/outcome.h"

struct summary *waits_find(const char *path, struct error *error)
{
    struct feed feed;
    error->text[0] = '\0';
    struct trace *trace = trace_open(path, error);
    if (!trace)
        return NULL;
    feed_open(&feed, trace);
    feed_run(&feed, trace, error);
    struct summary *summary = outcome_make(&feed);
    feed_free(&feed);
    trace_close(trace);
    return summary;
}
