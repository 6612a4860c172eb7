/* What the events of an archive mean, in the order of time.  See otf2_reader.h. */
#include "archive/otf2_reader.h"

#include "archive/held.h"

#include <stdlib.h>

/* More than a year: what is later has a damaged time, and sums of such times overflow. */
#define LATEST_NS (UINT64_C(1) << 55)

/* What an event has until more is known of it.  One store after the other is cheaper than
 * clearing all of it at once. */
static inline void clear(struct trace_event *event)
{
    event->region = event->context = event->counter = TRACE_NONE;
    event->value = 0;
    event->peer = event->comm = event->window = event->root = TRACE_NONE;
    event->tag = 0;
    event->operation = TRACE_OTHER_OPERATION;
    event->is_exclusive = event->writes = false;
    event->bytes = event->bytes_received = 0;
    event->request = TRACE_NO_REQUEST;
}

enum { SECOND = 1000000000 };

/* TICKS in nanoseconds, however many. */
static uint64_t __attribute__((noinline))
long_ns(const struct otf2_reader *reader, uint64_t ticks)
{
    const unsigned __int128 ns = (unsigned __int128)ticks * SECOND / reader->resolution;
    return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

/* TIME in nanoseconds since the trace begins. */
static inline uint64_t ns_of(const struct otf2_reader *reader, uint64_t time)
{
    const uint64_t ticks = time > reader->begin ? time - reader->begin : 0;
    if (reader->resolution == SECOND)
        return ticks;
    return ticks <= UINT64_MAX / SECOND ? ticks * SECOND / reader->resolution
                                        : long_ns(reader, ticks);
}

/* As otf2_begin_event. */
static inline struct otf2_thread *begin_event(struct otf2_reader *reader,
                                              struct trace_event *event,
                                              const struct otf2_event *from,
                                              enum trace_kind kind)
{
    const uint64_t ns = ns_of(reader, from->time);
    if (ns > LATEST_NS) {
        reader->has_impossible_times = true;
        return NULL;
    }
    struct otf2_thread *state = &reader->states[from->thread];
    /* Its own clock does not run backwards. */
    state->last_ns = ns > state->last_ns ? ns : state->last_ns;
    state->last_ticks = from->time > state->last_ticks ? from->time : state->last_ticks;
    clear(event);
    event->kind = kind;
    event->thread = from->thread;
    event->order = state->events++;
    event->time_ns = state->last_ns;
    event->at = (struct trace_moment){state->last_ns, state->last_ticks,
                                      reader->threads.keys[from->thread]};
    return state;
}

struct otf2_thread *otf2_begin_event(struct otf2_reader *reader, struct trace_event *event,
                                     const struct otf2_event *from, enum trace_kind kind)
{
    return begin_event(reader, event, from, kind);
}

/* The iterations that EVENT is in: its thread's, or those of the thread that marks them. */
static void visit(struct otf2_reader *reader, struct trace_event *event)
{
    const struct otf2_thread *state = &reader->states[event->thread];
    const uint32_t process = reader->trace->threads[event->thread].process;
    if (state->iteration_count == 0)
        state = &reader->states[reader->first_threads[process]];
    event->iterations = state->iterations;
    event->iteration_count = state->iteration_count;
    if (reader->held)
        held_take(reader->held, event);
    else
        reader->visit(reader->context, event);
}

/* What is pending is visited at this moment. */
static void flush(struct otf2_reader *reader, struct otf2_thread *state, struct trace_moment at)
{
    if (!state->is_pending)
        return;
    state->is_pending = false;
    state->pending.at = at;
    visit(reader, &state->pending);
}

void otf2_flush(struct otf2_reader *reader)
{
    for (size_t i = 0; i < reader->trace->thread_count; i++)
        flush(reader, &reader->states[i], (struct trace_moment){UINT64_MAX, 0, i});
    if (reader->held)
        held_end(reader->held);
}

void otf2_pass_on(struct otf2_reader *reader, struct otf2_thread *state,
                  struct trace_event *event)
{
    flush(reader, state, event->at);
    visit(reader, event);
}

static void begin_iteration(struct otf2_thread *state, uint32_t phase, uint64_t number)
{
    if (state->iteration_count == state->iteration_room) {
        state->iteration_room = state->iteration_room ? 2 * state->iteration_room : 4;
        state->iterations =
            reallocate(state->iterations, state->iteration_room, sizeof *state->iterations);
        state->iteration_depths = reallocate(state->iteration_depths, state->iteration_room,
                                             sizeof *state->iteration_depths);
    }
    state->iteration_depths[state->iteration_count] = state->depth;
    state->iterations[state->iteration_count++] = (struct trace_iteration){phase, number};
}

static void count_instance(struct otf2_reader *reader, struct otf2_thread *state,
                           uint32_t region)
{
    if (!state->instances)
        state->instances = allocate(reader->trace->region_count, sizeof *state->instances);
    begin_iteration(state, region, state->instances[region]++);
}

static void enter(struct otf2_reader *reader, const struct otf2_event *from, uint32_t region)
{
    struct trace_event event;
    struct otf2_thread *state = begin_event(reader, &event, from, TRACE_ENTER);
    if (!state || region == TRACE_NONE)
        return;
    flush(reader, state, event.at);
    event.region = region;
    state->depth++;
    if (reader->trace->regions[region].counts_itself) {
        count_instance(reader, state, region);
    } else if (reader->trace->regions[region].is_phase) {
        state->pending = event;
        state->is_pending = true;
        return;
    }
    visit(reader, &event);
}

static void leave(struct otf2_reader *reader, const struct otf2_event *from, uint32_t region)
{
    struct trace_event event;
    struct otf2_thread *state = begin_event(reader, &event, from, TRACE_LEAVE);
    if (!state || region == TRACE_NONE)
        return;
    event.region = region;
    otf2_pass_on(reader, state, &event);
    if (state->iteration_count > 0 &&
        state->iteration_depths[state->iteration_count - 1] >= state->depth)
        state->iteration_count--;
    state->depth -= state->depth > 0;
}

static void take_enter(struct otf2_reader *reader, const struct otf2_event *from)
{
    enter(reader, from, reference_find(&reader->regions, from->numbers[0]));
}

static void take_leave(struct otf2_reader *reader, const struct otf2_event *from)
{
    leave(reader, from, reference_find(&reader->regions, from->numbers[0]));
}

static uint32_t region_of(const struct otf2_reader *reader, uint64_t context)
{
    const uint32_t index = reference_find(&reader->contexts, context);
    return index == TRACE_NONE ? TRACE_NONE : reader->trace->contexts[index].region;
}

static void take_context_enter(struct otf2_reader *reader, const struct otf2_event *from)
{
    enter(reader, from, region_of(reader, from->numbers[0]));
}

static void take_context_leave(struct otf2_reader *reader, const struct otf2_event *from)
{
    leave(reader, from, region_of(reader, from->numbers[0]));
}

static void take_sample(struct otf2_reader *reader, const struct otf2_event *from)
{
    struct trace_event event;
    struct otf2_thread *state = begin_event(reader, &event, from, TRACE_SAMPLE);
    if (!state)
        return;
    event.context = reference_find(&reader->contexts, from->numbers[0]);
    otf2_pass_on(reader, state, &event);
}

uint32_t otf2_process_in(const struct otf2_reader *reader, const struct trace_event *event,
                         uint32_t rank)
{
    return trace_peer(reader->trace, event->comm, reader->trace->threads[event->thread].process,
                      rank);
}

/* An end of a message. */
static void take_end(struct otf2_reader *reader, const struct otf2_event *from,
                     enum trace_kind kind, uint64_t request)
{
    struct trace_event event;
    struct otf2_thread *state = begin_event(reader, &event, from, kind);
    if (!state)
        return;
    event.comm = reference_find(&reader->comms, from->numbers[1]);
    event.peer = otf2_process_in(reader, &event, (uint32_t)from->numbers[0]);
    event.tag = (uint32_t)from->numbers[2];
    event.bytes = from->numbers[3];
    event.request = request;
    otf2_pass_on(reader, state, &event);
}

static void take_send(struct otf2_reader *reader, const struct otf2_event *from)
{
    take_end(reader, from, TRACE_SEND, TRACE_NO_REQUEST);
}

static void take_isend(struct otf2_reader *reader, const struct otf2_event *from)
{
    take_end(reader, from, TRACE_SEND, from->numbers[4]);
}

static void take_recv(struct otf2_reader *reader, const struct otf2_event *from)
{
    take_end(reader, from, TRACE_RECV, TRACE_NO_REQUEST);
}

static void take_irecv(struct otf2_reader *reader, const struct otf2_event *from)
{
    take_end(reader, from, TRACE_RECV, from->numbers[4]);
}

static void take_request(struct otf2_reader *reader, const struct otf2_event *from,
                         enum trace_kind kind)
{
    struct trace_event event;
    struct otf2_thread *state = begin_event(reader, &event, from, kind);
    if (!state)
        return;
    event.request = from->numbers[0];
    otf2_pass_on(reader, state, &event);
}

static void take_post(struct otf2_reader *reader, const struct otf2_event *from)
{
    take_request(reader, from, TRACE_POST);
}

static void take_sent(struct otf2_reader *reader, const struct otf2_event *from)
{
    take_request(reader, from, TRACE_SENT);
}

static void take_collective_post(struct otf2_reader *reader, const struct otf2_event *from)
{
    take_request(reader, from, TRACE_COLLECT_POST);
}

static void take_cancel(struct otf2_reader *reader, const struct otf2_event *from)
{
    take_request(reader, from, TRACE_CANCEL);
}

static enum trace_operation operation_of(OTF2_CollectiveOp operation)
{
    switch (operation) {
    case OTF2_COLLECTIVE_OP_BARRIER:
        return TRACE_BARRIER;
    case OTF2_COLLECTIVE_OP_BCAST:
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV:
        return TRACE_ONE_TO_ALL;
    case OTF2_COLLECTIVE_OP_REDUCE:
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_GATHERV:
        return TRACE_ALL_TO_ONE;
    case OTF2_COLLECTIVE_OP_SCAN:
    case OTF2_COLLECTIVE_OP_EXSCAN:
        return TRACE_SCAN;
    case OTF2_COLLECTIVE_OP_ALLGATHER:
    case OTF2_COLLECTIVE_OP_ALLGATHERV:
    case OTF2_COLLECTIVE_OP_ALLTOALL:
    case OTF2_COLLECTIVE_OP_ALLTOALLV:
    case OTF2_COLLECTIVE_OP_ALLTOALLW:
    case OTF2_COLLECTIVE_OP_ALLREDUCE:
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER:
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK:
        return TRACE_ALL_TO_ALL;
    default:
        return TRACE_OTHER_OPERATION;
    }
}

/* A collective operation has ended. */
static void take_collective_end(struct otf2_reader *reader, const struct otf2_event *from,
                                uint64_t request)
{
    struct trace_event event;
    struct otf2_thread *state = begin_event(reader, &event, from, TRACE_COLLECT);
    const uint32_t root = (uint32_t)from->numbers[2];
    if (!state)
        return;
    event.operation = operation_of((OTF2_CollectiveOp)from->numbers[0]);
    event.comm = reference_find(&reader->comms, from->numbers[1]);
    event.root = root == OTF2_COLLECTIVE_ROOT_SELF
                     ? reader->trace->threads[event.thread].process
                     : otf2_process_in(reader, &event, root);
    event.bytes = from->numbers[3];
    event.bytes_received = from->numbers[4];
    event.request = request;
    otf2_pass_on(reader, state, &event);
}

static void take_collective(struct otf2_reader *reader, const struct otf2_event *from)
{
    take_collective_end(reader, from, TRACE_NO_REQUEST);
}

static void take_collective_done(struct otf2_reader *reader, const struct otf2_event *from)
{
    take_collective_end(reader, from, from->numbers[5]);
}

static double value_of(OTF2_Type type, uint64_t number)
{
    const OTF2_MetricValue value = {.unsigned_int = number};
    return type == OTF2_TYPE_DOUBLE  ? value.floating_point
           : type == OTF2_TYPE_INT64 ? (double)value.signed_int
                                     : (double)value.unsigned_int;
}

/* A value of a metric; all of one metric are one event. */
static void take_metric(struct otf2_reader *reader, const struct otf2_event *from)
{
    struct trace_event event;
    const uint64_t number = from->numbers[1], before = reader->states[from->thread].events;
    /* All values of a metric are one event. */
    reader->states[from->thread].events -= number > 0 && before > 0;
    struct otf2_thread *state = begin_event(reader, &event, from, TRACE_COUNTER);
    if (!state)
        reader->states[from->thread].events = before;
    const uint32_t class = reference_find(&reader->classes, from->numbers[0]);
    if (!state || class == TRACE_NONE || number >= reader->class_list[class].count)
        return;
    event.counter = reader->class_list[class].members[number];
    event.value = value_of((OTF2_Type)from->numbers[2], from->numbers[3]);
    if (event.counter != TRACE_NONE)
        otf2_pass_on(reader, state, &event);
}

/* The process with RANK in MPI_COMM_WORLD. */
static uint32_t process_of_rank(const struct trace *trace, uint64_t rank)
{
    if (rank < trace->process_count && trace->processes[rank].rank == rank)
        return (uint32_t)rank;
    for (uint32_t i = 0; i < trace->process_count; i++)
        if (trace->processes[i].rank != TRACE_NONE && trace->processes[i].rank == rank)
            return i;
    return TRACE_NONE;
}

/* Whom the process receives from in operations among neighbours: VALUE is the communicator, and
 * then one after the other. */
static void take_source(struct otf2_reader *reader, struct otf2_thread *state,
                        struct trace_event *event, enum otf2_parameter kind, uint64_t value)
{
    event->kind = TRACE_SOURCES;
    if (kind == PARAMETER_SOURCES_OF)
        state->sources_of = reference_find(&reader->comms, value) + 1;
    else
        event->peer = process_of_rank(reader->trace, value);
    if (state->sources_of == 0 || (kind == PARAMETER_SOURCE && event->peer == TRACE_NONE))
        return;
    event->comm = state->sources_of - 1;
    otf2_pass_on(reader, state, event);
}

static void take_number(struct otf2_reader *reader, const struct otf2_event *from)
{
    struct trace_event event;
    struct otf2_thread *state = begin_event(reader, &event, from, TRACE_NEIGHBORHOOD);
    const uint32_t index = reference_find(&reader->parameters, from->numbers[0]);
    const uint64_t value = from->numbers[1];
    if (!state || index == TRACE_NONE)
        return;
    switch (reader->parameter_kinds[index]) {
    case PARAMETER_SOURCES_OF:
    case PARAMETER_SOURCE:
        take_source(reader, state, &event, reader->parameter_kinds[index], value);
        break;
    case PARAMETER_NEIGHBORHOOD:
        event.request = value;
        otf2_pass_on(reader, state, &event);
        break;
    case PARAMETER_ITERATION:
        if (state->is_pending) {
            begin_iteration(state, state->pending.region, value);
            flush(reader, state, event.at);
        }
        break;
    case PARAMETER_OTHER:
        break;
    }
}

static void take_on_off(struct otf2_reader *reader, const struct otf2_event *from)
{
    struct trace_event event;
    struct otf2_thread *state = begin_event(reader, &event, from, TRACE_OFF);
    if (state && from->numbers[0] == OTF2_MEASUREMENT_OFF)
        otf2_pass_on(reader, state, &event);
}

void otf2_take(struct otf2_reader *reader, const struct otf2_event *from, uint8_t type)
{
    static otf2_taker *const takers[EVENT_TYPES] = {
        [EVENT_ENTER] = take_enter,
        [EVENT_LEAVE] = take_leave,
        [EVENT_CONTEXT_ENTER] = take_context_enter,
        [EVENT_CONTEXT_LEAVE] = take_context_leave,
        [EVENT_SAMPLE] = take_sample,
        [EVENT_SEND] = take_send,
        [EVENT_ISEND] = take_isend,
        [EVENT_ISEND_COMPLETE] = take_sent,
        [EVENT_RECV] = take_recv,
        [EVENT_IRECV] = take_irecv,
        [EVENT_IRECV_REQUEST] = take_post,
        [EVENT_CANCELLED] = take_cancel,
        [EVENT_COLLECTIVE] = take_collective,
        [EVENT_COLLECT_REQUEST] = take_collective_post,
        [EVENT_COLLECT_END] = take_collective_done,
        [EVENT_METRIC] = take_metric,
        [EVENT_NUMBER] = take_number,
        [EVENT_ON_OFF] = take_on_off,
        [EVENT_WINDOW_CREATE] = otf2_take_window_create,
        [EVENT_WINDOW_FREE] = otf2_take_window_free,
        [EVENT_WINDOW_FENCE] = otf2_take_window_fence,
        [EVENT_WINDOW_SYNC] = otf2_take_window_sync,
        [EVENT_PUT] = otf2_take_put,
        [EVENT_GET] = otf2_take_get,
        [EVENT_ATOMIC] = otf2_take_atomic,
        [EVENT_LOCK_REQUEST] = otf2_take_lock_request,
        [EVENT_LOCK_RELEASE] = otf2_take_lock_release,
        [EVENT_FILE_BEGIN] = otf2_take_file_begin,
        [EVENT_FILE_END] = otf2_take_file_end};
    if (takers[type])
        takers[type](reader, from);
}
