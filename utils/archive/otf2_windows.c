/* The events of one-sided communication.  See otf2_reader.h. */
#include "archive/otf2_reader.h"

/* What is done with a window. */
struct window_action {
    enum trace_kind kind;
    enum trace_operation operation;
    uint64_t window;
    uint32_t remote; /* OTF2_UNDEFINED_UINT32 if no process is meant */
    uint64_t sent, received;
    bool is_exclusive;
};

static void take_window_action(struct otf2_reader *reader, const struct otf2_event *from,
                               const struct window_action *action)
{
    struct trace_event event;
    struct otf2_thread *state = otf2_begin_event(reader, &event, from, action->kind);
    if (!state)
        return;
    event.operation = action->operation;
    event.window = reference_find(&reader->windows, action->window);
    if (event.window != TRACE_NONE)
        event.comm = reference_find(&reader->comms, reader->window_comms[event.window]);
    event.peer = otf2_process_in(reader, &event, action->remote);
    event.bytes = action->sent;
    event.bytes_received = action->received;
    event.is_exclusive = action->is_exclusive;
    otf2_pass_on(reader, state, &event);
}

static void transfer(struct otf2_reader *reader, const struct otf2_event *from,
                     enum trace_operation operation, uint64_t sent, uint64_t received)
{
    take_window_action(reader, from,
                       &(struct window_action){TRACE_RMA, operation, from->numbers[0],
                                               (uint32_t)from->numbers[1], sent, received,
                                               false});
}

void otf2_take_put(struct otf2_reader *reader, const struct otf2_event *from)
{
    transfer(reader, from, TRACE_PUT, from->numbers[2], 0);
}

void otf2_take_get(struct otf2_reader *reader, const struct otf2_event *from)
{
    transfer(reader, from, TRACE_GET, from->numbers[2], 0);
}

void otf2_take_atomic(struct otf2_reader *reader, const struct otf2_event *from)
{
    transfer(reader, from, TRACE_ATOMIC, from->numbers[3], from->numbers[4]);
}

static void synchronize(struct otf2_reader *reader, const struct otf2_event *from,
                        enum trace_operation operation, uint64_t window, uint64_t remote)
{
    take_window_action(reader, from,
                       &(struct window_action){TRACE_RMA_SYNC, operation, window,
                                               (uint32_t)remote, 0, 0, false});
}

void otf2_take_window_create(struct otf2_reader *reader, const struct otf2_event *from)
{
    synchronize(reader, from, TRACE_WINDOW_CREATE, from->numbers[0], OTF2_UNDEFINED_UINT32);
}

void otf2_take_window_free(struct otf2_reader *reader, const struct otf2_event *from)
{
    synchronize(reader, from, TRACE_WINDOW_FREE, from->numbers[0], OTF2_UNDEFINED_UINT32);
}

/* Windows are created and freed by events of their own. */
void otf2_take_window_fence(struct otf2_reader *reader, const struct otf2_event *from)
{
    if (from->numbers[0] == OTF2_COLLECTIVE_OP_BARRIER)
        synchronize(reader, from, TRACE_FENCE, from->numbers[2], OTF2_UNDEFINED_UINT32);
}

void otf2_take_window_sync(struct otf2_reader *reader, const struct otf2_event *from)
{
    const uint64_t type = from->numbers[2];
    synchronize(reader, from,
                type == OTF2_RMA_SYNC_TYPE_MEMORY       ? TRACE_FLUSH
                : type == OTF2_RMA_SYNC_TYPE_NOTIFY_OUT ? TRACE_NOTIFY_OUT
                                                        : TRACE_NOTIFY_IN,
                from->numbers[0], from->numbers[1]);
}

void otf2_take_lock_request(struct otf2_reader *reader, const struct otf2_event *from)
{
    take_window_action(reader, from,
                       &(struct window_action){TRACE_RMA_SYNC, TRACE_LOCK_REQUEST,
                                               from->numbers[0], (uint32_t)from->numbers[1], 0,
                                               0, from->numbers[3] == OTF2_LOCK_EXCLUSIVE});
}

void otf2_take_lock_release(struct otf2_reader *reader, const struct otf2_event *from)
{
    synchronize(reader, from, TRACE_LOCK_RELEASE, from->numbers[0], from->numbers[1]);
}
