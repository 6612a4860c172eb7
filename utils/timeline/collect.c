/* Collects the events of a trace by iteration.  See collect.h. */
#include "timeline/collect.h"

#include "common/index.h"

#include <stdlib.h>
#include <string.h>

#define MOST_ITERATIONS 100000

/* Makes room in LIST for one more. */
#define ROOM_FOR_ONE(list, count, room)                                                        \
    do {                                                                                       \
        if ((count) == (room)) {                                                               \
            (room) = (room) ? 2 * (room) : 64;                                                 \
            (list) = reallocate((list), (room), sizeof *(list));                               \
        }                                                                                      \
    } while (0)

/* A call that has not ended. */
struct open_call {
    uint64_t begin_ns;
    uint32_t region, of; /* of: which of the list; TRACE_NONE */
};

struct open_calls {
    struct open_call *list;
    size_t count, room;
};

/* When a thread was in which of the list, in the order of time. */
struct stay {
    uint64_t begin_ns;
    uint32_t of;
};

struct stays {
    struct stay *list;
    size_t count, room;
};

struct collecting {
    struct trace *trace;
    struct collected *list;
    size_t count, room, most_calls, calls;
    uint64_t left_out;
    struct index index;
    struct open_calls *open; /* by thread */
    struct stays *stays;     /* by thread */
    struct messages *messages;
    bool has_iterations;
    struct collected whole; /* until it is known that there are iterations */
};

struct sought {
    const struct collecting *collecting;
    struct trace_iteration iteration;
};

static bool is_same(const void *context, uint32_t number)
{
    const struct sought *sought = context;
    const struct collected *one = &sought->collecting->list[number];
    return one->phase == sought->iteration.phase && one->number == sought->iteration.number;
}

static void clear(struct collected *one)
{
    free(one->calls);
    free(one->messages);
    free(one->samples);
    *one = (struct collected){.phase = one->phase,
                              .number = one->number,
                              .begin_ns = one->begin_ns,
                              .end_ns = one->end_ns,
                              .left_out = one->left_out};
}

/* The number of ITERATION in the list; TRACE_NONE if there are too many. */
static uint32_t find(struct collecting *collecting, struct trace_iteration iteration,
                     uint64_t time_ns)
{
    const struct sought sought = {collecting, iteration};
    uint64_t hash = index_hash_number(INDEX_HASH, iteration.phase);
    hash = index_hash_number(hash, iteration.number);
    reserve_index(&collecting->index, collecting->count + 1);
    uint32_t *slot = index_slot(&collecting->index, hash, is_same, &sought);
    if (*slot)
        return *slot - 1;
    if (collecting->count == MOST_ITERATIONS) {
        collecting->left_out++;
        return TRACE_NONE;
    }
    ROOM_FOR_ONE(collecting->list, collecting->count, collecting->room);
    collecting->list[collecting->count] = (struct collected){.phase = iteration.phase,
                                                             .number = iteration.number,
                                                             .begin_ns = time_ns,
                                                             .end_ns = time_ns};
    *slot = (uint32_t)++collecting->count;
    return *slot - 1;
}

/* What EVENT is in: one of the list, or TRACE_NONE, outside of all iterations. */
static uint32_t place_of(struct collecting *collecting, const struct trace_event *event)
{
    if (event->iteration_count == 0)
        return TRACE_NONE;
    if (!collecting->has_iterations)
        clear(&collecting->whole);
    collecting->has_iterations = true;
    return find(collecting, event->iterations[0], event->time_ns);
}

/* Notes that a thread is in another iteration, or in none, from now on. */
static void note_stay(struct collecting *collecting, uint32_t thread, uint32_t of,
                      uint64_t time_ns)
{
    struct stays *stays = &collecting->stays[thread];
    const uint32_t before = stays->count ? stays->list[stays->count - 1].of : TRACE_NONE;
    if (of == before)
        return;
    ROOM_FOR_ONE(stays->list, stays->count, stays->room);
    stays->list[stays->count++] = (struct stay){time_ns, of};
}

/* Where THREAD was at TIME_NS; of two at the same time, the earlier. */
static uint32_t stay_at(const struct collecting *collecting, uint32_t thread, uint64_t time_ns)
{
    const struct stays *stays = &collecting->stays[thread];
    size_t low = 0, high = stays->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (stays->list[middle].begin_ns < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? stays->list[low - 1].of : TRACE_NONE;
}

/* What is collected at OF; the whole trace outside of iterations, if there are none; NULL:
 * nothing. */
static struct collected *collected_at(struct collecting *collecting, uint32_t of)
{
    if (of != TRACE_NONE)
        return &collecting->list[of];
    return collecting->has_iterations ? NULL : &collecting->whole;
}

static void take_enter(struct collecting *collecting, const struct trace_event *event,
                       uint32_t of)
{
    struct open_calls *open = &collecting->open[event->thread];
    ROOM_FOR_ONE(open->list, open->count, open->room);
    open->list[open->count++] = (struct open_call){event->time_ns, event->region, of};
}

/* Leaves out all of an iteration rather than a part of it. */
static bool has_room(struct collecting *collecting, struct collected *into)
{
    if (into->left_out || collecting->calls < collecting->most_calls)
        return !into->left_out;
    into->left_out = true;
    collecting->calls -= into->call_count;
    clear(into);
    return false;
}

static void end_call(struct collecting *collecting, uint32_t thread, uint64_t time_ns)
{
    struct open_calls *open = &collecting->open[thread];
    const struct open_call call = open->list[--open->count];
    struct collected *into = collected_at(collecting, call.of);
    if (!into || !has_room(collecting, into))
        return;
    ROOM_FOR_ONE(into->calls, into->call_count, into->call_room);
    into->calls[into->call_count++] = (struct collected_call){
        call.begin_ns, time_ns, thread, call.region, (uint32_t)open->count};
    into->begin_ns = call.begin_ns < into->begin_ns ? call.begin_ns : into->begin_ns;
    into->end_ns = time_ns > into->end_ns ? time_ns : into->end_ns;
    collecting->calls++;
}

static void take_sample(struct collecting *collecting, const struct trace_event *event,
                        uint32_t of)
{
    struct collected *into = collected_at(collecting, of);
    if (!into || into->left_out)
        return;
    ROOM_FOR_ONE(into->samples, into->sample_count, into->sample_room);
    into->samples[into->sample_count++] = (struct collected_sample){
        event->time_ns, event->thread,
        event->context == TRACE_NONE ? TRACE_NONE
                                     : collecting->trace->contexts[event->context].region};
}

/* A message belongs to the iteration in which it is received. */
static void take_message(void *context, const struct message *message)
{
    struct collecting *collecting = context;
    const uint32_t of = stay_at(collecting, message->to_thread, message->received_ns);
    struct collected *into = collected_at(collecting, of);
    if (!into || into->left_out)
        return;
    ROOM_FOR_ONE(into->messages, into->message_count, into->message_room);
    into->messages[into->message_count++] = *message;
}

static void take_event(void *context, const struct trace_event *event)
{
    struct collecting *collecting = context;
    const uint32_t of = place_of(collecting, event);
    note_stay(collecting, event->thread, of, event->time_ns);
    messages_take(collecting->messages, event, true);
    if (event->kind == TRACE_ENTER)
        take_enter(collecting, event, of);
    else if (event->kind == TRACE_LEAVE && collecting->open[event->thread].count > 0)
        end_call(collecting, event->thread, event->time_ns);
    else if (event->kind == TRACE_SAMPLE)
        take_sample(collecting, event, of);
}

static void free_all(struct collecting *collecting)
{
    for (size_t i = 0; i < collecting->trace->thread_count; i++) {
        free(collecting->open[i].list);
        free(collecting->stays[i].list);
    }
    free(collecting->open);
    free(collecting->stays);
    index_free(&collecting->index);
    messages_free(collecting->messages);
}

static int compare_collected(const void *a, const void *b)
{
    const struct collected *left = a, *right = b;
    return (left->begin_ns > right->begin_ns) - (left->begin_ns < right->begin_ns);
}

bool collect(struct trace *trace, size_t most_calls, struct collection_of_trace *collection,
             struct error *error)
{
    struct collecting collecting = {.trace = trace, .most_calls = most_calls};
    collecting.whole = (struct collected){.phase = TRACE_NONE, .begin_ns = UINT64_MAX};
    collecting.open = allocate(trace->thread_count, sizeof *collecting.open);
    collecting.stays = allocate(trace->thread_count, sizeof *collecting.stays);
    collecting.messages = messages_create(trace, take_message, &collecting);
    const bool good = trace_read(trace, take_event, &collecting, error);
    if (good)
        messages_end(collecting.messages);
    if (good && !collecting.has_iterations && collecting.whole.call_count > 0) {
        ROOM_FOR_ONE(collecting.list, collecting.count, collecting.room);
        collecting.list[collecting.count++] = collecting.whole;
        collecting.whole = (struct collected){0};
    }
    free_all(&collecting);
    clear(&collecting.whole);
    if (collecting.count > 0)
        qsort(collecting.list, collecting.count, sizeof *collecting.list, compare_collected);
    *collection =
        (struct collection_of_trace){collecting.list, collecting.count, collecting.left_out};
    if (!good)
        collect_free(collection);
    return good;
}

void collect_free(struct collection_of_trace *collection)
{
    for (size_t i = 0; i < collection->count; i++)
        clear(&collection->list[i]);
    free(collection->list);
    *collection = (struct collection_of_trace){0};
}
