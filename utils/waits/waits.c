/* See waits.h. */
#include "waits/waits.h"

#include "clocks/clocks.h"
#include "plugins/plugins.h"
#include "waits/feed.h"
#include "waits/outcome.h"

static struct summary *find(struct trace *trace, struct plugins *plugins, size_t *left_out,
                            const struct waits_listener *listener, struct error *error)
{
    struct feed feed;
    struct clocks clocks;
    clocks_correct(trace, &clocks, error);
    feed_open(&feed, trace);
    plugins_listen(plugins, feed.replay, &feed.world);
    void *state = listener->begin(&feed);
    feed_run(&feed, trace, error);
    *left_out = plugins_adopt(plugins, feed.replay);
    struct summary *summary = outcome_make(&feed, &clocks);
    listener->end(state, &feed, summary);
    feed_free(&feed);
    return summary;
}

struct summary *waits_find(const char *path, struct waits_patterns *patterns,
                           const struct waits_listener *listener, struct error *error)
{
    error->text[0] = '\0';
    /* Before the trace is opened, which is none of their business. */
    struct plugins *plugins =
        plugins_start(patterns->files, patterns->count, patterns->timeout_s);
    struct trace *trace = trace_open(path, error);
    struct summary *summary =
        trace ? find(trace, plugins, &patterns->left_out, listener, error) : NULL;
    plugins_free(plugins);
    if (trace)
        trace_close(trace);
    return summary;
}
