/*
 * Which send each receive belongs to, by MPI's rule: of messages with the same communicator,
 * tag and processes, the first that was sent goes to the first receive that was posted.
 * Receives complete in any order, so one is matched when all that were posted before it have
 * completed or been cancelled.  See engine.h.
 */
#include "replay/engine.h"

#include "replay/hash.h"
#include "replay/list.h"

#include <string.h>

/* So many receives of a thread wait for one that was posted before them; then it is taken for
 * one that gets no message, such as a request that is kept open for the whole run. */
enum { MOST_HELD = 4096 };

/* A receive that has ended. */
struct arrival {
    struct tsprof_point start;
    struct call *call; /* in which; NULL: none that is known */
    uint64_t bytes;
    uint64_t off_ns; /* when recording last paused before */
    uint32_t peer, comm, tag, process;
    struct arrival *next; /* in its channel */
};

/* Messages between two processes with one tag. */
struct channel {
    uint32_t comm, from, to, tag;
    struct message *first, *last;       /* sent, not received */
    struct arrival *first_in, *last_in; /* received, not sent */
};

/* A receive that was posted, in the order of posting. */
struct posted {
    enum { POSTED_OPEN, POSTED_DONE, POSTED_CANCELLED } state;
    uint64_t request;
    struct arrival arrival;
};

/* The receives of a thread that are not matched yet, and its sends that are not complete. */
struct receiver {
    struct posted *list;
    size_t first, count, room;
    struct message *sends;
    struct call *probe; /* of MPI_Mprobe, whose message has not been received; held */
};

struct matching {
    struct channel *channels;
    size_t channels_count, channels_room;
    struct index index;
    struct receiver *receivers;          /* by thread */
    uint64_t *off_ns;                    /* by process: when recording last paused */
    struct message **oldest, **youngest; /* by process: sent to it, not received */
    struct pool arrivals;
    size_t threads;
};

struct matching *matching_create(const struct replay_world *world)
{
    struct matching *messages = calloc(1, sizeof *messages);
    if (!messages)
        return NULL;
    messages->threads = world->thread_count;
    messages->arrivals.size = sizeof(struct arrival);
    messages->receivers = calloc(world->thread_count + 1, sizeof *messages->receivers);
    messages->off_ns = calloc(world->process_count + 1, sizeof *messages->off_ns);
    messages->oldest = calloc(world->process_count + 1, sizeof *messages->oldest);
    messages->youngest = calloc(world->process_count + 1, sizeof *messages->youngest);
    if (messages->receivers && messages->off_ns && messages->oldest && messages->youngest)
        return messages;
    matching_free(messages);
    return NULL;
}

void matching_free(struct matching *messages)
{
    if (!messages)
        return;
    for (size_t i = 0; messages->receivers && i < messages->threads; i++)
        free(messages->receivers[i].list);
    free(messages->receivers);
    free(messages->off_ns);
    free(messages->oldest);
    free(messages->youngest);
    free(messages->channels);
    index_free(&messages->index);
    items_free(&messages->arrivals);
    free(messages);
}

struct sought {
    const struct matching *messages;
    uint32_t comm, from, to, tag;
};

static bool is_same_channel(const void *context, uint32_t number)
{
    const struct sought *sought = context;
    const struct channel *one = &sought->messages->channels[number];
    return one->comm == sought->comm && one->from == sought->from && one->to == sought->to &&
           one->tag == sought->tag;
}

static struct channel *find_channel(struct replay *replay, uint32_t comm, uint32_t from,
                                    uint32_t to, uint32_t tag)
{
    struct matching *messages = replay->messages;
    const struct sought sought = {messages, comm, from, to, tag};
    const uint64_t hash = hash_mix((uint64_t)comm << 32 | tag, (uint64_t)from << 32 | to);
    if (!LIST_RESERVE(messages->channels) ||
        !index_reserve(&messages->index, messages->channels_count + 1)) {
        replay->failed = true;
        return NULL;
    }
    uint32_t *slot = index_slot(&messages->index, hash, is_same_channel, &sought);
    if (*slot == 0) {
        messages->channels[messages->channels_count++] =
            (struct channel){.comm = comm, .from = from, .to = to, .tag = tag};
        *slot = (uint32_t)messages->channels_count;
    }
    return &messages->channels[*slot - 1];
}

/*
 * Lists MESSAGE among those to its process that are not received, in the order in which the
 * calls that send them were entered.  Events come nearly in that order.
 */
static void await(struct matching *messages, struct message *message)
{
    struct message **oldest = &messages->oldest[message->to],
                   **youngest = &messages->youngest[message->to], *older = *youngest;
    while (older && older->view.order > message->view.order)
        older = older->older;
    message->older = older;
    message->younger = older ? older->younger : *oldest;
    *(older ? &older->younger : oldest) = message;
    *(message->younger ? &message->younger->older : youngest) = message;
}

static void await_no_more(struct matching *messages, struct message *message)
{
    if (message->older)
        message->older->younger = message->younger;
    else
        messages->oldest[message->to] = message->younger;
    if (message->younger)
        message->younger->older = message->older;
    else
        messages->youngest[message->to] = message->older;
}

static struct message *message_of(const struct tsprof_message *view)
{
    return (struct message *)(void *)(uintptr_t)view;
}

static void tell_end(struct replay *replay, struct message *message)
{
    if (--message->ends == 0)
        items_give(&replay->message_pool, message);
}

/* The send of a matched LETTER has ended in its call. */
static void attach_sent(struct replay *replay, struct message *message)
{
    struct call *call = message->sent_in;
    message->view.next_sent = call->view.sent;
    call->view.sent = &message->view;
    call_release(replay, call);
}

static void match(struct replay *replay, struct message *message, const struct arrival *arrival)
{
    const bool is_complete = message->sent_in != NULL;
    message->state = MESSAGE_MATCHED;
    message->view.receive = arrival->start;
    message->view.bytes = arrival->bytes;
    /* What holds the message until its two ends are told. */
    struct call *receiver = arrival->call;
    if (receiver) {
        message->view.next_arrived = receiver->view.arrived;
        receiver->view.arrived = &message->view;
    } else {
        await_no_more(replay->messages, message);
        tell_end(replay, message);
    }
    if (is_complete)
        attach_sent(replay, message);
    if (receiver)
        call_release(replay, receiver);
}

/* A message that was received, and of which that is not known. */
static void drop_sent(struct replay *replay, struct channel *channel)
{
    struct message *message = channel->first;
    channel->first = message->next;
    await_no_more(replay->messages, message);
    replay->unmatched_sends += share_has(replay, message->view.from);
    message->state = MESSAGE_LOST;
    message->ends--; /* of its receiver */
    if (message->sent_in) {
        call_release(replay, message->sent_in);
        tell_end(replay, message);
    } else if (message->ends == 0) {
        items_give(&replay->message_pool, message);
    }
}

/* What others need to know of a message that EVENT begins to send. */
static struct foreign_send send_of(const struct replay *replay,
                                   const struct replay_event *event)
{
    const struct call *call = calls_current(replay, event->thread);
    return (struct foreign_send){.point = calls_point(replay, event->thread, event->time_ns),
                                 .sent_ns = event->time_ns,
                                 .bytes = event->bytes,
                                 .from = replay->world->processes[event->thread],
                                 .to = event->peer,
                                 .comm = event->comm,
                                 .tag = event->tag,
                                 .is_buffered =
                                     call && replay->world->regions[call->view.region].role ==
                                                 ROLE_BUFFERED_SEND};
}

/* A message that begins to be sent; NULL if out of memory. */
static struct message *open_message(struct replay *replay, const struct foreign_send *send)
{
    struct message *message = items_take(&replay->message_pool);
    replay->failed |= !message;
    if (!message)
        return NULL;
    message->view = (struct tsprof_message){.send = send->point,
                                            .bytes = send->bytes,
                                            .from = send->from,
                                            .to = send->to,
                                            .is_buffered = send->is_buffered,
                                            .tag = send->tag,
                                            .comm = send->comm};
    message->view.order = message->view.send.time_ns;
    message->to = send->to;
    message->sent_ns = send->sent_ns;
    message->request = REPLAY_NO_REQUEST;
    message->ends = 2;
    await(replay->messages, message);
    return message;
}

/* The same of a process of one's own, by EVENT. */
static struct message *open_own(struct replay *replay, const struct replay_event *event,
                                const struct foreign_send *send)
{
    struct receiver *sender = &replay->messages->receivers[event->thread];
    struct message *message = open_message(replay, send);
    if (!message)
        return NULL;
    message->request = event->request;
    if (event->request != REPLAY_NO_REQUEST) {
        message->next_open = sender->sends;
        sender->sends = message;
        return message;
    }
    message->sent_in = calls_current(replay, event->thread);
    if (message->sent_in)
        call_hold(message->sent_in);
    else
        message->ends--;
    return message;
}

/* MESSAGE finds who has received it, or waits for that. */
static void offer(struct replay *replay, struct channel *channel, struct message *message)
{
    struct matching *messages = replay->messages;
    struct arrival *arrival = channel->first_in;
    if (arrival) {
        channel->first_in = arrival->next;
        match(replay, message, arrival);
        items_give(&messages->arrivals, arrival);
        return;
    }
    if (channel->first)
        channel->last->next = message;
    else
        channel->first = message;
    channel->last = message;
}

static struct channel *channel_of(struct replay *replay, const struct foreign_send *send)
{
    return find_channel(replay, send->comm, send->from, send->to, send->tag);
}

static void take_send(struct replay *replay, const struct replay_event *event)
{
    if (event->peer >= replay->world->process_count)
        return;
    const struct foreign_send send = send_of(replay, event);
    if (share_is_ahead(replay)) {
        share_tell(replay, send.to, &(struct foreign){.kind = FOREIGN_SEND, .send = send});
        return;
    }
    struct channel *channel = channel_of(replay, &send);
    struct message *message = channel ? open_own(replay, event, &send) : NULL;
    if (message)
        offer(replay, channel, message);
}

/* Of its sender's call nothing more will be known. */
void matching_take_send(struct replay *replay, const struct foreign_send *send)
{
    struct channel *channel = channel_of(replay, send);
    struct message *message = channel ? open_message(replay, send) : NULL;
    if (!message)
        return;
    message->ends--;
    offer(replay, channel, message);
}

/* The send of a request is complete. */
static void take_sent(struct replay *replay, const struct replay_event *event)
{
    struct message **at = &replay->messages->receivers[event->thread].sends;
    while (*at && (*at)->request != event->request)
        at = &(*at)->next_open;
    struct message *message = *at;
    if (!message)
        return;
    *at = message->next_open;
    message->sent_in = calls_current(replay, event->thread);
    if (!message->sent_in || message->state == MESSAGE_LOST) {
        message->sent_in = NULL;
        tell_end(replay, message);
        return;
    }
    call_hold(message->sent_in);
    if (message->state == MESSAGE_MATCHED)
        attach_sent(replay, message);
}

/* A receive that has ended finds its message, or waits for it. */
static void find_message(struct replay *replay, const struct arrival *arrival)
{
    struct matching *messages = replay->messages;
    struct channel *channel =
        arrival->peer < replay->world->process_count
            ? find_channel(replay, arrival->comm, arrival->peer, arrival->process, arrival->tag)
            : NULL;
    /* What was sent before the receiver paused, and not received until then, it received
     * without recording it. */
    while (channel && channel->first && channel->first->sent_ns < arrival->off_ns)
        drop_sent(replay, channel);
    if (channel && channel->first) {
        struct message *message = channel->first;
        channel->first = message->next;
        match(replay, message, arrival);
        return;
    }
    struct arrival *kept = channel ? items_take(&messages->arrivals) : NULL;
    if (!kept) {
        replay->failed |= channel != NULL;
        if (arrival->call)
            call_release(replay, arrival->call);
        return;
    }
    *kept = *arrival;
    if (channel->first_in)
        channel->last_in->next = kept;
    else
        channel->first_in = kept;
    channel->last_in = kept;
}

static void take_arrival(struct replay *replay, const struct arrival *arrival)
{
    if (!share_is_ahead(replay)) {
        find_message(replay, arrival);
        return;
    }
    const struct foreign what = {.kind = FOREIGN_ARRIVAL,
                                 .arrival = {.start = arrival->start,
                                             .bytes = arrival->bytes,
                                             .off_ns = arrival->off_ns,
                                             .peer = arrival->peer,
                                             .comm = arrival->comm,
                                             .tag = arrival->tag,
                                             .process = arrival->process}};
    if (arrival->peer < replay->world->process_count)
        share_tell(replay, arrival->peer, &what);
    if (arrival->call)
        call_release(replay, arrival->call);
}

void matching_take_arrival(struct replay *replay, const struct foreign_arrival *arrival)
{
    find_message(replay, &(struct arrival){.start = arrival->start,
                                           .bytes = arrival->bytes,
                                           .off_ns = arrival->off_ns,
                                           .peer = arrival->peer,
                                           .comm = arrival->comm,
                                           .tag = arrival->tag,
                                           .process = arrival->process});
}

static struct posted *add_posted(struct replay *replay, struct receiver *receiver)
{
    if (receiver->first > 0 && receiver->first + receiver->count == receiver->room) {
        memmove(receiver->list, receiver->list + receiver->first,
                receiver->count * sizeof *receiver->list);
        receiver->first = 0;
    }
    if (!list_reserve(&receiver->list, receiver->first + receiver->count, &receiver->room,
                      sizeof *receiver->list)) {
        replay->failed = true;
        return NULL;
    }
    return &receiver->list[receiver->first + receiver->count++];
}

static struct posted *find_posted(const struct receiver *receiver, uint64_t request)
{
    for (size_t i = 0; i < receiver->count; i++) {
        struct posted *posted = &receiver->list[receiver->first + i];
        if (posted->state == POSTED_OPEN && posted->request == request)
            return posted;
    }
    return NULL;
}

/* Matches receives from the first on, up to one that is still open; at the END, and where too
 * many wait, those after it as well. */
static void drain(struct replay *replay, struct receiver *receiver, bool end)
{
    while (receiver->count > 0) {
        struct posted posted = receiver->list[receiver->first];
        if (posted.state == POSTED_OPEN && !end && receiver->count < MOST_HELD)
            return;
        receiver->first++;
        receiver->count--;
        posted.arrival.off_ns = replay->messages->off_ns[posted.arrival.process];
        if (posted.state == POSTED_DONE)
            take_arrival(replay, &posted.arrival);
        else if (posted.arrival.call)
            call_release(replay, posted.arrival.call);
    }
    receiver->first = 0;
}

/* Begins a receive by EVENT: a message that MPI_Mprobe has found is received there. */
static struct posted *begin_receive(struct replay *replay, const struct replay_event *event)
{
    struct receiver *receiver = &replay->messages->receivers[event->thread];
    const struct call *call = calls_current(replay, event->thread);
    struct posted *posted = add_posted(replay, receiver);
    if (!posted)
        return NULL;
    *posted =
        (struct posted){.state = POSTED_OPEN,
                        .request = event->request,
                        .arrival = {.start = calls_point(replay, event->thread, event->time_ns),
                                    .process = replay->world->processes[event->thread]}};
    if (call && replay->world->regions[call->view.region].role == ROLE_MRECV &&
        receiver->probe) {
        posted->arrival.call = receiver->probe;
        receiver->probe = NULL;
    }
    return posted;
}

void matching_probed(struct replay *replay, struct call *call)
{
    struct receiver *receiver = &replay->messages->receivers[call->view.enter.thread];
    if (receiver->probe)
        call_release(replay, receiver->probe);
    receiver->probe = call;
    call_hold(call);
}

static void take_receive(struct replay *replay, const struct replay_event *event)
{
    struct receiver *receiver = &replay->messages->receivers[event->thread];
    struct posted *posted =
        event->request != REPLAY_NO_REQUEST ? find_posted(receiver, event->request) : NULL;
    if (!posted)
        posted = begin_receive(replay, event);
    if (!posted)
        return;
    struct arrival *arrival = &posted->arrival;
    posted->state = POSTED_DONE;
    if (!arrival->call) {
        arrival->call = calls_current(replay, event->thread);
        if (arrival->call)
            call_hold(arrival->call);
    }
    arrival->bytes = event->bytes;
    arrival->peer = event->peer;
    arrival->comm = event->comm;
    arrival->tag = event->tag;
    drain(replay, receiver, false);
}

static void take_cancel(struct replay *replay, const struct replay_event *event)
{
    struct receiver *receiver = &replay->messages->receivers[event->thread];
    struct posted *posted = find_posted(receiver, event->request);
    if (posted)
        posted->state = POSTED_CANCELLED;
    drain(replay, receiver, false);
}

void matching_off(struct replay *replay, const struct replay_event *event)
{
    drain(replay, &replay->messages->receivers[event->thread], true);
    replay->messages->off_ns[replay->world->processes[event->thread]] = event->time_ns;
}

void matching_take(struct replay *replay, const struct replay_event *event)
{
    switch (event->kind) {
    case REPLAY_SEND:
        take_send(replay, event);
        break;
    case REPLAY_SENT:
        take_sent(replay, event);
        break;
    case REPLAY_POST:
        begin_receive(replay, event);
        break;
    case REPLAY_RECEIVE:
        take_receive(replay, event);
        break;
    default:
        take_cancel(replay, event);
        break;
    }
}

/* Gives up what has been sent and received without its other end. */
static void give_up(struct replay *replay, struct channel *channel)
{
    while (channel->first)
        drop_sent(replay, channel);
    while (channel->first_in) {
        struct arrival *arrival = channel->first_in;
        channel->first_in = arrival->next;
        replay->unmatched_receives += share_has(replay, arrival->process);
        if (arrival->call)
            call_release(replay, arrival->call);
        items_give(&replay->messages->arrivals, arrival);
    }
}

void matching_end_thread(struct replay *replay, uint32_t thread)
{
    struct receiver *receiver = &replay->messages->receivers[thread];
    drain(replay, receiver, true);
    if (receiver->probe)
        call_release(replay, receiver->probe);
    receiver->probe = NULL;
}

void matching_end(struct replay *replay)
{
    struct matching *messages = replay->messages;
    for (size_t i = 0; i < messages->channels_count; i++)
        give_up(replay, &messages->channels[i]);
}

void matching_arrived(struct replay *replay, struct call *call)
{
    struct matching *messages = replay->messages;
    const struct tsprof_message *at;
    for (at = call->view.arrived; at; at = at->next_arrived)
        await_no_more(messages, message_of(at));
    const struct message *oldest = messages->oldest[call->view.process];
    for (at = call->view.arrived; at; at = at->next_arrived)
        message_of(at)->view.oldest = oldest ? oldest->view.order : UINT64_MAX;
}

void matching_forget(struct replay *replay, struct call *call)
{
    const struct tsprof_message *next;
    for (const struct tsprof_message *at = call->view.arrived; at; at = next) {
        next = at->next_arrived;
        tell_end(replay, message_of(at));
    }
    for (const struct tsprof_message *at = call->view.sent; at; at = next) {
        next = at->next_sent;
        tell_end(replay, message_of(at));
    }
}
