/* The events of one-sided communication.  See otf2_reader.h. */
#include "archive/otf2_reader.h"

/* What is done with a window. */
struct window_action {
    OTF2_LocationRef location;
    OTF2_TimeStamp time;
    enum trace_kind kind;
    enum trace_operation operation;
    uint32_t window, remote; /* remote: OTF2_UNDEFINED_UINT32 if no process is meant */
    uint64_t sent, received;
    bool is_exclusive;
};

static OTF2_CallbackCode take_window_action(struct otf2_reader *reader,
                                            const struct window_action *action)
{
    struct trace_event event;
    struct otf2_thread *state =
        otf2_begin_event(reader, &event, action->location, action->time, action->kind);
    if (!state)
        return OTF2_CALLBACK_SUCCESS;
    event.operation = action->operation;
    event.window = reference_find(&reader->windows, action->window);
    if (event.window != TRACE_NONE)
        event.comm = reference_find(&reader->comms, reader->window_comms[event.window]);
    event.peer = otf2_process_in(reader, &event, action->remote);
    event.bytes = action->sent;
    event.bytes_received = action->received;
    event.is_exclusive = action->is_exclusive;
    return otf2_pass_on(reader, state, &event);
}

static OTF2_CallbackCode transfer(void *data, OTF2_LocationRef location, OTF2_TimeStamp time,
                                  enum trace_operation operation, OTF2_RmaWinRef window,
                                  uint32_t remote, uint64_t bytes)
{
    return take_window_action(data,
                              &(struct window_action){location, time, TRACE_RMA, operation,
                                                      window, remote, bytes, 0, false});
}

static OTF2_CallbackCode take_put(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                  OTF2_AttributeList *attributes, OTF2_RmaWinRef window,
                                  uint32_t remote, uint64_t bytes, uint64_t matching)
{
    (void)attributes, (void)matching;
    return transfer(data, location, time, TRACE_PUT, window, remote, bytes);
}

static OTF2_CallbackCode take_get(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                  OTF2_AttributeList *attributes, OTF2_RmaWinRef window,
                                  uint32_t remote, uint64_t bytes, uint64_t matching)
{
    (void)attributes, (void)matching;
    return transfer(data, location, time, TRACE_GET, window, remote, bytes);
}

static OTF2_CallbackCode take_atomic(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                     OTF2_AttributeList *attributes, OTF2_RmaWinRef window,
                                     uint32_t remote, OTF2_RmaAtomicType type, uint64_t sent,
                                     uint64_t received, uint64_t matching)
{
    (void)attributes, (void)type, (void)matching;
    return take_window_action(data,
                              &(struct window_action){location, time, TRACE_RMA, TRACE_ATOMIC,
                                                      window, remote, sent, received, false});
}

static OTF2_CallbackCode synchronize(void *data, OTF2_LocationRef location, OTF2_TimeStamp time,
                                     enum trace_operation operation, OTF2_RmaWinRef window,
                                     uint32_t remote)
{
    return take_window_action(data,
                              &(struct window_action){location, time, TRACE_RMA_SYNC, operation,
                                                      window, remote, 0, 0, false});
}

static OTF2_CallbackCode take_window_create(OTF2_LocationRef location, OTF2_TimeStamp time,
                                            void *data, OTF2_AttributeList *attributes,
                                            OTF2_RmaWinRef window)
{
    (void)attributes;
    return synchronize(data, location, time, TRACE_WINDOW_CREATE, window,
                       OTF2_UNDEFINED_UINT32);
}

static OTF2_CallbackCode take_window_free(OTF2_LocationRef location, OTF2_TimeStamp time,
                                          void *data, OTF2_AttributeList *attributes,
                                          OTF2_RmaWinRef window)
{
    (void)attributes;
    return synchronize(data, location, time, TRACE_WINDOW_FREE, window, OTF2_UNDEFINED_UINT32);
}

/* Windows are created and freed by events of their own. */
static OTF2_CallbackCode take_window_collective(OTF2_LocationRef location, OTF2_TimeStamp time,
                                                void *data, OTF2_AttributeList *attributes,
                                                OTF2_CollectiveOp operation,
                                                OTF2_RmaSyncLevel level, OTF2_RmaWinRef window,
                                                uint32_t root, uint64_t sent, uint64_t received)
{
    (void)attributes, (void)level, (void)root, (void)sent, (void)received;
    if (operation != OTF2_COLLECTIVE_OP_BARRIER)
        return OTF2_CALLBACK_SUCCESS;
    return synchronize(data, location, time, TRACE_FENCE, window, OTF2_UNDEFINED_UINT32);
}

static OTF2_CallbackCode take_sync(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                   OTF2_AttributeList *attributes, OTF2_RmaWinRef window,
                                   uint32_t remote, OTF2_RmaSyncType type)
{
    (void)attributes;
    return synchronize(data, location, time,
                       type == OTF2_RMA_SYNC_TYPE_MEMORY       ? TRACE_FLUSH
                       : type == OTF2_RMA_SYNC_TYPE_NOTIFY_OUT ? TRACE_NOTIFY_OUT
                                                               : TRACE_NOTIFY_IN,
                       window, remote);
}

static OTF2_CallbackCode take_lock_request(OTF2_LocationRef location, OTF2_TimeStamp time,
                                           void *data, OTF2_AttributeList *attributes,
                                           OTF2_RmaWinRef window, uint32_t remote, uint64_t id,
                                           OTF2_LockType type)
{
    (void)attributes, (void)id;
    return take_window_action(data, &(struct window_action){location, time, TRACE_RMA_SYNC,
                                                            TRACE_LOCK_REQUEST, window, remote,
                                                            0, 0, type == OTF2_LOCK_EXCLUSIVE});
}

static OTF2_CallbackCode take_lock_release(OTF2_LocationRef location, OTF2_TimeStamp time,
                                           void *data, OTF2_AttributeList *attributes,
                                           OTF2_RmaWinRef window, uint32_t remote, uint64_t id)
{
    (void)attributes, (void)id;
    return synchronize(data, location, time, TRACE_LOCK_RELEASE, window, remote);
}

void otf2_window_callbacks(OTF2_GlobalEvtReaderCallbacks *all)
{
    OTF2_GlobalEvtReaderCallbacks_SetRmaPutCallback(all, take_put);
    OTF2_GlobalEvtReaderCallbacks_SetRmaGetCallback(all, take_get);
    OTF2_GlobalEvtReaderCallbacks_SetRmaAtomicCallback(all, take_atomic);
    OTF2_GlobalEvtReaderCallbacks_SetRmaWinCreateCallback(all, take_window_create);
    OTF2_GlobalEvtReaderCallbacks_SetRmaWinDestroyCallback(all, take_window_free);
    OTF2_GlobalEvtReaderCallbacks_SetRmaCollectiveEndCallback(all, take_window_collective);
    OTF2_GlobalEvtReaderCallbacks_SetRmaSyncCallback(all, take_sync);
    OTF2_GlobalEvtReaderCallbacks_SetRmaRequestLockCallback(all, take_lock_request);
    OTF2_GlobalEvtReaderCallbacks_SetRmaReleaseLockCallback(all, take_lock_release);
}
