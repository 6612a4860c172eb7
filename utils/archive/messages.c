/* Matches sends and receives.  See messages.h. */
#include "archive/messages.h"

#include "common/index.h"

#include <stdlib.h>
#include <string.h>

/* So many receives of a thread wait for one that was posted before them; then it is taken for
 * one that gets no message, such as a request that is kept open for the whole run. */
#define MOST_HELD 4096

/* One end of a message. */
struct end {
    uint64_t number, time_ns, bytes;
    uint32_t thread;
    uint32_t next; /* in its queue, or in the list of free ones; TRACE_NONE */
    bool is_wanted;
};

struct queue {
    uint32_t first, last; /* ends; TRACE_NONE */
};

/* Messages between two processes with one tag. */
struct channel {
    uint32_t comm, from, to, tag;
    struct queue sent, received;
};

/* A receive that was posted, in the order of posting. */
struct posted {
    enum { POSTED_OPEN, POSTED_DONE, POSTED_CANCELLED } state;
    uint64_t request;
    bool is_wanted;
    struct trace_event event; /* of those that are done */
};

/* The receives of a thread that are not matched yet. */
struct receiver {
    struct posted *list;
    size_t first, count, room;
};

struct messages {
    const struct trace *trace;
    message_visitor *found;
    void *context;
    uint64_t sends;
    struct channel *channels;
    size_t channel_count, channel_room;
    struct index index;
    struct end *ends;
    uint32_t end_count, end_room, free_end;
    struct receiver *receivers; /* by thread */
    uint64_t *off_ns;           /* by process: when recording last paused */
};

struct messages *messages_create(const struct trace *trace, message_visitor *found,
                                 void *context)
{
    struct messages *messages = allocate(1, sizeof *messages);
    *messages = (struct messages){
        .trace = trace, .found = found, .context = context, .free_end = TRACE_NONE};
    messages->receivers = allocate(trace->thread_count + 1, sizeof *messages->receivers);
    messages->off_ns = allocate(trace->process_count + 1, sizeof *messages->off_ns);
    return messages;
}

void messages_free(struct messages *messages)
{
    if (!messages)
        return;
    for (size_t i = 0; i < messages->trace->thread_count; i++)
        free(messages->receivers[i].list);
    free(messages->receivers);
    free(messages->off_ns);
    free(messages->channels);
    free(messages->ends);
    index_free(&messages->index);
    free(messages);
}

struct sought {
    const struct messages *messages;
    struct channel channel;
};

static bool is_same_channel(const void *context, uint32_t number)
{
    const struct sought *sought = context;
    const struct channel *one = &sought->messages->channels[number], *other = &sought->channel;
    return one->comm == other->comm && one->from == other->from && one->to == other->to &&
           one->tag == other->tag;
}

static struct channel *find_channel(struct messages *messages, uint32_t comm, uint32_t from,
                                    uint32_t to, uint32_t tag)
{
    static const struct queue empty = {TRACE_NONE, TRACE_NONE};
    const struct sought sought = {messages, {comm, from, to, tag, empty, empty}};
    uint64_t hash = index_hash_number(INDEX_HASH, comm);
    hash = index_hash_number(hash, from);
    hash = index_hash_number(hash, to);
    hash = index_hash_number(hash, tag);
    reserve_index(&messages->index, messages->channel_count + 1);
    uint32_t *slot = index_slot(&messages->index, hash, is_same_channel, &sought);
    if (*slot == 0) {
        if (messages->channel_count == messages->channel_room) {
            messages->channel_room = messages->channel_room ? 2 * messages->channel_room : 64;
            messages->channels = reallocate(messages->channels, messages->channel_room,
                                            sizeof *messages->channels);
        }
        messages->channels[messages->channel_count++] = sought.channel;
        *slot = (uint32_t)messages->channel_count;
    }
    return &messages->channels[*slot - 1];
}

static uint32_t new_end(struct messages *messages)
{
    uint32_t end = messages->free_end;
    if (end != TRACE_NONE) {
        messages->free_end = messages->ends[end].next;
        return end;
    }
    if (messages->end_count == messages->end_room) {
        messages->end_room = messages->end_room ? 2 * messages->end_room : 256;
        messages->ends = reallocate(messages->ends, messages->end_room, sizeof *messages->ends);
    }
    return messages->end_count++;
}

static void push(struct messages *messages, struct queue *queue, struct end content)
{
    const uint32_t end = new_end(messages);
    content.next = TRACE_NONE;
    messages->ends[end] = content;
    if (queue->first == TRACE_NONE)
        queue->first = end;
    else
        messages->ends[queue->last].next = end;
    queue->last = end;
}

static struct end pop(struct messages *messages, struct queue *queue)
{
    const uint32_t end = queue->first;
    const struct end content = messages->ends[end];
    queue->first = content.next;
    messages->ends[end].next = messages->free_end;
    messages->free_end = end;
    return content;
}

static void report_match(struct messages *messages, const struct channel *channel,
                         const struct end *sent, const struct end *received)
{
    const struct message message = {.number = sent->number,
                                    .from_thread = sent->thread,
                                    .to_thread = received->thread,
                                    .sent_ns = sent->time_ns,
                                    .received_ns = received->time_ns,
                                    .bytes = received->bytes,
                                    .tag = channel->tag,
                                    .comm = channel->comm,
                                    .is_wanted = sent->is_wanted && received->is_wanted};
    messages->found(messages->context, &message);
}

static uint32_t process_of(const struct messages *messages, uint32_t thread)
{
    return messages->trace->threads[thread].process;
}

static uint64_t take_send(struct messages *messages, const struct trace_event *event,
                          bool is_wanted)
{
    const struct end end = {messages->sends++, event->time_ns, event->bytes,
                            event->thread,     TRACE_NONE,     is_wanted};
    if (event->peer == TRACE_NONE)
        return end.number;
    struct channel *channel = find_channel(
        messages, event->comm, process_of(messages, event->thread), event->peer, event->tag);
    if (channel->received.first != TRACE_NONE) {
        const struct end received = pop(messages, &channel->received);
        report_match(messages, channel, &end, &received);
    } else {
        push(messages, &channel->sent, end);
    }
    return end.number;
}

static void match(struct messages *messages, const struct posted *posted)
{
    const struct trace_event *event = &posted->event;
    const struct end end = {0,          event->time_ns,   event->bytes, event->thread,
                            TRACE_NONE, posted->is_wanted};
    const uint32_t process = process_of(messages, event->thread);
    if (event->peer == TRACE_NONE)
        return;
    struct channel *channel =
        find_channel(messages, event->comm, event->peer, process, event->tag);
    /* What was sent before the receiver paused, and not received until then, it received
     * without recording it. */
    while (channel->sent.first != TRACE_NONE &&
           messages->ends[channel->sent.first].time_ns < messages->off_ns[process])
        pop(messages, &channel->sent);
    if (channel->sent.first != TRACE_NONE) {
        const struct end sent = pop(messages, &channel->sent);
        report_match(messages, channel, &sent, &end);
    } else {
        push(messages, &channel->received, end);
    }
}

static struct posted *add_posted(struct receiver *receiver)
{
    if (receiver->first > 0 && receiver->first + receiver->count == receiver->room) {
        memmove(receiver->list, receiver->list + receiver->first,
                receiver->count * sizeof *receiver->list);
        receiver->first = 0;
    }
    if (receiver->first + receiver->count == receiver->room) {
        receiver->room = receiver->room ? 2 * receiver->room : 16;
        receiver->list = reallocate(receiver->list, receiver->room, sizeof *receiver->list);
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
static void drain(struct messages *messages, struct receiver *receiver, bool end)
{
    while (receiver->count > 0) {
        const struct posted *posted = &receiver->list[receiver->first];
        if (posted->state == POSTED_OPEN && !end && receiver->count < MOST_HELD)
            return;
        if (posted->state == POSTED_DONE)
            match(messages, posted);
        receiver->first++;
        receiver->count--;
    }
    receiver->first = 0;
}

static void take_receive(struct messages *messages, const struct trace_event *event,
                         bool is_wanted)
{
    struct receiver *receiver = &messages->receivers[event->thread];
    struct posted *posted = NULL;
    if (event->request != TRACE_NO_REQUEST)
        posted = find_posted(receiver, event->request);
    if (!posted)
        posted = add_posted(receiver);
    posted->state = POSTED_DONE;
    posted->is_wanted = is_wanted;
    posted->event = *event;
    drain(messages, receiver, false);
}

static void take_cancel(struct messages *messages, const struct trace_event *event)
{
    struct posted *posted = find_posted(&messages->receivers[event->thread], event->request);
    if (posted)
        posted->state = POSTED_CANCELLED;
    drain(messages, &messages->receivers[event->thread], false);
}

static void take_off(struct messages *messages, const struct trace_event *event)
{
    drain(messages, &messages->receivers[event->thread], true);
    messages->off_ns[process_of(messages, event->thread)] = event->time_ns;
}

uint64_t messages_take(struct messages *messages, const struct trace_event *event,
                       bool is_wanted)
{
    switch (event->kind) {
    case TRACE_SEND:
        return take_send(messages, event, is_wanted);
    case TRACE_RECV:
        take_receive(messages, event, is_wanted);
        return 0;
    case TRACE_CANCEL:
        take_cancel(messages, event);
        return 0;
    case TRACE_OFF:
        take_off(messages, event);
        return 0;
    case TRACE_POST: {
        struct posted *posted = add_posted(&messages->receivers[event->thread]);
        *posted = (struct posted){.state = POSTED_OPEN, .request = event->request};
        return 0;
    }
    default:
        return 0;
    }
}

void messages_end(struct messages *messages)
{
    for (size_t i = 0; i < messages->trace->thread_count; i++)
        drain(messages, &messages->receivers[i], true);
}
