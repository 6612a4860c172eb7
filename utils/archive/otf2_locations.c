/*
 * Reads the events of all locations: each by a reader of the library's own, so that several
 * threads can decode, put in order by event_streams.  See otf2_reader.h.
 */
#include "archive/event_streams.h"
#include "archive/otf2_reader.h"

#include <otf2/OTF2_Pthread_Locks.h>
#include <stdlib.h>
#include <string.h>

/* A location whose events are read. */
struct location {
    OTF2_EvtReader *events;
    struct event_block *block; /* that is being read */
    uint64_t most;             /* as many events as may still come */
};

static OTF2_CallbackCode give(void *data, OTF2_TimeStamp time, enum event_type type,
                              const uint64_t numbers[static EVENT_NUMBERS])
{
    struct event_block *block = ((struct location *)data)->block;
    block->list = grow_list(block->list, block->count, &block->room, sizeof *block->list);
    struct event_record *record = &block->list[block->count++];
    record->time = time;
    record->type = (uint8_t)type;
    memcpy(record->numbers, numbers, sizeof record->numbers);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_enter(OTF2_LocationRef location, OTF2_TimeStamp time,
                                    uint64_t position, void *data,
                                    OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    (void)location, (void)position, (void)attributes;
    return give(data, time, EVENT_ENTER, (uint64_t[EVENT_NUMBERS]){region});
}

static OTF2_CallbackCode take_leave(OTF2_LocationRef location, OTF2_TimeStamp time,
                                    uint64_t position, void *data,
                                    OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    (void)location, (void)position, (void)attributes;
    return give(data, time, EVENT_LEAVE, (uint64_t[EVENT_NUMBERS]){region});
}

static OTF2_CallbackCode take_context_enter(OTF2_LocationRef location, OTF2_TimeStamp time,
                                            uint64_t position, void *data,
                                            OTF2_AttributeList *attributes,
                                            OTF2_CallingContextRef context, uint32_t distance)
{
    (void)location, (void)position, (void)attributes;
    return give(data, time, EVENT_CONTEXT_ENTER, (uint64_t[EVENT_NUMBERS]){context, distance});
}

static OTF2_CallbackCode take_context_leave(OTF2_LocationRef location, OTF2_TimeStamp time,
                                            uint64_t position, void *data,
                                            OTF2_AttributeList *attributes,
                                            OTF2_CallingContextRef context)
{
    (void)location, (void)position, (void)attributes;
    return give(data, time, EVENT_CONTEXT_LEAVE, (uint64_t[EVENT_NUMBERS]){context});
}

static OTF2_CallbackCode take_sample(OTF2_LocationRef location, OTF2_TimeStamp time,
                                     uint64_t position, void *data,
                                     OTF2_AttributeList *attributes,
                                     OTF2_CallingContextRef context, uint32_t distance,
                                     OTF2_InterruptGeneratorRef generator)
{
    (void)location, (void)position, (void)attributes;
    return give(data, time, EVENT_SAMPLE,
                (uint64_t[EVENT_NUMBERS]){context, distance, generator});
}

static OTF2_CallbackCode take_send(OTF2_LocationRef location, OTF2_TimeStamp time,
                                   uint64_t position, void *data,
                                   OTF2_AttributeList *attributes, uint32_t receiver,
                                   OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
{
    (void)location, (void)position, (void)attributes;
    return give(data, time, EVENT_SEND, (uint64_t[EVENT_NUMBERS]){receiver, comm, tag, bytes});
}

static OTF2_CallbackCode take_isend(OTF2_LocationRef location, OTF2_TimeStamp time,
                                    uint64_t position, void *data,
                                    OTF2_AttributeList *attributes, uint32_t receiver,
                                    OTF2_CommRef comm, uint32_t tag, uint64_t bytes,
                                    uint64_t request)
{
    (void)location, (void)position, (void)attributes;
    return give(data, time, EVENT_ISEND,
                (uint64_t[EVENT_NUMBERS]){receiver, comm, tag, bytes, request});
}

static OTF2_CallbackCode take_isend_complete(OTF2_LocationRef location, OTF2_TimeStamp time,
                                             uint64_t position, void *data,
                                             OTF2_AttributeList *attributes, uint64_t request)
{
    (void)location, (void)position, (void)attributes;
    return give(data, time, EVENT_ISEND_COMPLETE, (uint64_t[EVENT_NUMBERS]){request});
}

static OTF2_CallbackCode take_irecv_request(OTF2_LocationRef location, OTF2_TimeStamp time,
                                            uint64_t position, void *data,
                                            OTF2_AttributeList *attributes, uint64_t request)
{
    (void)location, (void)position, (void)attributes;
    return give(data, time, EVENT_IRECV_REQUEST, (uint64_t[EVENT_NUMBERS]){request});
}

static OTF2_CallbackCode take_recv(OTF2_LocationRef location, OTF2_TimeStamp time,
                                   uint64_t position, void *data,
                                   OTF2_AttributeList *attributes, uint32_t sender,
                                   OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
{
    (void)location, (void)position, (void)attributes;
    return give(data, time, EVENT_RECV, (uint64_t[EVENT_NUMBERS]){sender, comm, tag, bytes});
}

static OTF2_CallbackCode take_irecv(OTF2_LocationRef location, OTF2_TimeStamp time,
                                    uint64_t position, void *data,
                                    OTF2_AttributeList *attributes, uint32_t sender,
                                    OTF2_CommRef comm, uint32_t tag, uint64_t bytes,
                                    uint64_t request)
{
    (void)location, (void)position, (void)attributes;
    return give(data, time, EVENT_IRECV,
                (uint64_t[EVENT_NUMBERS]){sender, comm, tag, bytes, request});
}

static OTF2_CallbackCode take_cancelled(OTF2_LocationRef location, OTF2_TimeStamp time,
                                        uint64_t position, void *data,
                                        OTF2_AttributeList *attributes, uint64_t request)
{
    (void)location, (void)position, (void)attributes;
    return give(data, time, EVENT_CANCELLED, (uint64_t[EVENT_NUMBERS]){request});
}

static OTF2_CallbackCode take_collective(OTF2_LocationRef location, OTF2_TimeStamp time,
                                         uint64_t position, void *data,
                                         OTF2_AttributeList *attributes,
                                         OTF2_CollectiveOp operation, OTF2_CommRef comm,
                                         uint32_t root, uint64_t sent, uint64_t received)
{
    (void)location, (void)position, (void)attributes;
    return give(data, time, EVENT_COLLECTIVE,
                (uint64_t[EVENT_NUMBERS]){operation, comm, root, sent, received});
}

static OTF2_CallbackCode take_collect_request(OTF2_LocationRef location, OTF2_TimeStamp time,
                                              uint64_t position, void *data,
                                              OTF2_AttributeList *attributes, uint64_t request)
{
    (void)location, (void)position, (void)attributes;
    return give(data, time, EVENT_COLLECT_REQUEST, (uint64_t[EVENT_NUMBERS]){request});
}

static OTF2_CallbackCode
take_collect_end(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *data,
                 OTF2_AttributeList *attributes, OTF2_CollectiveOp operation, OTF2_CommRef comm,
                 uint32_t root, uint64_t sent, uint64_t received, uint64_t request)
{
    (void)location, (void)position, (void)attributes;
    return give(data, time, EVENT_COLLECT_END,
                (uint64_t[EVENT_NUMBERS]){operation, comm, root, sent, received, request});
}

static OTF2_CallbackCode take_number(OTF2_LocationRef location, OTF2_TimeStamp time,
                                     uint64_t position, void *data,
                                     OTF2_AttributeList *attributes,
                                     OTF2_ParameterRef parameter, uint64_t value)
{
    (void)location, (void)position, (void)attributes;
    return give(data, time, EVENT_NUMBER, (uint64_t[EVENT_NUMBERS]){parameter, value});
}

static OTF2_CallbackCode take_on_off(OTF2_LocationRef location, OTF2_TimeStamp time,
                                     uint64_t position, void *data,
                                     OTF2_AttributeList *attributes, OTF2_MeasurementMode mode)
{
    (void)location, (void)position, (void)attributes;
    return give(data, time, EVENT_ON_OFF, (uint64_t[EVENT_NUMBERS]){mode});
}

static OTF2_CallbackCode take_window_create(OTF2_LocationRef location, OTF2_TimeStamp time,
                                            uint64_t position, void *data,
                                            OTF2_AttributeList *attributes,
                                            OTF2_RmaWinRef window)
{
    (void)location, (void)position, (void)attributes;
    return give(data, time, EVENT_WINDOW_CREATE, (uint64_t[EVENT_NUMBERS]){window});
}

static OTF2_CallbackCode take_window_free(OTF2_LocationRef location, OTF2_TimeStamp time,
                                          uint64_t position, void *data,
                                          OTF2_AttributeList *attributes, OTF2_RmaWinRef window)
{
    (void)location, (void)position, (void)attributes;
    return give(data, time, EVENT_WINDOW_FREE, (uint64_t[EVENT_NUMBERS]){window});
}

static OTF2_CallbackCode take_window_fence(OTF2_LocationRef location, OTF2_TimeStamp time,
                                           uint64_t position, void *data,
                                           OTF2_AttributeList *attributes,
                                           OTF2_CollectiveOp operation, OTF2_RmaSyncLevel level,
                                           OTF2_RmaWinRef window, uint32_t root, uint64_t sent,
                                           uint64_t received)
{
    (void)location, (void)position, (void)attributes;
    return give(data, time, EVENT_WINDOW_FENCE,
                (uint64_t[EVENT_NUMBERS]){operation, level, window, root, sent, received});
}

static OTF2_CallbackCode take_window_sync(OTF2_LocationRef location, OTF2_TimeStamp time,
                                          uint64_t position, void *data,
                                          OTF2_AttributeList *attributes, OTF2_RmaWinRef window,
                                          uint32_t remote, OTF2_RmaSyncType type)
{
    (void)location, (void)position, (void)attributes;
    return give(data, time, EVENT_WINDOW_SYNC, (uint64_t[EVENT_NUMBERS]){window, remote, type});
}

static OTF2_CallbackCode take_put(OTF2_LocationRef location, OTF2_TimeStamp time,
                                  uint64_t position, void *data, OTF2_AttributeList *attributes,
                                  OTF2_RmaWinRef window, uint32_t remote, uint64_t bytes,
                                  uint64_t matching)
{
    (void)location, (void)position, (void)attributes;
    return give(data, time, EVENT_PUT,
                (uint64_t[EVENT_NUMBERS]){window, remote, bytes, matching});
}

static OTF2_CallbackCode take_get(OTF2_LocationRef location, OTF2_TimeStamp time,
                                  uint64_t position, void *data, OTF2_AttributeList *attributes,
                                  OTF2_RmaWinRef window, uint32_t remote, uint64_t bytes,
                                  uint64_t matching)
{
    (void)location, (void)position, (void)attributes;
    return give(data, time, EVENT_GET,
                (uint64_t[EVENT_NUMBERS]){window, remote, bytes, matching});
}

static OTF2_CallbackCode take_atomic(OTF2_LocationRef location, OTF2_TimeStamp time,
                                     uint64_t position, void *data,
                                     OTF2_AttributeList *attributes, OTF2_RmaWinRef window,
                                     uint32_t remote, OTF2_RmaAtomicType type, uint64_t sent,
                                     uint64_t received, uint64_t matching)
{
    (void)location, (void)position, (void)attributes;
    return give(data, time, EVENT_ATOMIC,
                (uint64_t[EVENT_NUMBERS]){window, remote, type, sent, received, matching});
}

static OTF2_CallbackCode take_lock_request(OTF2_LocationRef location, OTF2_TimeStamp time,
                                           uint64_t position, void *data,
                                           OTF2_AttributeList *attributes,
                                           OTF2_RmaWinRef window, uint32_t remote,
                                           uint64_t lock, OTF2_LockType type)
{
    (void)location, (void)position, (void)attributes;
    return give(data, time, EVENT_LOCK_REQUEST,
                (uint64_t[EVENT_NUMBERS]){window, remote, lock, type});
}

static OTF2_CallbackCode take_lock_release(OTF2_LocationRef location, OTF2_TimeStamp time,
                                           uint64_t position, void *data,
                                           OTF2_AttributeList *attributes,
                                           OTF2_RmaWinRef window, uint32_t remote,
                                           uint64_t lock)
{
    (void)location, (void)position, (void)attributes;
    return give(data, time, EVENT_LOCK_RELEASE,
                (uint64_t[EVENT_NUMBERS]){window, remote, lock});
}

static OTF2_CallbackCode take_file_begin(OTF2_LocationRef location, OTF2_TimeStamp time,
                                         uint64_t position, void *data,
                                         OTF2_AttributeList *attributes,
                                         OTF2_IoHandleRef handle, OTF2_IoOperationMode mode,
                                         OTF2_IoOperationFlag flags, uint64_t bytes,
                                         uint64_t matching)
{
    (void)location, (void)position, (void)attributes;
    return give(data, time, EVENT_FILE_BEGIN,
                (uint64_t[EVENT_NUMBERS]){handle, mode, flags, bytes, matching});
}

static OTF2_CallbackCode take_file_end(OTF2_LocationRef location, OTF2_TimeStamp time,
                                       uint64_t position, void *data,
                                       OTF2_AttributeList *attributes, OTF2_IoHandleRef handle,
                                       uint64_t bytes, uint64_t matching)
{
    (void)location, (void)position, (void)attributes;
    return give(data, time, EVENT_FILE_END, (uint64_t[EVENT_NUMBERS]){handle, bytes, matching});
}

static OTF2_CallbackCode take_metric(OTF2_LocationRef location, OTF2_TimeStamp time,
                                     uint64_t position, void *data,
                                     OTF2_AttributeList *attributes, OTF2_MetricRef metric,
                                     uint8_t count, const OTF2_Type *types,
                                     const OTF2_MetricValue *values)
{
    (void)location, (void)position, (void)attributes;
    for (unsigned i = 0; i < count; i++)
        give(data, time, EVENT_METRIC,
             (uint64_t[EVENT_NUMBERS]){metric, i, types[i], values[i].unsigned_int});
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_EvtReaderCallbacks *create_callbacks(void)
{
    OTF2_EvtReaderCallbacks *all = OTF2_EvtReaderCallbacks_New();
    OTF2_EvtReaderCallbacks_SetEnterCallback(all, take_enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(all, take_leave);
    OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback(all, take_context_enter);
    OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback(all, take_context_leave);
    OTF2_EvtReaderCallbacks_SetCallingContextSampleCallback(all, take_sample);
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(all, take_send);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(all, take_isend);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(all, take_isend_complete);
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(all, take_irecv_request);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(all, take_recv);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(all, take_irecv);
    OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(all, take_cancelled);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(all, take_collective);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(all, take_collect_request);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(all, take_collect_end);
    OTF2_EvtReaderCallbacks_SetParameterUnsignedIntCallback(all, take_number);
    OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(all, take_on_off);
    OTF2_EvtReaderCallbacks_SetRmaWinCreateCallback(all, take_window_create);
    OTF2_EvtReaderCallbacks_SetRmaWinDestroyCallback(all, take_window_free);
    OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback(all, take_window_fence);
    OTF2_EvtReaderCallbacks_SetRmaSyncCallback(all, take_window_sync);
    OTF2_EvtReaderCallbacks_SetRmaPutCallback(all, take_put);
    OTF2_EvtReaderCallbacks_SetRmaGetCallback(all, take_get);
    OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(all, take_atomic);
    OTF2_EvtReaderCallbacks_SetRmaRequestLockCallback(all, take_lock_request);
    OTF2_EvtReaderCallbacks_SetRmaReleaseLockCallback(all, take_lock_release);
    OTF2_EvtReaderCallbacks_SetIoOperationBeginCallback(all, take_file_begin);
    OTF2_EvtReaderCallbacks_SetIoOperationCompleteCallback(all, take_file_end);
    OTF2_EvtReaderCallbacks_SetMetricCallback(all, take_metric);
    return all;
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

/* Reads on; called by several threads, for different locations. */
static void fill(void *source, size_t about, struct event_block *block)
{
    struct location *location = source;
    uint64_t read = 0;
    location->block = block;
    const OTF2_ErrorCode code = OTF2_EvtReader_ReadEvents(location->events, about, &read);
    /* Where a file ends too early the library may begin again with what it read before. */
    const bool is_endless = read > location->most;
    location->most -= is_endless ? 0 : read;
    block->status = code != OTF2_SUCCESS || is_endless ? EVENTS_DAMAGED
                    : read < about                     ? EVENTS_ENDED
                                                       : EVENTS_LEFT;
}

/* How many come from a location that is said to have EVENTS, by writers that do not count well.
 */
static uint64_t most_of(uint64_t events)
{
    enum { MORE = 1000 };
    return events > UINT64_MAX / 4 ? UINT64_MAX : 2 * events + MORE;
}

/* Location NUMBER, of a thread that has so many EVENTS. */
static OTF2_ErrorCode open_location(struct otf2_reader *reader, uint64_t number,
                                    uint64_t events, const OTF2_EvtReaderCallbacks *callbacks,
                                    struct location *location)
{
    location->events = OTF2_Reader_GetEvtReader(reader->reader, number);
    location->most = most_of(events);
    if (location->events)
        return OTF2_Reader_RegisterEvtCallbacks(reader->reader, location->events, callbacks,
                                                location);
    /* Without events there need not be a file. */
    return events > 0 ? OTF2_ERROR_INVALID_DATA : OTF2_SUCCESS;
}

static bool is_selected(const struct otf2_reader *reader, size_t thread)
{
    return !reader->trace->selected || reader->trace->selected[thread];
}

static OTF2_ErrorCode open_locations(struct otf2_reader *reader, struct location *locations)
{
    OTF2_Reader *of = reader->reader;
    const struct references *threads = &reader->threads;
    OTF2_ErrorCode code = OTF2_SUCCESS;
    for (size_t i = 0; i < threads->count && code == OTF2_SUCCESS; i++)
        if (is_selected(reader, i))
            code = OTF2_Reader_SelectLocation(of, threads->keys[i]);
    if (code != OTF2_SUCCESS)
        return code;
    const bool has_definitions = OTF2_Reader_OpenDefFiles(of) == OTF2_SUCCESS;
    code = OTF2_Reader_OpenEvtFiles(of);
    OTF2_EvtReaderCallbacks *callbacks = create_callbacks();
    for (size_t i = 0; i < threads->count && code == OTF2_SUCCESS; i++) {
        if (!is_selected(reader, i))
            continue;
        if (has_definitions)
            code = read_local_definitions(reader, threads->keys[i]);
        if (code == OTF2_SUCCESS)
            code = open_location(reader, threads->keys[i], reader->trace->threads[i].events,
                                 callbacks, &locations[i]);
    }
    OTF2_EvtReaderCallbacks_Delete(callbacks);
    if (has_definitions)
        OTF2_Reader_CloseDefFiles(of);
    return code;
}

/* Gives the events of all locations to otf2_take; false if one of them is damaged. */
static bool take_all(struct otf2_reader *reader, struct event_source *sources, size_t count)
{
    struct event_streams *streams =
        event_streams_open(sources, count, fill, reader->trace->decoders);
    struct otf2_event event;
    for (const struct event_record *record;
         (record = event_streams_next(streams, &event.thread)) != NULL;) {
        event.time = record->time;
        event.numbers = record->numbers;
        otf2_take(reader, &event, record->type);
    }
    const bool is_whole = !event_streams_are_damaged(streams);
    event_streams_free(streams);
    return is_whole;
}

static OTF2_ErrorCode read_locations(struct otf2_reader *reader, struct location *locations)
{
    const struct references *threads = &reader->threads;
    struct event_source *sources = allocate(threads->count + 1, sizeof *sources);
    size_t count = 0;
    for (size_t i = 0; i < threads->count; i++)
        if (locations[i].events)
            sources[count++] = (struct event_source){
                .context = &locations[i], .location = threads->keys[i], .thread = (uint32_t)i};
    const bool is_whole = take_all(reader, sources, count);
    free(sources);
    return is_whole ? OTF2_SUCCESS : OTF2_ERROR_INVALID_DATA;
}

OTF2_ErrorCode otf2_read_events(struct otf2_reader *reader)
{
    const struct references *threads = &reader->threads;
    struct location *locations = allocate(threads->count + 1, sizeof *locations);
    /* Its threads may report errors, and share what belongs to the archive. */
    OTF2_ErrorCode code = OTF2_Pthread_Reader_SetLockingCallbacks(reader->reader, NULL);
    if (code == OTF2_SUCCESS)
        code = open_locations(reader, locations);
    if (code == OTF2_SUCCESS)
        code = read_locations(reader, locations);
    for (size_t i = 0; i < threads->count; i++)
        if (locations[i].events)
            OTF2_Reader_CloseEvtReader(reader->reader, locations[i].events);
    OTF2_Reader_CloseEvtFiles(reader->reader);
    free(locations);
    return code;
}
