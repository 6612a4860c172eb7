/* The search by a team.  See waits.h. */
#include "waits/waits.h"

#include "clocks/clocks.h"
#include "replay/crew/family.h"
#include "waits/feed.h"
#include "waits/outcome.h"

#include <stdlib.h>
#include <string.h>

/* One of the team, and what it works on. */
struct sharing {
    struct team *team;
    struct trace *trace;
    struct clocks clocks;
    uint32_t *owners; /* by process */
    bool *selected;   /* by thread: its process is one's own */
    uint32_t master;
};

/* If any of the team has failed, all have, for the reason of the first; TEXT is empty if one
 * has not. */
static bool agree(struct team *team, struct error *error)
{
    size_t count = 1;
    struct error *all = allocate(1, sizeof *all);
    *all = *error;
    all = team_gather(team, all, sizeof *all, &count);
    if (!all)
        feed_end_team(team);
    for (size_t i = count; i-- > 0;)
        if (all[i].text[0] != '\0')
            *error = all[i];
    free(all);
    return error->text[0] == '\0';
}

/* Whether all see the same archive, whose path may mean another one on another host. */
static bool is_same_for_all(struct team *team, const struct trace *trace)
{
    uint64_t *sizes = allocate(3, sizeof *sizes), events = 0;
    size_t count = 3;
    for (size_t i = 0; i < trace->thread_count; i++)
        events += trace->threads[i].events;
    sizes[0] = trace->thread_count;
    sizes[1] = trace->length_ns;
    sizes[2] = events;
    sizes = team_gather(team, sizes, sizeof *sizes, &count);
    if (!sizes)
        feed_end_team(team);
    bool same = true;
    for (size_t i = 3; i < count; i++)
        same &= sizes[i] == sizes[i % 3];
    free(sizes);
    return same;
}

/* Deals out processes, one after the other, so that all have about as many events. */
static void share_out(struct sharing *sharing)
{
    const struct trace *trace = sharing->trace;
    uint64_t *events = allocate(trace->process_count + 1, sizeof *events);
    uint64_t all = 0, before = 0;
    sharing->owners = allocate(trace->process_count + 1, sizeof *sharing->owners);
    sharing->selected = allocate(trace->thread_count + 1, sizeof *sharing->selected);
    for (size_t i = 0; i < trace->thread_count; i++)
        events[trace->threads[i].process] += trace->threads[i].events + 1;
    for (size_t i = 0; i < trace->process_count; i++)
        all += events[i];
    for (size_t i = 0; i < trace->process_count; i++) {
        const unsigned __int128 middle = before + events[i] / 2;
        sharing->owners[i] = (uint32_t)(middle * sharing->team->size / (all + 1));
        before += events[i];
    }
    for (size_t i = 0; i < trace->thread_count; i++)
        sharing->selected[i] =
            sharing->owners[trace->threads[i].process] == sharing->team->self;
    sharing->trace->selected = sharing->selected;
    free(events);
}

/* The iterations of all, numbered as if one had met them all. */
static void unite_instances(struct team *team, const struct feed *feed, struct family *all)
{
    const struct instances *instances = &feed->instances;
    struct family_member *own = allocate(instances->count + 1, sizeof *own);
    for (size_t i = 0; i < instances->count; i++) {
        own[i].birth = feed->births[i];
        own[i].number = instances->list[i].number;
        own[i].kind = instances->list[i].phase;
        own[i].parent = instances->list[i].outer;
    }
    if (!family_unite(team, own, instances->count, all))
        feed_end_team(team);
    free(own);
}

static void set_instances(struct feed *feed, const struct family *all)
{
    instances_free(&feed->instances);
    feed->instances = (struct instances){
        .list = allocate(all->count + 1, sizeof *feed->instances.list), .count = all->count};
    for (size_t i = 0; i < all->count; i++)
        feed->instances.list[i] = (struct instance){.phase = all->list[i].kind,
                                                    .outer = all->list[i].parent,
                                                    .number = all->list[i].number};
}

/* The result at the first of the team; NULL elsewhere. */
static struct summary *unite(const struct sharing *sharing, struct feed *feed)
{
    struct family instances;
    unite_instances(sharing->team, feed, &instances);
    if (!crew_unite(feed->crew, instances.of_all, &feed->replay))
        feed_end_team(sharing->team);
    if (feed->replay)
        set_instances(feed, &instances);
    family_free(&instances);
    return feed->replay ? outcome_make(feed, &sharing->clocks) : NULL;
}

/* Who listens must be told of all events: the first of the team reads them, for those who want
 * to. */
static bool listen(const struct sharing *sharing, const struct waits_listener *listener,
                   struct summary *summary, struct error *error)
{
    struct trace *trace = trace_open(sharing->trace->path, error);
    struct clocks ignored;
    struct feed feed;
    if (!trace)
        return false;
    feed_open(&feed, trace, sharing->master);
    void *state = listener->begin(&feed);
    bool good = true;
    if (state) {
        good = clocks_correct(trace, &ignored, error) && feed_run(&feed, trace, error);
        listener->end(state, &feed, summary);
    }
    feed_free(&feed);
    trace_close(trace);
    return good;
}

static struct summary *search(struct sharing *sharing, const struct waits_listener *listener,
                              struct error *error)
{
    struct feed feed;
    share_out(sharing);
    clocks_correct(sharing->trace, &sharing->clocks, error);
    feed_open_shared(&feed, sharing->trace, sharing->master, sharing->owners, sharing->team);
    feed_run(&feed, sharing->trace, error);
    struct summary *summary = agree(sharing->team, error) ? unite(sharing, &feed) : NULL;
    if (summary)
        listen(sharing, listener, summary, error);
    feed_free(&feed);
    if (agree(sharing->team, error))
        return summary;
    summary_free(summary);
    return NULL;
}

struct summary *waits_find_shared(const char *path, const struct waits_search *search_for,
                                  const struct waits_listener *listener, struct team *team,
                                  struct error *error)
{
    error->text[0] = '\0';
    struct sharing sharing = {.team = team, .trace = trace_open(path, error)};
    struct summary *summary = NULL;
    if (sharing.trace)
        waits_find_master(sharing.trace, search_for, &sharing.master, error);
    bool good = agree(team, error);
    if (good && !is_same_for_all(team, sharing.trace))
        good = error_set(error, "%s: is another archive for some of the processes", path);
    if (good)
        summary = search(&sharing, listener, error);
    if (sharing.trace)
        trace_close(sharing.trace);
    free(sharing.owners);
    free(sharing.selected);
    return summary;
}
