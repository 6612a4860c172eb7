/*
 * Which MPI_Win_post belongs to which MPI_Win_start, and which MPI_Win_complete to which
 * MPI_Win_wait: for each window and pair of processes the Nth to the Nth.  An epoch is told of
 * when all its partners are known and its last call has been left.  See engine.h.
 */
#include "replay/engine.h"

#include "replay/hash.h"
#include "replay/list.h"

/* An epoch that is open, or waits for its partners. */
struct epoch {
    uint32_t window, process;
    bool is_exposure;
    struct call **calls; /* all held */
    size_t calls_count, calls_room;
    uint32_t *targets; /* by call */
    size_t targets_count, targets_room;
    struct tsprof_partner *partners;
    size_t partners_count, partners_room;
    size_t known; /* partners that have been found */
    bool is_ended;
    uint64_t last_ns;            /* when the last call before the one that ends it was left */
    struct epoch *next_open;     /* of the process */
    struct epoch *newer, *older; /* of all */
};

/* That an epoch begins or ends, from the one who tells it or, as EPOCH, the one who waits for
 * it. */
struct signal {
    struct tsprof_point point;
    bool is_used;        /* of an end of accesses, as its partner has them */
    uint64_t last_ns;    /* likewise */
    struct epoch *epoch; /* of the one who hears it */
    size_t partner;
    struct signal *next;
};

struct signal_channel {
    uint32_t window, from, to;
    bool ends; /* of accesses, rather than beginnings */
    struct signal *sent, *last_sent, *awaited, *last_awaited;
};

struct epochs {
    struct signal_channel *channels;
    size_t channels_count, channels_room;
    struct index index;
    struct pool signals, pool;
    struct epoch **open; /* by process: accesses that have not ended */
    struct epoch *newest;
};

struct epochs *epochs_create(const struct replay_world *world)
{
    struct epochs *epochs = calloc(1, sizeof *epochs);
    if (!epochs)
        return NULL;
    epochs->signals.size = sizeof(struct signal);
    epochs->pool.size = sizeof(struct epoch);
    epochs->open = calloc(world->process_count + 1, sizeof(struct epoch *));
    if (epochs->open)
        return epochs;
    free(epochs);
    return NULL;
}

static void free_lists(const struct epoch *epoch)
{
    free(epoch->calls);
    free(epoch->targets);
    free(epoch->partners);
}

void epochs_free(struct epochs *epochs)
{
    if (!epochs)
        return;
    for (const struct epoch *epoch = epochs->newest; epoch; epoch = epoch->older)
        free_lists(epoch);
    free(epochs->channels);
    free(epochs->open);
    index_free(&epochs->index);
    items_free(&epochs->signals);
    items_free(&epochs->pool);
    free(epochs);
}

struct sought {
    const struct epochs *epochs;
    struct signal_channel channel;
};

static bool is_same_channel(const void *context, uint32_t number)
{
    const struct sought *sought = context;
    const struct signal_channel *one = &sought->epochs->channels[number],
                                *other = &sought->channel;
    return one->window == other->window && one->from == other->from && one->to == other->to &&
           one->ends == other->ends;
}

static struct signal_channel *find_channel(struct replay *replay,
                                           const struct signal_channel *channel)
{
    struct epochs *epochs = replay->epochs;
    const struct sought sought = {epochs, *channel};
    const uint64_t hash = hash_mix((uint64_t)channel->window << 1 | channel->ends,
                                   (uint64_t)channel->from << 32 | channel->to);
    if (!LIST_RESERVE(epochs->channels) ||
        !index_reserve(&epochs->index, epochs->channels_count + 1)) {
        replay->failed = true;
        return NULL;
    }
    uint32_t *slot = index_slot(&epochs->index, hash, is_same_channel, &sought);
    if (*slot == 0) {
        epochs->channels[epochs->channels_count++] = *channel;
        *slot = (uint32_t)epochs->channels_count;
    }
    return &epochs->channels[*slot - 1];
}

static void free_epoch(struct replay *replay, struct epoch *epoch)
{
    if (epoch->newer)
        epoch->newer->older = epoch->older;
    else
        replay->epochs->newest = epoch->older;
    if (epoch->older)
        epoch->older->newer = epoch->newer;
    for (size_t i = 0; i < epoch->calls_count; i++)
        call_release(replay, epoch->calls[i]);
    free_lists(epoch);
    items_give(&replay->epochs->pool, epoch);
}

/* CALL has synchronized with those partners for whom it waited: others were ready before. */
static void note_syncs(struct replay *replay, const struct epoch *epoch,
                       const struct tsprof_call *call)
{
    for (size_t i = 0; i < epoch->partners_count; i++) {
        const struct tsprof_point ready = epoch->partners[i].ready;
        if (ready.path != REPLAY_NONE && calls_is_within(call, ready.time_ns))
            replay->failed |= !calls_note_pair(replay, call, ready);
    }
}

/* Tells of EPOCH if all is known of it. */
static void try_to_tell(struct replay *replay, struct epoch *epoch)
{
    if (!epoch->is_ended || epoch->known < epoch->partners_count)
        return;
    const struct tsprof_call **calls =
        calloc(epoch->calls_count + 1, sizeof(struct tsprof_call *));
    replay->failed |= !calls;
    for (size_t i = 0; calls && i < epoch->calls_count; i++)
        calls[i] = &epoch->calls[i]->view;
    const struct tsprof_epoch view = {.window = epoch->window,
                                      .process = epoch->process,
                                      .is_exposure = epoch->is_exposure,
                                      .calls = calls,
                                      .targets = epoch->targets,
                                      .call_count = epoch->calls_count,
                                      .partners = epoch->partners,
                                      .partner_count = epoch->partners_count};
    if (calls && epoch->calls_count > 0) {
        patterns_epoch(replay, &view);
        if (!epoch->is_exposure)
            note_syncs(replay, epoch, calls[0]);
        note_syncs(replay, epoch, calls[epoch->calls_count - 1]);
    }
    free(calls);
    free_epoch(replay, epoch);
}

static void meet(struct replay *replay, const struct signal *sent, const struct signal *awaited)
{
    struct tsprof_partner *partner = &awaited->epoch->partners[awaited->partner];
    partner->ready = sent->point;
    if (awaited->epoch->is_exposure) {
        partner->is_used = sent->is_used;
        partner->last_ns = sent->last_ns;
    }
    awaited->epoch->known++;
    try_to_tell(replay, awaited->epoch);
}

static void append(struct signal **first, struct signal **last, struct signal *sent)
{
    if (*first)
        (*last)->next = sent;
    else
        *first = sent;
    *last = sent;
}

static void tell_signal(struct replay *replay, const struct signal_channel *on,
                        const struct signal *sent)
{
    share_tell(replay, on->to,
               &(struct foreign){.kind = FOREIGN_SIGNAL,
                                 .signal = {.point = sent->point,
                                            .last_ns = sent->last_ns,
                                            .window = on->window,
                                            .from = on->from,
                                            .to = on->to,
                                            .ends = on->ends,
                                            .is_used = sent->is_used}});
}

/* A signal that is sent (IS_AWAITED: waited for) is matched with its other side, or kept. */
static void pass(struct replay *replay, const struct signal_channel *on,
                 const struct signal *sent, bool is_awaited)
{
    const bool is_for_others = !share_has(replay, on->to);
    if (share_is_ahead(replay) && is_for_others && !is_awaited)
        tell_signal(replay, on, sent);
    /* Those who wait know of both sides. */
    if (share_is_ahead(replay) || is_for_others)
        return;
    struct signal_channel *channel = find_channel(replay, on);
    struct signal *kept = channel ? items_take(&replay->epochs->signals) : NULL;
    replay->failed |= !kept;
    if (!kept)
        return;
    *kept = *sent;
    if (is_awaited)
        append(&channel->awaited, &channel->last_awaited, kept);
    else
        append(&channel->sent, &channel->last_sent, kept);
    if (!channel->awaited || !channel->sent)
        return;
    struct signal one = *channel->sent, other = *channel->awaited;
    items_give(&replay->epochs->signals, channel->sent);
    items_give(&replay->epochs->signals, channel->awaited);
    channel->sent = one.next;
    channel->awaited = other.next;
    meet(replay, &one, &other);
}

static struct epoch *open_epoch(struct replay *replay, const struct replay_event *event,
                                bool is_exposure)
{
    struct epoch *epoch = items_take(&replay->epochs->pool);
    replay->failed |= !epoch;
    if (!epoch)
        return NULL;
    epoch->window = event->window;
    epoch->process = replay->world->processes[event->thread];
    epoch->is_exposure = is_exposure;
    epoch->older = replay->epochs->newest;
    if (epoch->older)
        epoch->older->newer = epoch;
    replay->epochs->newest = epoch;
    return epoch;
}

/* The access of a process to WINDOW that has not ended; NULL: none. */
static struct epoch **find_open(struct replay *replay, uint32_t process, uint32_t window)
{
    struct epoch **at = &replay->epochs->open[process];
    while (*at && (*at)->window != window)
        at = &(*at)->next_open;
    return at;
}

bool epochs_is_open(const struct replay *replay, uint32_t process, uint32_t window)
{
    const struct epoch *epoch = replay->epochs->open[process];
    while (epoch && epoch->window != window)
        epoch = epoch->next_open;
    return epoch != NULL;
}

static void add_call(struct replay *replay, struct epoch *epoch, struct call *call,
                     uint32_t target)
{
    if (!LIST_RESERVE(epoch->calls) || !LIST_RESERVE(epoch->targets)) {
        replay->failed = true;
        return;
    }
    call_hold(call);
    epoch->calls[epoch->calls_count++] = call;
    epoch->targets[epoch->targets_count++] = target;
}

static bool add_partner(struct replay *replay, struct epoch *epoch, uint32_t process)
{
    if (!LIST_RESERVE(epoch->partners)) {
        replay->failed = true;
        return false;
    }
    epoch->partners[epoch->partners_count++] =
        (struct tsprof_partner){.process = process, .ready = {.path = TSPROF_NONE}};
    return true;
}

static void take_start(struct replay *replay, const struct replay_event *event,
                       struct call *call)
{
    const uint32_t process = replay->world->processes[event->thread];
    struct epoch *epoch = *find_open(replay, process, event->window);
    /* All partners of a call are of one epoch. */
    if (!epoch || epoch->calls[0] != call) {
        epoch = open_epoch(replay, event, false);
        if (!epoch)
            return;
        epoch->next_open = replay->epochs->open[process];
        replay->epochs->open[process] = epoch;
        add_call(replay, epoch, call, REPLAY_NONE);
    }
    if (add_partner(replay, epoch, event->peer))
        pass(replay,
             &(struct signal_channel){
                 .window = event->window, .from = event->peer, .to = process},
             &(struct signal){.epoch = epoch, .partner = epoch->partners_count - 1}, true);
}

static const struct tsprof_partner *partner_in(const struct epoch *epoch, uint32_t process)
{
    for (size_t i = 0; epoch && i < epoch->partners_count; i++)
        if (epoch->partners[i].process == process)
            return &epoch->partners[i];
    return NULL;
}

/* The access that CALL ends, if its beginning was seen. */
static struct epoch *end_access(struct replay *replay, const struct replay_event *event,
                                struct call *call)
{
    struct epoch **at =
        find_open(replay, replay->world->processes[event->thread], event->window);
    struct epoch *epoch = *at;
    if (call->ends_epoch || !epoch)
        return call->ends_epoch;
    *at = epoch->next_open;
    epoch->last_ns = epoch->calls[epoch->calls_count - 1]->view.leave_ns;
    add_call(replay, epoch, call, REPLAY_NONE);
    call->ends_epoch = epoch;
    return epoch;
}

static void take_complete(struct replay *replay, const struct replay_event *event,
                          struct call *call)
{
    const struct epoch *epoch = end_access(replay, event, call);
    const struct tsprof_partner *partner = partner_in(epoch, event->peer);
    pass(replay,
         &(struct signal_channel){.window = event->window,
                                  .from = replay->world->processes[event->thread],
                                  .to = event->peer,
                                  .ends = true},
         &(struct signal){.point = call->view.enter,
                          .is_used = partner && partner->is_used,
                          .last_ns = epoch ? epoch->last_ns : 0},
         false);
}

static void take_wait(struct replay *replay, const struct replay_event *event,
                      struct call *call)
{
    struct epoch *epoch = call->ends_epoch;
    if (!epoch) {
        epoch = open_epoch(replay, event, true);
        if (!epoch)
            return;
        add_call(replay, epoch, call, REPLAY_NONE);
        call->ends_epoch = epoch;
    }
    if (add_partner(replay, epoch, event->peer))
        pass(replay,
             &(struct signal_channel){.window = event->window,
                                      .from = event->peer,
                                      .to = replay->world->processes[event->thread],
                                      .ends = true},
             &(struct signal){.epoch = epoch, .partner = epoch->partners_count - 1}, true);
}

void epochs_left(struct replay *replay, struct call *call)
{
    struct epoch *epoch = call->ends_epoch;
    if (!epoch)
        return;
    call->ends_epoch = NULL;
    epoch->is_ended = true;
    if (share_is_ahead(replay))
        free_epoch(replay, epoch);
    else
        try_to_tell(replay, epoch);
}

void epochs_take_signal(struct replay *replay, const struct foreign_signal *signal)
{
    pass(replay,
         &(struct signal_channel){.window = signal->window,
                                  .from = signal->from,
                                  .to = signal->to,
                                  .ends = signal->ends},
         &(struct signal){
             .point = signal->point, .is_used = signal->is_used, .last_ns = signal->last_ns},
         false);
}

static void take_transfer(struct replay *replay, const struct replay_event *event,
                          struct call *call)
{
    const uint32_t process = replay->world->processes[event->thread];
    struct epoch *epoch = *find_open(replay, process, event->window);
    if (!epoch || !partner_in(epoch, event->peer))
        return;
    if (epoch->calls[epoch->calls_count - 1] != call)
        add_call(replay, epoch, call, event->peer);
    for (size_t i = 0; i < epoch->partners_count; i++)
        if (epoch->partners[i].process == event->peer)
            epoch->partners[i].is_used = true;
}

void epochs_take(struct replay *replay, const struct replay_event *event)
{
    struct call *call = calls_current(replay, event->thread);
    if (!call || event->window == REPLAY_NONE || event->peer == REPLAY_NONE)
        return;
    if (event->kind != REPLAY_NOTIFY_IN && event->kind != REPLAY_NOTIFY_OUT) {
        take_transfer(replay, event, call);
        return;
    }
    switch (replay->world->regions[call->view.region].role) {
    case ROLE_POST:
        pass(replay,
             &(struct signal_channel){.window = event->window,
                                      .from = replay->world->processes[event->thread],
                                      .to = event->peer},
             &(struct signal){.point = call->view.enter}, false);
        break;
    case ROLE_START:
        take_start(replay, event, call);
        break;
    case ROLE_COMPLETE:
        take_complete(replay, event, call);
        break;
    case ROLE_WAIT:
        take_wait(replay, event, call);
        break;
    default:
        break;
    }
}

void epochs_end(struct replay *replay)
{
    while (replay->epochs->newest)
        free_epoch(replay, replay->epochs->newest);
}
