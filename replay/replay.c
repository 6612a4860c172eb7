/* Takes in events and hands them on.  See replay.h. */
#include "replay/causes.h"
#include "replay/engine.h"

#include "replay/list.h"

#include <stdlib.h>

static bool start(struct replay *replay)
{
    const struct replay_world *world = replay->world;
    replay->calls.size = sizeof(struct call);
    replay->message_pool.size = sizeof(struct message);
    replay->membership_pool.size = sizeof(struct membership);
    replay->collective_pool.size = collective_bytes;
    replay->threads = calloc(world->thread_count + 1, sizeof *replay->threads);
    replay->messages = matching_create(world);
    replay->collectives = collectives_create(world);
    replay->syncs = syncs_create(world->thread_count);
    replay->fences = fences_create(world);
    replay->epochs = epochs_create(world);
    replay->locks = locks_create(world);
    replay->sources = sources_create();
    replay->lockeds.size = locked_bytes;
    for (size_t i = 0; replay->threads && i < world->thread_count; i++)
        replay->threads[i].root = REPLAY_NONE;
    return replay->threads && replay->messages && replay->collectives && replay->syncs &&
           replay->fences && replay->epochs && replay->locks && replay->sources &&
           paths_start(&replay->paths) && (share_is_ahead(replay) || patterns_begin(replay));
}

struct replay *replay_create(const struct replay_world *world)
{
    return replay_create_shared(world, NULL);
}

struct replay *replay_create_shared(const struct replay_world *world,
                                    const struct replay_share *share)
{
    struct replay *replay = calloc(1, sizeof *replay);
    if (!replay)
        return NULL;
    replay->world = world;
    replay->share = share;
    if (start(replay))
        return replay;
    /* Nobody else comes to what the patterns exchange at their end. */
    replay->share = NULL;
    replay_free(replay);
    return NULL;
}

void replay_free(struct replay *replay)
{
    if (!replay)
        return;
    patterns_end(replay);
    matching_free(replay->messages);
    collectives_free(replay->collectives);
    syncs_free(replay->syncs);
    fences_free(replay->fences);
    epochs_free(replay->epochs);
    locks_free(replay->locks);
    sources_free(replay->sources);
    share_free(replay);
    items_free(&replay->lockeds);
    for (size_t i = 0; replay->threads && i < replay->world->thread_count; i++) {
        free(replay->threads[i].frames);
        free(replay->threads[i].stays);
    }
    free(replay->threads);
    paths_free(&replay->paths);
    pairs_free(&replay->pairs);
    items_free(&replay->calls);
    items_free(&replay->message_pool);
    items_free(&replay->membership_pool);
    items_free(&replay->collective_pool);
    free(replay->metrics);
    free(replay->listeners);
    free(replay->callees);
    free(replay->waits);
    free(replay);
}

/* A metric for operations that move nothing, and one for those that do. */
struct counted {
    enum metric empty, full, bytes;
};

static void count(struct replay *replay, const struct replay_event *event,
                  struct counted counted, uint64_t bytes)
{
    publish_count(replay, event->thread, bytes ? counted.full : counted.empty, 1);
    publish_count(replay, event->thread, counted.bytes, (int64_t)bytes);
}

static void count_file(struct replay *replay, const struct replay_event *event)
{
    publish_count(replay, event->thread, event->writes ? METRIC_io_writes : METRIC_io_reads, 1);
    publish_count(replay, event->thread, METRIC_bytes_io_written, (int64_t)event->bytes);
    publish_count(replay, event->thread, METRIC_bytes_io_read, (int64_t)event->bytes_received);
}

static void count_collective(struct replay *replay, const struct replay_event *event)
{
    if (event->operation == TSPROF_FILE_OPERATION) {
        count_file(replay, event);
        return;
    }
    const bool is_barrier = event->operation == TSPROF_BARRIER;
    publish_count(replay, event->thread, is_barrier ? METRIC_syncs_coll : METRIC_comms_coll, 1);
    publish_count(replay, event->thread, METRIC_bytes_coll_out, (int64_t)event->bytes);
    publish_count(replay, event->thread, METRIC_bytes_coll_in, (int64_t)event->bytes_received);
}

static const struct counted sent_counts = {METRIC_syncs_send, METRIC_comms_send,
                                           METRIC_bytes_sent};
static const struct counted received_counts = {METRIC_syncs_recv, METRIC_comms_recv,
                                               METRIC_bytes_rcvd};
static const struct counted put_counts = {METRIC_comms_put, METRIC_comms_put, METRIC_bytes_put};
static const struct counted get_counts = {METRIC_comms_get, METRIC_comms_get, METRIC_bytes_get};

static void count_transfer(struct replay *replay, const struct replay_event *event)
{
    switch (event->kind) {
    case REPLAY_PUT:
        count(replay, event, put_counts, event->bytes);
        break;
    case REPLAY_GET:
        count(replay, event, get_counts, event->bytes);
        break;
    default:
        publish_count(replay, event->thread, METRIC_comms_atomic, 1);
        publish_count(replay, event->thread, METRIC_bytes_put, (int64_t)event->bytes);
        publish_count(replay, event->thread, METRIC_bytes_get, (int64_t)event->bytes_received);
        break;
    }
}

static void take_transfer(struct replay *replay, const struct replay_event *event)
{
    count_transfer(replay, event);
    fences_take(replay, event);
    epochs_take(replay, event);
    locks_take(replay, event);
}

static void take(struct replay *replay, const struct replay_event *event)
{
    switch (event->kind) {
    case REPLAY_ENTER:
        calls_enter(replay, event);
        break;
    case REPLAY_LEAVE:
        calls_leave(replay, event);
        break;
    case REPLAY_SEND:
        count(replay, event, sent_counts, event->bytes);
        matching_take(replay, event);
        break;
    case REPLAY_RECEIVE:
        count(replay, event, received_counts, event->bytes);
        matching_take(replay, event);
        break;
    case REPLAY_SENT:
    case REPLAY_POST:
    case REPLAY_CANCEL:
        matching_take(replay, event);
        break;
    case REPLAY_COLLECT:
        count_collective(replay, event);
        collectives_take(replay, event);
        break;
    case REPLAY_FILE:
        count_file(replay, event);
        break;
    case REPLAY_POST_COLLECT:
    case REPLAY_WINDOW_CREATE:
    case REPLAY_WINDOW_FREE:
    case REPLAY_WINDOW_FENCE:
        collectives_take(replay, event);
        break;
    case REPLAY_PUT:
    case REPLAY_GET:
    case REPLAY_ATOMIC:
        take_transfer(replay, event);
        break;
    case REPLAY_NOTIFY_OUT:
    case REPLAY_NOTIFY_IN:
        epochs_take(replay, event);
        break;
    case REPLAY_LOCK:
    case REPLAY_UNLOCK:
    case REPLAY_FLUSH:
        locks_take(replay, event);
        break;
    case REPLAY_OFF:
        matching_off(replay, event);
        fences_off(replay, event);
        collectives_off(replay, event);
        calls_off(replay, event);
        break;
    }
}

bool replay_take(struct replay *replay, const struct replay_event *event)
{
    if (replay->failed || event->thread >= replay->world->thread_count)
        return !replay->failed;
    replay->events++;
    take(replay, event);
    replay->failed |= replay->paths.failed;
    return !replay->failed;
}

bool replay_stay(struct replay *replay, const struct replay_stay *seen)
{
    if (replay->failed || seen->thread >= replay->world->thread_count)
        return !replay->failed;
    calls_stay(replay, seen);
    replay->failed |= replay->paths.failed;
    return !replay->failed;
}

bool replay_source(struct replay *replay, uint32_t comm, uint32_t process, uint32_t source)
{
    if (replay->failed || comm >= replay->world->comm_count ||
        process >= replay->world->process_count ||
        (source != REPLAY_NONE && source >= replay->world->process_count))
        return !replay->failed;
    replay->failed = !sources_add(replay->sources, comm, process, source);
    return !replay->failed;
}

bool replay_end(struct replay *replay)
{
    if (replay->failed)
        return false;
    for (uint32_t i = 0; i < replay->world->thread_count; i++)
        matching_end_thread(replay, i);
    matching_end(replay);
    fences_end(replay);
    for (uint32_t i = 0; i < replay->world->process_count; i++)
        collectives_end_process(replay, i);
    collectives_end(replay);
    epochs_end(replay);
    patterns_end(replay);
    if (!replay->failed)
        causes_find(replay);
    replay->failed |= replay->paths.failed;
    return !replay->failed;
}

void replay_result(const struct replay *replay, struct replay_result *result)
{
    *result = (struct replay_result){.metrics = replay->metrics,
                                     .metric_count = replay->metrics_count,
                                     .nodes = replay->paths.nodes,
                                     .node_count = replay->paths.nodes_count,
                                     .paths = replay->paths.list,
                                     .path_count = replay->paths.list_count,
                                     .values = replay->paths.values,
                                     .waits = replay->waits,
                                     .wait_count = replay->waits_count,
                                     .pairs = replay->pairs.list,
                                     .pair_count = replay->pairs.list_count,
                                     .reasons = replay->pairs.reasons,
                                     .events = replay->events,
                                     .unmatched_sends = replay->unmatched_sends,
                                     .unmatched_receives = replay->unmatched_receives};
}
