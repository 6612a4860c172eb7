/* Where what patterns find ends up.  See engine.h. */
#include "replay/engine.h"

#include "replay/list.h"

/* Whether METRIC is part of another that a pattern has found. */
static bool refines(const struct replay *replay, uint32_t metric)
{
    const uint32_t parent = replay->metrics[metric].parent;
    return parent != REPLAY_NONE && parent >= METRIC_COUNT;
}

/* A call has one wait, the longest of all: what it waits for else has come by then. */
static void keep_wait(struct call *call, uint32_t metric,
                      const struct tsprof_severity *severity)
{
    struct replay_wait *wait = &call->wait;
    if (severity->amount <= wait->ns)
        return;
    *wait = (struct replay_wait){.begin_ns = call->view.enter.time_ns,
                                 .ns = severity->amount,
                                 .metric = metric,
                                 .path = call->view.enter.path,
                                 .cause_path = severity->cause.path,
                                 .cause_thread = severity->cause.thread,
                                 .cause_ns = severity->cause.time_ns};
    call->detail_count = 0;
}

static void keep_completion(struct call *call, uint32_t metric, uint64_t ns)
{
    if (ns > call->completion.ns)
        call->completion = (struct found_time){metric, ns};
}

/* Whether METRIC is part of the wait that was kept, perhaps of a part of it. */
static bool is_of_wait(const struct replay *replay, const struct call *call, uint32_t metric)
{
    while (metric != call->wait.metric && refines(replay, metric))
        metric = replay->metrics[metric].parent;
    return call->wait.ns > 0 && metric == call->wait.metric;
}

/* Takes AMOUNT from what METRIC is part of, so that values remain exclusive. */
static void add_detail(struct replay *replay, uint32_t path, uint32_t metric, uint64_t amount)
{
    const uint32_t parent = replay->metrics[metric].parent;
    const int64_t most = paths_value(&replay->paths, path, parent);
    const int64_t value = (int64_t)amount < most ? (int64_t)amount : most;
    paths_add(&replay->paths, path, metric, value);
    paths_add(&replay->paths, path, parent, -value);
}

static void tell(struct replay *replay, const struct call *call, uint32_t metric, uint64_t ns,
                 struct tsprof_point cause)
{
    patterns_severity(
        replay, metric,
        (struct tsprof_finding){
            .call = &call->view, .path = call->view.enter.path, .amount = ns, .cause = cause});
}

static void tell_of_path(struct replay *replay, uint32_t metric,
                         const struct tsprof_severity *severity)
{
    patterns_severity(replay, metric,
                      (struct tsprof_finding){
                          .call = severity->call,
                          .path = severity->call ? severity->call->enter.path : severity->path,
                          .amount = severity->amount,
                          .cause = {.path = TSPROF_NONE}});
}

static void publish_detail(struct replay *replay, uint32_t metric,
                           const struct tsprof_severity *severity)
{
    struct call *call = (struct call *)(void *)(uintptr_t)severity->call;
    if (!call) {
        add_detail(replay, severity->path, metric, severity->amount);
        tell_of_path(replay, metric, severity);
    } else if (is_of_wait(replay, call, metric) && call->detail_count < DETAILS_MOST)
        call->details[call->detail_count++] = (struct found_time){metric, severity->amount};
}

/* Counts, and times that stand beside the time of all, are taken from nothing. */
static bool is_apart(const struct replay_metric *metric)
{
    return metric->unit != UNIT_seconds || metric->parent == REPLAY_NONE;
}

void publish(struct tsprof_analysis *analysis, const struct tsprof_severity *severity)
{
    struct replay *replay = analysis->replay;
    struct call *call = (struct call *)(void *)(uintptr_t)severity->call;
    const uint32_t metric = analysis->first_metric + severity->metric;
    const uint32_t path = call ? call->view.enter.path : severity->path;
    if (call && call->is_foreign)
        return;
    if (metric >= replay->metrics_count || path >= replay->paths.list_count)
        return;
    if (is_apart(&replay->metrics[metric])) {
        paths_add(&replay->paths, path, metric, (int64_t)severity->amount);
        tell_of_path(replay, metric, severity);
    } else if (refines(replay, metric))
        publish_detail(replay, metric, severity);
    else if (call && severity->cause.path == TSPROF_NONE)
        keep_completion(call, metric, severity->amount);
    else if (call)
        keep_wait(call, metric, severity);
}

/* Moves NS at most from PATH's own time to METRIC; returns how many. */
static uint64_t move_time(struct replay *replay, uint32_t path, uint32_t metric, uint64_t ns)
{
    struct path *of = &replay->paths.list[path];
    const uint64_t own = of->time_ns > 0 ? (uint64_t)of->time_ns : 0;
    const uint64_t moved = ns < own ? ns : own;
    of->time_ns -= (int64_t)moved;
    paths_add(&replay->paths, path, metric, (int64_t)moved);
    return moved;
}

/* Patterns that refine the wait publish what they find of it while they are told. */
static void publish_wait(struct replay *replay, const struct call *call,
                         const struct replay_wait *wait)
{
    static const struct tsprof_point nobody = {.path = TSPROF_NONE};
    tell(replay, call, wait->metric, wait->ns,
         (struct tsprof_point){wait->cause_thread, wait->cause_path, wait->cause_ns});
    for (unsigned i = 0; i < call->detail_count; i++) {
        add_detail(replay, call->view.enter.path, call->details[i].metric, call->details[i].ns);
        tell(replay, call, call->details[i].metric, call->details[i].ns, nobody);
    }
    if (LIST_RESERVE(replay->waits))
        replay->waits[replay->waits_count++] = *wait;
    else
        replay->failed = true;
}

void publish_call(struct replay *replay, const struct call *call)
{
    const uint32_t path = call->view.enter.path;
    uint64_t rest = call->view.leave_ns - call->view.enter.time_ns;
    struct replay_wait wait = call->wait;
    if (wait.ns > 0) {
        wait.ns = move_time(replay, path, wait.metric, wait.ns < rest ? wait.ns : rest);
        rest -= wait.ns;
        publish_wait(replay, call, &wait);
    }
    const uint64_t ns = call->completion.ns < rest ? call->completion.ns : rest;
    if (ns > 0) {
        move_time(replay, path, call->completion.metric, ns);
        tell(replay, call, call->completion.metric, ns,
             (struct tsprof_point){.path = TSPROF_NONE});
    }
}

void publish_count(struct replay *replay, uint32_t thread, enum metric metric, int64_t value)
{
    const struct tsprof_point at = calls_point(replay, thread, 0);
    if (share_is_ahead(replay))
        return;
    paths_add(&replay->paths, at.path, (uint32_t)metric, value);
}

int replay_wait_compare(const struct replay_wait *one, const struct replay_wait *other)
{
    if (one->metric != other->metric)
        return one->metric < other->metric ? -1 : 1;
    if (one->ns != other->ns)
        return one->ns > other->ns ? -1 : 1;
    if (one->begin_ns != other->begin_ns)
        return one->begin_ns < other->begin_ns ? -1 : 1;
    return one->path < other->path ? -1 : one->path > other->path;
}
