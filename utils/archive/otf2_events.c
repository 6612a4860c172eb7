/* The events of an archive, in the order of time.  See otf2_reader.h. */
#include "archive/otf2_reader.h"

#include "archive/held.h"

#include <stdlib.h>

/* More than a year: what is later has a damaged time, and sums of such times overflow. */
#define LATEST_NS (UINT64_C(1) << 55)

struct otf2_thread *otf2_begin_event(struct otf2_reader *reader, struct trace_event *event,
                                     OTF2_LocationRef location, OTF2_TimeStamp time,
                                     enum trace_kind kind)
{
    const uint32_t thread = reference_find(&reader->threads, location);
    if (thread == TRACE_NONE)
        return NULL;
    unsigned __int128 ns = time > reader->begin ? time - reader->begin : 0;
    if (reader->resolution != 1000000000)
        ns = ns * 1000000000 / reader->resolution;
    if (ns > LATEST_NS) {
        reader->has_impossible_times = true;
        return NULL;
    }
    struct otf2_thread *state = &reader->states[thread];
    /* Its own clock does not run backwards. */
    state->last_ns = ns > state->last_ns ? (uint64_t)ns : state->last_ns;
    *event = (struct trace_event){.kind = kind,
                                  .thread = thread,
                                  .order = state->events++,
                                  .time_ns = state->last_ns,
                                  .region = TRACE_NONE,
                                  .context = TRACE_NONE,
                                  .counter = TRACE_NONE,
                                  .peer = TRACE_NONE,
                                  .comm = TRACE_NONE,
                                  .window = TRACE_NONE,
                                  .root = TRACE_NONE,
                                  .request = TRACE_NO_REQUEST};
    return state;
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

static void flush(struct otf2_reader *reader, struct otf2_thread *state)
{
    if (!state->is_pending)
        return;
    state->is_pending = false;
    visit(reader, &state->pending);
}

OTF2_CallbackCode otf2_pass_on(struct otf2_reader *reader, struct otf2_thread *state,
                               struct trace_event *event)
{
    flush(reader, state);
    visit(reader, event);
    return OTF2_CALLBACK_SUCCESS;
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

static OTF2_CallbackCode enter(struct otf2_reader *reader, OTF2_LocationRef location,
                               OTF2_TimeStamp time, uint32_t region)
{
    struct trace_event event;
    struct otf2_thread *state = otf2_begin_event(reader, &event, location, time, TRACE_ENTER);
    if (!state || region == TRACE_NONE)
        return OTF2_CALLBACK_SUCCESS;
    flush(reader, state);
    event.region = region;
    state->depth++;
    if (reader->trace->regions[region].counts_itself)
        count_instance(reader, state, region);
    else if (reader->trace->regions[region].is_phase) {
        state->pending = event;
        state->is_pending = true;
        return OTF2_CALLBACK_SUCCESS;
    }
    visit(reader, &event);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode leave(struct otf2_reader *reader, OTF2_LocationRef location,
                               OTF2_TimeStamp time, uint32_t region)
{
    struct trace_event event;
    struct otf2_thread *state = otf2_begin_event(reader, &event, location, time, TRACE_LEAVE);
    if (!state || region == TRACE_NONE)
        return OTF2_CALLBACK_SUCCESS;
    event.region = region;
    otf2_pass_on(reader, state, &event);
    if (state->iteration_count > 0 &&
        state->iteration_depths[state->iteration_count - 1] >= state->depth)
        state->iteration_count--;
    state->depth -= state->depth > 0;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_enter(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                    OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    struct otf2_reader *reader = data;
    (void)attributes;
    return enter(reader, location, time, reference_find(&reader->regions, region));
}

static OTF2_CallbackCode take_leave(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                    OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    struct otf2_reader *reader = data;
    (void)attributes;
    return leave(reader, location, time, reference_find(&reader->regions, region));
}

static uint32_t region_of(const struct otf2_reader *reader, OTF2_CallingContextRef context)
{
    const uint32_t index = reference_find(&reader->contexts, context);
    return index == TRACE_NONE ? TRACE_NONE : reader->trace->contexts[index].region;
}

static OTF2_CallbackCode take_context_enter(OTF2_LocationRef location, OTF2_TimeStamp time,
                                            void *data, OTF2_AttributeList *attributes,
                                            OTF2_CallingContextRef context, uint32_t distance)
{
    (void)attributes, (void)distance;
    return enter(data, location, time, region_of(data, context));
}

static OTF2_CallbackCode take_context_leave(OTF2_LocationRef location, OTF2_TimeStamp time,
                                            void *data, OTF2_AttributeList *attributes,
                                            OTF2_CallingContextRef context)
{
    (void)attributes;
    return leave(data, location, time, region_of(data, context));
}

static OTF2_CallbackCode take_sample(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                     OTF2_AttributeList *attributes,
                                     OTF2_CallingContextRef context, uint32_t distance,
                                     OTF2_InterruptGeneratorRef generator)
{
    struct otf2_reader *reader = data;
    struct trace_event event;
    struct otf2_thread *state = otf2_begin_event(reader, &event, location, time, TRACE_SAMPLE);
    (void)attributes, (void)distance, (void)generator;
    if (!state)
        return OTF2_CALLBACK_SUCCESS;
    event.context = reference_find(&reader->contexts, context);
    return otf2_pass_on(reader, state, &event);
}

uint32_t otf2_process_in(const struct otf2_reader *reader, const struct trace_event *event,
                         uint32_t rank)
{
    return trace_peer(reader->trace, event->comm, reader->trace->threads[event->thread].process,
                      rank);
}

/* An end of a message. */
struct message_end {
    OTF2_LocationRef location;
    OTF2_TimeStamp time;
    enum trace_kind kind;
    uint32_t rank, comm, tag;
    uint64_t bytes, request;
};

static OTF2_CallbackCode take_end(struct otf2_reader *reader, const struct message_end *end)
{
    struct trace_event event;
    struct otf2_thread *state =
        otf2_begin_event(reader, &event, end->location, end->time, end->kind);
    if (!state)
        return OTF2_CALLBACK_SUCCESS;
    event.comm = reference_find(&reader->comms, end->comm);
    event.peer = otf2_process_in(reader, &event, end->rank);
    event.tag = end->tag;
    event.bytes = end->bytes;
    event.request = end->request;
    return otf2_pass_on(reader, state, &event);
}

static OTF2_CallbackCode take_send(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                   OTF2_AttributeList *attributes, uint32_t receiver,
                                   OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
{
    (void)attributes;
    return take_end(data, &(struct message_end){location, time, TRACE_SEND, receiver, comm, tag,
                                                bytes, TRACE_NO_REQUEST});
}

static OTF2_CallbackCode take_isend(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                    OTF2_AttributeList *attributes, uint32_t receiver,
                                    OTF2_CommRef comm, uint32_t tag, uint64_t bytes,
                                    uint64_t request)
{
    (void)attributes;
    return take_end(data, &(struct message_end){location, time, TRACE_SEND, receiver, comm, tag,
                                                bytes, request});
}

static OTF2_CallbackCode take_recv(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                   OTF2_AttributeList *attributes, uint32_t sender,
                                   OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
{
    (void)attributes;
    return take_end(data, &(struct message_end){location, time, TRACE_RECV, sender, comm, tag,
                                                bytes, TRACE_NO_REQUEST});
}

static OTF2_CallbackCode take_irecv(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                    OTF2_AttributeList *attributes, uint32_t sender,
                                    OTF2_CommRef comm, uint32_t tag, uint64_t bytes,
                                    uint64_t request)
{
    (void)attributes;
    return take_end(data, &(struct message_end){location, time, TRACE_RECV, sender, comm, tag,
                                                bytes, request});
}

static OTF2_CallbackCode take_request(struct otf2_reader *reader, OTF2_LocationRef location,
                                      OTF2_TimeStamp time, uint64_t request,
                                      enum trace_kind kind)
{
    struct trace_event event;
    struct otf2_thread *state = otf2_begin_event(reader, &event, location, time, kind);
    if (!state)
        return OTF2_CALLBACK_SUCCESS;
    event.request = request;
    return otf2_pass_on(reader, state, &event);
}

static OTF2_CallbackCode take_post(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                   OTF2_AttributeList *attributes, uint64_t request)
{
    (void)attributes;
    return take_request(data, location, time, request, TRACE_POST);
}

static OTF2_CallbackCode take_sent(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                   OTF2_AttributeList *attributes, uint64_t request)
{
    (void)attributes;
    return take_request(data, location, time, request, TRACE_SENT);
}

static OTF2_CallbackCode take_collective_post(OTF2_LocationRef location, OTF2_TimeStamp time,
                                              void *data, OTF2_AttributeList *attributes,
                                              uint64_t request)
{
    (void)attributes;
    return take_request(data, location, time, request, TRACE_COLLECT_POST);
}

static OTF2_CallbackCode take_cancel(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                     OTF2_AttributeList *attributes, uint64_t request)
{
    (void)attributes;
    return take_request(data, location, time, request, TRACE_CANCEL);
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

/* What a collective operation was when it ended. */
struct collective_end {
    OTF2_LocationRef location;
    OTF2_TimeStamp time;
    OTF2_CollectiveOp operation;
    uint32_t comm, root;
    uint64_t sent, received, request;
};

static OTF2_CallbackCode take_collective_end(struct otf2_reader *reader,
                                             const struct collective_end *end)
{
    struct trace_event event;
    struct otf2_thread *state =
        otf2_begin_event(reader, &event, end->location, end->time, TRACE_COLLECT);
    if (!state)
        return OTF2_CALLBACK_SUCCESS;
    event.operation = operation_of(end->operation);
    event.comm = reference_find(&reader->comms, end->comm);
    event.root = end->root == OTF2_COLLECTIVE_ROOT_SELF
                     ? reader->trace->threads[event.thread].process
                     : otf2_process_in(reader, &event, end->root);
    event.bytes = end->sent;
    event.bytes_received = end->received;
    event.request = end->request;
    return otf2_pass_on(reader, state, &event);
}

static OTF2_CallbackCode take_collective(OTF2_LocationRef location, OTF2_TimeStamp time,
                                         void *data, OTF2_AttributeList *attributes,
                                         OTF2_CollectiveOp operation, OTF2_CommRef comm,
                                         uint32_t root, uint64_t sent, uint64_t received)
{
    (void)attributes;
    return take_collective_end(data,
                               &(struct collective_end){location, time, operation, comm, root,
                                                        sent, received, TRACE_NO_REQUEST});
}

static OTF2_CallbackCode take_collective_done(OTF2_LocationRef location, OTF2_TimeStamp time,
                                              void *data, OTF2_AttributeList *attributes,
                                              OTF2_CollectiveOp operation, OTF2_CommRef comm,
                                              uint32_t root, uint64_t sent, uint64_t received,
                                              uint64_t request)
{
    (void)attributes;
    return take_collective_end(data, &(struct collective_end){location, time, operation, comm,
                                                              root, sent, received, request});
}

static double value_of(OTF2_Type type, OTF2_MetricValue value)
{
    return type == OTF2_TYPE_DOUBLE  ? value.floating_point
           : type == OTF2_TYPE_INT64 ? (double)value.signed_int
                                     : (double)value.unsigned_int;
}

static OTF2_CallbackCode take_metric(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                     OTF2_AttributeList *attributes, OTF2_MetricRef metric,
                                     uint8_t count, const OTF2_Type *types,
                                     const OTF2_MetricValue *values)
{
    struct otf2_reader *reader = data;
    struct trace_event event;
    struct otf2_thread *state = otf2_begin_event(reader, &event, location, time, TRACE_COUNTER);
    const uint32_t class = reference_find(&reader->classes, metric);
    (void)attributes;
    if (!state || class == TRACE_NONE)
        return OTF2_CALLBACK_SUCCESS;
    for (unsigned i = 0; i < count && i < reader->class_list[class].count; i++) {
        event.counter = reader->class_list[class].members[i];
        event.value = value_of(types[i], values[i]);
        if (event.counter != TRACE_NONE)
            otf2_pass_on(reader, state, &event);
    }
    return OTF2_CALLBACK_SUCCESS;
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
static OTF2_CallbackCode take_source(struct otf2_reader *reader, struct otf2_thread *state,
                                     struct trace_event *event, enum otf2_parameter kind,
                                     uint64_t value)
{
    event->kind = TRACE_SOURCES;
    if (kind == PARAMETER_SOURCES_OF)
        state->sources_of = reference_find(&reader->comms, value) + 1;
    else
        event->peer = process_of_rank(reader->trace, value);
    if (state->sources_of == 0 || (kind == PARAMETER_SOURCE && event->peer == TRACE_NONE))
        return OTF2_CALLBACK_SUCCESS;
    event->comm = state->sources_of - 1;
    return otf2_pass_on(reader, state, event);
}

static OTF2_CallbackCode take_number(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                     OTF2_AttributeList *attributes,
                                     OTF2_ParameterRef parameter, uint64_t value)
{
    struct otf2_reader *reader = data;
    struct trace_event event;
    struct otf2_thread *state = otf2_begin_event(reader, &event, location, time, TRACE_ENTER);
    const uint32_t index = reference_find(&reader->parameters, parameter);
    (void)attributes;
    if (!state || index == TRACE_NONE)
        return OTF2_CALLBACK_SUCCESS;
    const enum otf2_parameter kind = reader->parameter_kinds[index];
    if (kind == PARAMETER_SOURCES_OF || kind == PARAMETER_SOURCE)
        return take_source(reader, state, &event, kind, value);
    if (kind == PARAMETER_NEIGHBORHOOD) {
        event.kind = TRACE_NEIGHBORHOOD;
        event.request = value;
        return otf2_pass_on(reader, state, &event);
    }
    if (kind != PARAMETER_ITERATION || !state->is_pending)
        return OTF2_CALLBACK_SUCCESS;
    begin_iteration(state, state->pending.region, value);
    flush(reader, state);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_on_off(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                     OTF2_AttributeList *attributes, OTF2_MeasurementMode mode)
{
    struct otf2_reader *reader = data;
    struct trace_event event;
    struct otf2_thread *state = otf2_begin_event(reader, &event, location, time, TRACE_OFF);
    (void)attributes;
    if (!state || mode != OTF2_MEASUREMENT_OFF)
        return OTF2_CALLBACK_SUCCESS;
    return otf2_pass_on(reader, state, &event);
}

static OTF2_ErrorCode register_callbacks(struct otf2_reader *reader)
{
    OTF2_GlobalEvtReaderCallbacks *all = OTF2_GlobalEvtReaderCallbacks_New();
    OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(all, take_enter);
    OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(all, take_leave);
    OTF2_GlobalEvtReaderCallbacks_SetCallingContextEnterCallback(all, take_context_enter);
    OTF2_GlobalEvtReaderCallbacks_SetCallingContextLeaveCallback(all, take_context_leave);
    OTF2_GlobalEvtReaderCallbacks_SetCallingContextSampleCallback(all, take_sample);
    OTF2_GlobalEvtReaderCallbacks_SetMpiSendCallback(all, take_send);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIsendCallback(all, take_isend);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIsendCompleteCallback(all, take_sent);
    OTF2_GlobalEvtReaderCallbacks_SetMpiRecvCallback(all, take_recv);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIrecvCallback(all, take_irecv);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIrecvRequestCallback(all, take_post);
    OTF2_GlobalEvtReaderCallbacks_SetMpiRequestCancelledCallback(all, take_cancel);
    OTF2_GlobalEvtReaderCallbacks_SetMpiCollectiveEndCallback(all, take_collective);
    OTF2_GlobalEvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(all,
                                                                          take_collective_post);
    OTF2_GlobalEvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(
        all, take_collective_done);
    otf2_window_callbacks(all);
    otf2_file_callbacks(all);
    OTF2_GlobalEvtReaderCallbacks_SetMetricCallback(all, take_metric);
    OTF2_GlobalEvtReaderCallbacks_SetParameterUnsignedIntCallback(all, take_number);
    OTF2_GlobalEvtReaderCallbacks_SetMeasurementOnOffCallback(all, take_on_off);
    const OTF2_ErrorCode code =
        OTF2_Reader_RegisterGlobalEvtCallbacks(reader->reader, reader->events, all, reader);
    OTF2_GlobalEvtReaderCallbacks_Delete(all);
    return code;
}

/* Local definitions translate numbers of one location, and correct its clock. */
static OTF2_ErrorCode read_local_definitions(struct otf2_reader *reader, uint64_t location)
{
    uint64_t read = 0;
    OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(reader->reader, location);
    if (!definitions)
        return OTF2_SUCCESS;
    OTF2_ErrorCode code =
        OTF2_Reader_ReadAllLocalDefinitions(reader->reader, definitions, &read);
    OTF2_Reader_CloseDefReader(reader->reader, definitions);
    return code;
}

static OTF2_ErrorCode open_locations(struct otf2_reader *reader)
{
    OTF2_Reader *of = reader->reader;
    OTF2_ErrorCode code = OTF2_SUCCESS;
    for (size_t i = 0; i < reader->threads.count && code == OTF2_SUCCESS; i++)
        code = OTF2_Reader_SelectLocation(of, reader->threads.keys[i]);
    if (code != OTF2_SUCCESS)
        return code;
    const bool has_definitions = OTF2_Reader_OpenDefFiles(of) == OTF2_SUCCESS;
    code = OTF2_Reader_OpenEvtFiles(of);
    for (size_t i = 0; i < reader->threads.count && code == OTF2_SUCCESS; i++) {
        if (has_definitions)
            code = read_local_definitions(reader, reader->threads.keys[i]);
        /* One that has none has no events, either. */
        OTF2_Reader_GetEvtReader(of, reader->threads.keys[i]);
    }
    if (has_definitions)
        OTF2_Reader_CloseDefFiles(of);
    return code;
}

OTF2_ErrorCode otf2_read_events(struct otf2_reader *reader)
{
    uint64_t read = 0;
    OTF2_ErrorCode code = open_locations(reader);
    if (code != OTF2_SUCCESS)
        return code;
    reader->events = OTF2_Reader_GetGlobalEvtReader(reader->reader);
    if (!reader->events)
        return OTF2_ERROR_INVALID;
    code = register_callbacks(reader);
    if (code == OTF2_SUCCESS)
        code = OTF2_Reader_ReadAllGlobalEvents(reader->reader, reader->events, &read);
    for (size_t i = 0; i < reader->trace->thread_count; i++)
        flush(reader, &reader->states[i]);
    if (reader->held)
        held_end(reader->held);
    OTF2_Reader_CloseGlobalEvtReader(reader->reader, reader->events);
    OTF2_Reader_CloseEvtFiles(reader->reader);
    return code == OTF2_SUCCESS && reader->has_impossible_times ? OTF2_ERROR_INVALID_DATA
                                                                : code;
}
