/* See message_gates.h. */
#include "clocks/message_gates.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

/* Between hosts nothing is quicker; on one host there is no such limit. */
enum { LEAST_LATENCY_NS = 300 };

#define NO_ITEM UINT32_MAX

/* A message with one end. */
struct loose {
    struct gate *gate;
    uint32_t stretch; /* of that end's process */
    uint32_t next;
};

struct loose_queue {
    uint32_t first, last;
};

/* Messages between two processes with one tag. */
struct lane {
    uint32_t comm, from, to, tag;
    struct loose_queue sent, received;
    uint32_t next_from; /* lane with the same sender */
    uint32_t stopped;   /* how often that has been stopped */
    uint64_t latency_ns;
};

struct message_gates {
    const struct trace *trace;
    struct logical_clock *clock;
    struct lane *lanes;
    size_t count, room;
    struct index index;
    uint32_t *lanes_from; /* by process: the first */
    uint32_t *stopped;    /* by process: how often */
    struct loose *loose;
    uint32_t loose_count, loose_room, loose_free;
};

struct message_gates *message_gates_create(const struct trace *trace,
                                           struct logical_clock *clock)
{
    struct message_gates *messages = allocate(1, sizeof *messages);
    *messages = (struct message_gates){.trace = trace, .clock = clock, .loose_free = NO_ITEM};
    messages->lanes_from = allocate(trace->process_count + 1, sizeof *messages->lanes_from);
    messages->stopped = allocate(trace->process_count + 1, sizeof *messages->stopped);
    memset(messages->lanes_from, 0xff, trace->process_count * sizeof *messages->lanes_from);
    return messages;
}

void message_gates_free(struct message_gates *messages)
{
    free(messages->lanes);
    free(messages->lanes_from);
    free(messages->stopped);
    free(messages->loose);
    index_free(&messages->index);
    free(messages);
}

struct sought {
    const struct message_gates *messages;
    uint32_t comm, from, to, tag;
};

static bool is_same(const void *context, uint32_t number)
{
    const struct sought *sought = context;
    const struct lane *lane = &sought->messages->lanes[number];
    return lane->comm == sought->comm && lane->from == sought->from && lane->to == sought->to &&
           lane->tag == sought->tag;
}

static void add_lane(struct message_gates *messages, const struct sought *sought)
{
    static const struct loose_queue none = {NO_ITEM, NO_ITEM};
    const struct trace_process *processes = messages->trace->processes;
    messages->lanes =
        grow_list(messages->lanes, messages->count, &messages->room, sizeof *messages->lanes);
    const bool is_near = strcmp(processes[sought->from].host, processes[sought->to].host) == 0;
    messages->lanes[messages->count] = (struct lane){sought->comm,
                                                     sought->from,
                                                     sought->to,
                                                     sought->tag,
                                                     none,
                                                     none,
                                                     messages->lanes_from[sought->from],
                                                     messages->stopped[sought->from],
                                                     is_near ? 0 : LEAST_LATENCY_NS};
    messages->lanes_from[sought->from] = (uint32_t)messages->count++;
}

static struct lane *find_lane(struct message_gates *messages, const struct trace_event *event,
                              uint32_t from, uint32_t to)
{
    const struct sought sought = {messages, event->comm, from, to, event->tag};
    uint64_t hash = index_hash_number(INDEX_HASH, event->comm);
    if (from >= messages->trace->process_count || to >= messages->trace->process_count)
        return NULL;
    hash = index_hash_number(hash, event->tag);
    hash = index_hash_number(hash, (uint64_t)from << 32 | to);
    reserve_index(&messages->index, messages->count + 1);
    uint32_t *slot = index_slot(&messages->index, hash, is_same, &sought);
    if (*slot == 0) {
        add_lane(messages, &sought);
        *slot = (uint32_t)messages->count;
    }
    return &messages->lanes[*slot - 1];
}

static uint32_t new_loose(struct message_gates *messages)
{
    uint32_t at = messages->loose_free;
    if (at != NO_ITEM) {
        messages->loose_free = messages->loose[at].next;
        return at;
    }
    if (messages->loose_count == messages->loose_room) {
        messages->loose_room = messages->loose_room ? 2 * messages->loose_room : 256;
        messages->loose =
            reallocate(messages->loose, messages->loose_room, sizeof *messages->loose);
    }
    return messages->loose_count++;
}

/* A new message of LANE, in QUEUE until its other end comes. */
static struct gate *push(struct message_gates *messages, const struct lane *lane,
                         struct loose_queue *queue, uint32_t stretch)
{
    struct gate *gate = gate_create(messages->clock, 1, 1, lane->latency_ns);
    const uint32_t at = new_loose(messages);
    messages->loose[at] = (struct loose){gate, stretch, NO_ITEM};
    if (queue->first == NO_ITEM)
        queue->first = at;
    else
        messages->loose[queue->last].next = at;
    queue->last = at;
    return gate;
}

static struct gate *pop(struct message_gates *messages, struct loose_queue *queue)
{
    const uint32_t at = queue->first;
    struct loose *loose = &messages->loose[at];
    queue->first = loose->next;
    loose->next = messages->loose_free;
    messages->loose_free = at;
    return loose->gate;
}

/* Whether the first in QUEUE is of this STRETCH. */
static bool has(const struct message_gates *messages, const struct loose_queue *queue,
                uint32_t stretch)
{
    return queue->first != NO_ITEM && messages->loose[queue->first].stretch == stretch;
}

/* Whether the first in QUEUE is of an earlier one. */
static bool has_older(const struct message_gates *messages, const struct loose_queue *queue,
                      uint32_t stretch)
{
    return queue->first != NO_ITEM && messages->loose[queue->first].stretch < stretch;
}

struct gate *message_gates_sent(struct message_gates *messages, const struct trace_event *event,
                                uint32_t stretch)
{
    const uint32_t from = messages->trace->threads[event->thread].process;
    struct lane *lane = find_lane(messages, event, from, event->peer);
    if (!lane)
        return NULL;
    return has(messages, &lane->received, stretch) ? pop(messages, &lane->received)
                                                   : push(messages, lane, &lane->sent, stretch);
}

struct gate *message_gates_received(struct message_gates *messages,
                                    const struct trace_event *event, uint32_t stretch)
{
    const uint32_t to = messages->trace->threads[event->thread].process;
    struct lane *lane = find_lane(messages, event, event->peer, to);
    if (!lane)
        return NULL;
    /* What was sent earlier was received without being recorded. */
    while (has_older(messages, &lane->sent, stretch))
        gate_no_use(messages->clock, pop(messages, &lane->sent));
    if (has(messages, &lane->sent, stretch))
        return pop(messages, &lane->sent);
    if (lane->stopped > stretch)
        return NULL;
    return push(messages, lane, &lane->received, stretch);
}

void message_gates_stopped(struct message_gates *messages, uint32_t process, uint32_t stretch)
{
    messages->stopped[process] = stretch;
    for (uint32_t at = messages->lanes_from[process]; at != NO_ITEM;
         at = messages->lanes[at].next_from) {
        struct lane *lane = &messages->lanes[at];
        lane->stopped = stretch;
        while (has_older(messages, &lane->received, stretch))
            gate_no_source(messages->clock, pop(messages, &lane->received));
    }
}
