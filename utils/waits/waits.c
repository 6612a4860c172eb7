/* See waits.h. */
#include "waits/waits.h"

#include "clocks/clocks.h"
#include "plugins/plugins.h"
#include "waits/feed.h"
#include "waits/outcome.h"

#include <inttypes.h>
#include <unistd.h>

bool waits_find_master(const struct trace *trace, const struct waits_search *search,
                       uint32_t *master, struct error *error)
{
    *master = TRACE_NONE;
    if (!search->master_given)
        return true;
    for (uint32_t i = 0; i < trace->process_count; i++)
        if (trace->processes[i].rank != TRACE_NONE &&
            trace->processes[i].rank == search->master) {
            *master = i;
            return true;
        }
    return error_set(error, "%s: has no rank %" PRIu64 ", which --master names", trace->path,
                     search->master);
}

static unsigned processors(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 1 ? (unsigned)count : 1;
}

static struct summary *find(struct trace *trace, struct plugins *plugins,
                            struct waits_search *search, const struct waits_listener *listener,
                            struct error *error)
{
    struct feed feed;
    struct clocks clocks;
    uint32_t master;
    if (!waits_find_master(trace, search, &master, error))
        return NULL;
    trace_use_threads(trace, search->threads ? search->threads : processors());
    clocks_correct(trace, &clocks, error);
    feed_open(&feed, trace, master);
    plugins_listen(plugins, feed.replay, &feed.world);
    void *state = listener->begin(&feed);
    feed_run(&feed, trace, error);
    search->left_out = plugins_adopt(plugins, feed.replay);
    struct summary *summary = outcome_make(&feed, &clocks);
    listener->end(state, &feed, summary);
    feed_free(&feed);
    return summary;
}

struct summary *waits_find(const char *path, struct waits_search *search,
                           const struct waits_listener *listener, struct error *error)
{
    error->text[0] = '\0';
    /* Before the trace is opened, which is none of their business. */
    struct plugins *plugins =
        plugins_start(search->patterns, search->pattern_count, search->timeout_s);
    struct trace *trace = trace_open(path, error);
    struct summary *summary = trace ? find(trace, plugins, search, listener, error) : NULL;
    plugins_free(plugins);
    if (trace)
        trace_close(trace);
    return summary;
}
